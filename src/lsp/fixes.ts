/**
 * Quick fixes, as edits of the text, for the common slips that `k_validate` finds.
 *
 * Guarantees: pure; after the edits of a fix the text no longer has that issue at that position (a test holds it, for each code). Does not: offer a
 * fix when only the author knows the intended code.
 */
import type { Issue } from "../k3/documents.ts"
import { endsNoun, type EditorToken } from "./tokens.ts"

/** Replaces the text from `start` to `end`. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface Fix {
  readonly title: string
  readonly edits: readonly Edit[]
}

/** An issue with its position in the text and among the tokens. */
interface Place {
  readonly text: string
  readonly tokens: readonly EditorToken[]
  readonly offset: number
  /** The index of the token at the offset, or of the first one after it. */
  readonly i: number
  readonly issue: Issue
}

const edit = (start: number, end: number, text: string): Edit => ({ start, end, text })
const replacing = ({ start, end }: Pick<EditorToken, "start" | "end">, text: string): Edit => edit(start, end, text)

/** The index of the first token of the bracketed expression that token `i` closes, with the noun that the bracket indexes or applies. */
const opening = (tokens: readonly EditorToken[], i: number): number => {
  for (let depth = 0, j = i; j >= 0; j--) {
    if (tokens[j]!.kind === "close") depth++
    if (tokens[j]!.kind !== "open" || --depth > 0) continue
    return tokens[j]!.text === "[" && endsNoun(tokens[j - 1]) ? nounStart(tokens, j - 1) : j
  }
  return i
}

/** The index of the first token of the noun that ends at token `i`. */
const nounStart = (tokens: readonly EditorToken[], i: number): number => {
  if (tokens[i]?.kind === "close") return opening(tokens, i)
  let first = i
  while (tokens[first]?.kind === "number" && tokens[first - 1]?.kind === "number") first--
  return first
}

/** The first token of the noun right before token `i`; undefined if another noun stands right before that one, and is applied to it. */
const nounBefore = (tokens: readonly EditorToken[], i: number): EditorToken | undefined => {
  if (!endsNoun(tokens[i - 1])) return undefined
  const first = nounStart(tokens, i - 1)
  return endsNoun(tokens[first - 1]) ? undefined : tokens[first]
}

const pairs: ReadonlyMap<string, readonly string[]> = new Map([
  ["==", ["=", "~"]],
  ["**", ["^"]],
  ["&&", ["&"]],
  ["||", ["|"]],
  ["+=", ["+:"]],
  ["-=", ["-:"]],
  ["*=", ["*:"]],
  [":=", [":"]],
])

/** For `a!=b` and similar: the comparison whose negation by `~` is the intended one. */
const negated: ReadonlyMap<string, string> = new Map([
  ["!=", "="],
  ["<>", "="],
  ["<=", ">"],
  [">=", "<"],
])

const gluedVerbs = ({ tokens, i }: Place): readonly Fix[] => {
  const [first, second] = [tokens[i]!, tokens[i + 1]!]
  const pair = first.text + second.text
  const both = { start: first.start, end: second.end }
  const simple = pairs.get(pair)?.map((text) => ({ title: `Write ${text} for ${pair}`, edits: [replacing(both, text)] }))
  const verb = negated.get(pair)
  const left = nounBefore(tokens, i)
  if (simple !== undefined || verb === undefined || left === undefined) return simple ?? []
  return [{ title: `Write ~a${verb}b for a${pair}b`, edits: [edit(left.start, left.start, "~"), replacing(both, verb)] }]
}

/** Deletes the blanks before an offset. */
const closingUp = (text: string, offset: number): Edit => edit(text.slice(0, offset).trimEnd().length, offset, "")

const assigning = ({ text, tokens, i }: Place): readonly Fix[] => {
  const token = tokens.slice(i, i + 2).find((each) => each.text === "=")
  // `a == b` is a comparison, for which the issue of == has fixes.
  if (token === undefined || text[token.end] === "=") return []
  const start = text.slice(0, token.start).trimEnd().length
  return [{ title: "Assign with :", edits: [edit(start, token.end + /^[ \t]*/.exec(text.slice(token.end))![0].length, ":")] }]
}

const unknownName = ({ tokens, i, issue: { instead = "" } }: Place): readonly Fix[] => {
  const verb = /^(\w+ _ \w+) with blanks/.exec(instead)?.[1]
  const text = verb ?? (/^_?[\w.]+$/.test(instead) ? instead : undefined)
  return text === undefined ? [] : [{ title: `Write ${text}`, edits: [replacing(tokens[i]!, text)] }]
}

const reserved = ({ text, offset, issue: { instead = "" } }: Place): readonly Fix[] => {
  const name = /^_\w+/.exec(text.slice(offset))?.[0] ?? "_"
  const near = /^(_\w+), or/.exec(instead)?.[1]
  const blank = { title: "Write a blank behind _, the verb", edits: [edit(offset + 1, offset + 1, " ")] }
  return near === undefined ? [blank] : [{ title: `Write ${near}`, edits: [edit(offset, offset + name.length, near)] }, blank]
}

/** Puts a verb and the nouns on its left and right in parentheses. */
const leftFirst = ({ tokens, i }: Place): readonly Fix[] => {
  const left = nounBefore(tokens, i)
  const [right, next] = tokens.slice(i + 1, i + 3)
  const isNoun = right !== undefined && ["number", "name", "string", "symbol"].includes(right.kind) && next?.kind !== "open"
  if (left === undefined || !isNoun) return []
  let last = i + 1
  while (tokens[last]!.kind === "number" && tokens[last + 1]?.kind === "number") last++
  return [{ title: "Do this one first", edits: [edit(left.start, left.start, "("), edit(tokens[last]!.end, tokens[last]!.end, ")")] }]
}

const charAtom = ({ tokens, i }: Place): readonly Fix[] => {
  const isChar = (token: EditorToken | undefined): token is EditorToken => token?.kind === "string" && /^"(?:\\?[^])"$/.test(token.text)
  const [left, right] = [tokens[i - 1], tokens[i + 1]]
  if (isChar(right)) return [{ title: `Write ,${right.text}`, edits: [edit(right.start, right.start, ",")] }]
  return isChar(left) ? [{ title: `Write (,${left.text})`, edits: [replacing(left, `(,${left.text})`)] }] : []
}

const floatCount = ({ tokens, i }: Place): readonly Fix[] => {
  const verb = tokens[i]!
  const left = nounBefore(tokens, i)
  if (verb.text === "%") return [{ title: "Write _div for %", edits: [replacing(verb, " _div ")] }]
  return left === undefined ? [] : [{ title: "Round down with _", edits: [edit(left.start, left.start, "_ ")] }]
}

const braceLine = ({ text, offset }: Place): readonly Fix[] => {
  const { start } = closingUp(text, offset)
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start)
  // After a comment, the brace would be part of the comment.
  return /(?:^|\s)\//.test(line) ? [] : [{ title: "Put } behind the last expression", edits: [edit(start, offset, "")] }]
}

const fixers: ReadonlyMap<string, (place: Place) => readonly Fix[]> = new Map<string, (place: Place) => readonly Fix[]>([
  ["glued-verbs", gluedVerbs],
  ["minus-glued", ({ offset }) => [{ title: "Subtract: a blank behind -", edits: [edit(offset + 1, offset + 1, " ")] }]],
  ["comment-blank", ({ text, offset }) => [{ title: "Make / the adverb: no blank before it", edits: [closingUp(text, offset)] }]],
  [
    "comment-divides",
    ({ text, offset }) => [{ title: "Divide with %", edits: [edit(offset, offset + (text[offset + 1] === "/" ? 2 : 1), "%")] }],
  ],
  [
    "single-quotes",
    ({ text, offset, issue: { instead = "" } }) => [
      { title: `Write ${instead}`, edits: [edit(offset, text.indexOf("'", offset + 1) + 1, instead)] },
    ],
  ],
  ["int-range", ({ tokens, i }) => [{ title: "Write a float", edits: [edit(tokens[i]!.end, tokens[i]!.end, ".0")] }]],
  ["right-to-left", leftFirst],
  ["char-atom", charAtom],
  ["float-count", floatCount],
  ["brace-line", braceLine],
  ["dollar-cond", ({ tokens, i }) => [{ title: "Write :[c;a;b]", edits: [replacing(tokens[i]!, ":")] }]],
  ["equals-assign", assigning],
  ["unknown-name", unknownName],
  ["reserved", reserved],
])

/** The fixes for an issue at this offset, the likeliest first. */
export const fixesOf = (text: string, tokens: readonly EditorToken[], offset: number, issue: Issue): readonly Fix[] => {
  const i = tokens.findIndex(({ end }) => end > offset)
  // A comment at the end of the text has no token after it.
  return i < 0 && !issue.code.startsWith("comment-") ? [] : (fixers.get(issue.code)?.({ text, tokens, offset, i, issue }) ?? [])
}
