/**
 * Files of cases: K code and its expected output. Pure, so that `k3 --test`, a reload's check and a comparison read the same file in the same
 * way.
 *
 * The first form looks like a console. A blank line ends a case; each case has a fresh session. Lines that begin with `/` before the first
 * code are the case's name:
 *
 *     / sums
 *     > a:1 2 3
 *     > +/a
 *     6
 *     > a+`b
 *     type error
 *     a+`b
 *      ^
 *
 * `> ` marks code; the other lines are output, errors as a console shows them, with or without the sentence after an error's name. The last
 * newline of the output does not count. An output line that is empty, or could be taken for something else, has `| ` before it; a line `…` stands
 * for any number of lines.
 *
 * The second form is JSON lines, one case per line: `{"id":…,"code":…,"expected":…}`, with `"compare":"shape"` to ignore digits, and `"padding"` to
 * accept zeros for unused bytes of a `_bd` image. Other keys are ignored.
 *
 * Guarantees: `readCases` reads the text of `caseText` back unchanged; a file in neither form is a `Problem` with its line. Does not: run code,
 * read files.
 */

/** Code that is entered together, and its expected output without the last newline. */
export interface CaseStep {
  readonly code: string
  readonly expected: string
  /** The step's first line in the file, from 1. */
  readonly line: number
}

/** The steps of one fresh session. */
export interface Case {
  readonly name: string
  /** The case's first line in the file, from 1. */
  readonly line: number
  readonly steps: readonly CaseStep[]
  readonly compare: OutputComparison
}

/** How output is compared with the expected output. `text`: exactly, but a line `…` stands for any lines. */
export type OutputComparison = "text" | "exact" | "shape" | "padding"

export interface CaseProblem {
  readonly line: number
  /** A sentence. */
  readonly problem: string
}

const ANYTHING = "…"
/** Output lines that need `| ` before them. */
const needsBar = /^(?:$|[>|](?: |$)|…$)/

/** All cases of a file, in order. */
export const readCases = (text: string): readonly Case[] | CaseProblem => {
  // Some editors write a byte order mark. In a file whose first line ends in a newline alone, a CR before a newline is code's or output's own.
  const plain = text.replace(/^\ufeff/, "")
  const lines = (/^[^\n]*\r\n/.test(plain) ? plain.replaceAll("\r\n", "\n") : plain).split("\n")
  const isJson = lines.find((line) => line.trim() !== "")?.startsWith("{") === true
  const cases: Case[] = []
  for (let i = 0; i < lines.length;) {
    if (lines[i]!.trim() === "") {
      i++
      continue
    }
    let end = i + 1
    if (!isJson) while (end < lines.length && lines[end] !== "") end++
    const found = isJson ? readJson(lines[i]!, i + 1) : readBlock(lines.slice(i, end), i + 1)
    if ("problem" in found) return found
    // A heading without code is a comment on the file.
    if (found.steps.length > 0) cases.push(found)
    i = end
  }
  return cases.length === 0 ? { line: 1, problem: "there is no case in it" } : cases
}

const readBlock = (lines: readonly string[], at: number): Case | CaseProblem => {
  const headings: string[] = []
  const steps: { readonly code: string[]; readonly expected: string[]; readonly line: number }[] = []
  for (const [i, line] of lines.entries()) {
    const step = steps.at(-1)
    const entered = line === ">" ? "" : line.startsWith("> ") ? line.slice(2) : undefined
    if (entered !== undefined) {
      if (step !== undefined && step.expected.length === 0) step.code.push(entered)
      else steps.push({ code: [entered], expected: [], line: at + i })
    } else if (step !== undefined) step.expected.push(line)
    else if (line.startsWith("/")) headings.push(line.slice(1).trim())
    else return { line: at + i, problem: "a case begins with a heading, /, or with what is entered, >" }
  }
  return {
    name: headings.join(" ") || `line ${at}`,
    line: at,
    steps: steps.map(({ code, expected, line }) => ({ code: code.join("\n"), expected: expected.join("\n"), line })),
    compare: "text",
  }
}

const comparisons: ReadonlySet<unknown> = new Set(["shape", "padding"])

const readJson = (line: string, at: number): Case | CaseProblem => {
  let row: unknown
  try {
    row = JSON.parse(line)
  } catch {
    return { line: at, problem: "this is no JSON" }
  }
  const { id, code, expected, compare } = (row ?? {}) as { readonly [key: string]: unknown }
  if (typeof code !== "string" || typeof expected !== "string") return { line: at, problem: "a case has code and expected, both text" }
  if (compare !== undefined && !comparisons.has(compare))
    return { line: at, problem: `compare is ${JSON.stringify(compare)}; there are shape and padding` }
  return {
    name: typeof id === "string" ? id : `line ${at}`,
    line: at,
    steps: [{ code, expected, line: at }],
    compare: (compare as OutputComparison | undefined) ?? "exact",
  }
}

/** The sentence after an error's name, in an error with source line and caret. */
const SENTENCE = /^(\S[^:\n]* error): .*(?=\n.*\n[ \t]*\^$)/gm

/** Is this the expected output, with or without the sentences of errors? The last newline does not count. */
export const isExpected = (printed: string, expected: string, compare: OutputComparison): boolean => {
  const got = printed.replace(/\n$/, "")
  const holds = comparing[compare]
  return (
    holds(got, expected) ||
    holds(got.replace(SENTENCE, "$1"), expected) ||
    (compare === "text" && printed === "\n" && matches([""], expected.split("\n")))
  )
}

const comparing: { readonly [compare in OutputComparison]: (got: string, expected: string) => boolean } = {
  exact: (got, expected) => got === expected,
  shape: (got, expected) => digitless(got) === digitless(expected),
  padding: (got, expected) => isPadded(bytesOf(got), bytesOf(expected)),
  text: (got, expected) => matches(got === "" ? [] : got.split("\n"), expected === "" ? [] : expected.split("\n")),
}

const digitless = (printed: string): string => printed.replace(/-?\d+/g, "0")

/** The bytes of a printed string; an escape is one byte. */
const bytesOf = (printed: string): readonly string[] => printed.match(/\\[0-7]{3}|\\?[^]/g) ?? []

const isPadded = (got: readonly string[], expected: readonly string[]): boolean =>
  got.length === expected.length && got.every((byte, i) => byte === expected[i] || byte === "\\000")

/** Matches lines against expected lines, in which `…` is a wildcard. Backtracking to the last `…` is enough, as in glob matching. */
const matches = (got: readonly string[], expected: readonly string[]): boolean => {
  let star = -1
  let from = 0
  let i = 0
  let j = 0
  while (i < got.length) {
    const line = expected[j]
    if (line === ANYTHING) {
      star = j++
      from = i
    } else if (line !== undefined && (/^\|(?: |$)/.test(line) ? line.slice(2) : line) === got[i]) {
      i++
      j++
    } else if (star >= 0) {
      j = star + 1
      i = ++from
    } else return false
  }
  while (expected[j] === ANYTHING) j++
  return j === expected.length
}

/** Output in the form of a file of cases; `undefined` becomes `…`, which matches any output. */
export const expectedText = (printed: string | undefined): string => {
  if (printed === undefined) return ANYTHING
  if (printed === "") return ""
  const lines = printed.replace(/\n$/, "").split("\n")
  return lines.map((line) => (line === "" ? "|" : needsBar.test(line) ? `| ${line}` : line)).join("\n")
}

/** A case in the form of a file of cases; each step's `expected` is a result of `expectedText`. */
export const caseText = ({ name, steps }: { readonly name: string; readonly steps: readonly Omit<CaseStep, "line">[] }): string =>
  [
    ...name.split("\n").map((line) => `/ ${line}`),
    ...steps.flatMap(({ code, expected }) => [
      ...code.split("\n").map((line) => (line === "" ? ">" : `> ${line}`)),
      ...(expected === "" ? [] : [expected]),
    ]),
  ].join("\n") + "\n"
