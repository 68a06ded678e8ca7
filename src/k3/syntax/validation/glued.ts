/**
 * Finds, in the tokens, valid K that newcomers write by mistake: characters that another language groups differently. `traps.ts` searches the syntax
 * tree, and defines when a finding is a warning or a hint.
 */
import type { Token } from "../../text/lexer.ts"
import { isAtom } from "../../values/value.ts"
import type { Finding, Parsed, Severity } from "./Finding.ts"
import type { Names } from "./names.ts"

const endsNoun = (t: Token | undefined): boolean => t !== undefined && ["literal", "name", ")", "]", "}"].includes(t.kind)
const waits = (t: Token): boolean =>
  t.kind === "verb" || t.kind === "adverb" || t.kind === "colon" || t.kind === "(" || t.kind === "[" || t.kind === ":["

/** A dyad of another language that K reads as two verbs. */
const pairs: ReadonlyMap<string, readonly [severity: Severity, reads: string, instead: string]> = new Map([
  ["==", ["warning", "a=(=b)", "a=b item by item, a~b as wholes"]],
  ["!=", ["warning", "a!(=b)", "~a=b, or ~a~b as wholes"]],
  ["<>", ["warning", "a<(>b)", "~a=b, or ~a~b as wholes"]],
  ["<=", ["warning", "a<(=b)", "~a>b"]],
  [">=", ["warning", "a>(=b)", "~a<b"]],
  ["+=", ["warning", "a+(=b)", "a+:b"]],
  ["-=", ["warning", "a-(=b)", "a-:b"]],
  ["*=", ["warning", "a*(=b)", "a*:b"]],
  ["**", ["warning", "a*(*b)", "a^b"]],
  ["&&", ["hint", "a&(&b)", "a&b"]],
  ["||", ["hint", "a|(|b)", "a|b"]],
  ["++", ["warning", "a+ and +", "a+:1"]],
  ["--", ["warning", "a- and -", "a-:1"]],
])

const glued = (before: Token | undefined, first: Token, second: Token, after: Token): Finding | undefined => {
  if (second.spaced || !endsNoun(before)) return undefined
  const span = { start: first.start, end: second.end }
  if (first.kind === "colon" && second.text === "=" && after.kind === "literal" && isAtom(after.value!))
    return { severity: "warning", code: "glued-verbs", message: ":= is : and the verb =, which groups", span, instead: "a:b assigns" }
  if (first.kind !== "verb" || second.kind !== "verb") return undefined
  const pair = pairs.get(first.text + second.text)
  // `a**/b` is a times the product of b, and `a**|b` a times its last item; `a--b` takes -b from a.
  if (pair === undefined || after.kind === "adverb" || (second.text === "*" && after.text === "|")) return undefined
  if (/^[+-]$/.test(second.text) && !["end", ";", "}", ")", "]"].includes(after.kind)) return undefined
  const [severity, reads, instead] = pair
  return { severity, code: "glued-verbs", message: `${first.text}${second.text} is two verbs: ${reads}`, span, instead }
}

/** Is this the `]` of a parameter list? */
const endsParameters = (tokens: readonly Token[], at: number): boolean => {
  if (tokens[at]!.kind !== "]") return false
  let i = at - 1
  while (tokens[i]?.kind === "name" || tokens[i]?.kind === ";") i--
  return tokens[i]?.kind === "[" && tokens[i - 1]?.kind === "{"
}

/** `a -1` applies a to -1. */
const minus = (before: Token, literal: Token, names: Names): Finding | undefined => {
  if (!literal.spaced || literal.kind !== "literal" || literal.text[0] !== "-") return undefined
  const name = before.kind === "name" ? before.text : undefined
  if (name === undefined ? before.kind !== ")" && before.kind !== "]" : names.holdsFunction(name) === true) return undefined
  const what = name ?? "what stands before it"
  const certain = name !== undefined && names.holdsFunction(name) === false
  return {
    severity: certain ? "warning" : "hint",
    code: "minus-glued",
    message: `a blank before - and none behind: this applies ${what} to ${literal.text.split(/\s/, 1)[0]!}`,
    span: { start: literal.start, end: literal.start + 1 },
    instead: name === undefined ? "- with blanks on both sides, or on none" : `${name}-… or ${name} - …`,
  }
}

/** `if (c) a` is not a control word with its bracket. */
const control = (word: Token, next: Token): Finding | undefined =>
  word.kind === "name" && /^(?:if|while|do)$/.test(word.text) && !(next.kind === "[" && !next.spaced) && next.kind !== "colon"
    ? {
        severity: "warning",
        code: "control-bracket",
        message: `${word.text} needs its bracket right behind it`,
        span: word,
        instead: `${word.text}[${word.text === "do" ? "n" : "c"};a;b]${word.text === "if" ? ", or :[c;t;f] for a value" : ""}`,
      }
    : undefined

const systemAssignment = (word: Token, next: Token, after: Token): Finding | undefined =>
  word.kind === "system" && next.kind === "colon" && !next.spaced && after.kind !== "adverb" && after.kind !== "["
    ? {
        severity: "warning",
        code: "system-assign",
        message: `${word.text} belongs to the system, and is not assigned by this`,
        span: word,
        instead: "a name of your own",
      }
    : undefined

/** `1_t` for `1_ t`: the `_` and a letter are one name of the system. `(x*)_f x-1` calls the function itself. */
const dropped = (noun: Token, word: Token): Finding | undefined =>
  (noun.kind === "literal" || ([")", "]"].includes(noun.kind) && word.text !== "_f")) &&
  word.kind === "system" &&
  !word.spaced &&
  /^_[A-Za-z]$/.test(word.text)
    ? {
        severity: "warning",
        code: "system-glued",
        message: `${word.text} is a name of the system`,
        span: word,
        instead: `_ ${word.text[1]!} with a blank, for the verb _`,
      }
    : undefined

const isNumber = ({ kind, text }: Token): boolean => kind === "literal" && /^-?\d[\d.]*$/.test(text)

/** `7/2`: an adverb where a division was meant. */
const division = (before: Token, adverb: Token, after: Token): Finding | undefined =>
  isNumber(before) && adverb.text === "/" && (endsNoun(after) || after.kind === "(")
    ? {
        severity: "warning",
        code: "slash-divides",
        message: "/ is an adverb here, over",
        span: adverb,
        instead: `${before.text}%… to divide`,
      }
    : undefined

/** A comment where an adverb was meant: ` /` after a token that waits for a right side; or a division: ` / 2` or ` // 2` after a noun. */
const comment = (source: string, before: Token, next: Token): Finding | undefined => {
  const gap = source.slice(before.end, next.start)
  const at = /\s(\/[^\n]*)/.exec(gap)
  if (at === null || gap.slice(0, at.index).includes("\n")) return undefined
  const text = at[1]!
  const start = before.end + at.index + 1
  const message = "a / behind a blank begins a comment: the rest of the line is not read"
  const span = { start, end: start + 1 }
  const divisor = endsNoun(before) ? /^\/\/?\s*(\d[\d.]*|#[A-Za-z]\w*)\s*$/.exec(text)?.[1] : undefined
  if (divisor !== undefined) return { severity: "hint", code: "comment-divides", message, span, instead: `%${divisor} to divide` }
  const isCode = /^\/:?[\s]*[\d(`"!&<>,#]/.test(text) || /^\/:?\S*$/.test(text)
  const certain = waits(before) && before.text !== ":" && isCode
  if (!certain && !(waits(before) || ((before.kind === "}" || before.kind === ")") && /^\/:?[\d(`"]/.test(text)))) return undefined
  return {
    severity: certain ? "warning" : "hint",
    code: "comment-blank",
    message,
    span,
    instead: `${source.slice(before.start, before.end)}/ without the blank, for the adverb`,
  }
}

const QUOTED = /'[^'"`;()[\]{}\n]*'/y

/** `'text'` where a value begins. */
const quotes = (source: string, before: Token | undefined, first: Token): Finding | undefined => {
  if (first.text !== "'" || !(before === undefined || ["colon", ";", "(", "[", ":["].includes(before.kind))) return undefined
  QUOTED.lastIndex = first.start
  const text = QUOTED.exec(source)?.[0]
  // The second quote may stand in a comment.
  if (text === undefined || /\s\//.test(text)) return undefined
  const span = { start: first.start, end: first.start + text.length }
  return {
    severity: "warning",
    code: "single-quotes",
    message: "' is an adverb, or signals an error",
    span,
    instead: `"${text.slice(1, -1)}"`,
  }
}

/** Ints in the text that do not fit in 32 bits. The bounds themselves are other ways to write 0I, -0I and 0N. */
const wideInts = ({ kind, text, start }: Token): readonly Finding[] => {
  if (kind !== "literal" || !/\d{10}/.test(text) || /["`]/.test(text) || /[.eEni]/.test(text)) return []
  return Array.from(text.matchAll(/-?\d{10,}/g))
    .filter(({ 0: word }) => Number(word) > 2 ** 31 - 1 || Number(word) < -(2 ** 31))
    .map(({ 0: word, index }) => ({
      severity: "warning",
      code: "int-range",
      message: `${word} is beyond the ints, which have 32 bits: K reads it as ${word.startsWith("-") ? "-0I" : "0I"}`,
      span: { start: start + index, end: start + index + word.length },
      instead: `${word}.0, a float`,
    }))
}

/** A query of SQL or q, such as `select … from …`, alone or assigned. */
export const query = ({ tokens }: Parsed, names: Names): Finding | undefined => {
  const first = tokens.find(
    ({ kind, text }, i) =>
      kind === "name" &&
      /^(?:select|exec|update|delete)$/i.test(text) &&
      (i === 0 || tokens[i - 1]!.kind === "colon") &&
      !names.isKnown(text),
  )
  if (first === undefined || !tokens.some(({ kind, text }) => kind === "name" && /^from$/i.test(text))) return undefined
  return {
    severity: "warning",
    code: "no-query",
    message: `K has no ${first.text}: a table is a dictionary of columns, and & gives the places where a condition holds`,
    span: first,
    instead: "t.price@&t.n>1 (k_help data shows select, group and join)",
  }
}

/** The traps in the tokens of one statement. */
export const gluedTokens = ({ source, tokens }: Parsed, names: Names): readonly Finding[] => {
  const findings = tokens.slice(0, -1).flatMap((first, i) => {
    const before = tokens[i - 1]
    const second = tokens[i + 1]!
    const after = tokens[i + 2] ?? second
    return [
      glued(before, first, second, after),
      endsParameters(tokens, i) ? undefined : minus(first, second, names),
      control(first, second),
      quotes(source, before, first),
      systemAssignment(first, second, after),
      dropped(first, second),
      division(first, second, after),
      second.start > first.end + 1 ? comment(source, first, second) : undefined,
    ]
  })
  return [...findings.filter((finding) => finding !== undefined), ...tokens.flatMap(wideInts)]
}
