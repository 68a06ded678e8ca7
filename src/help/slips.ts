/**
 * Slips in code that ran, as far as what it printed shows them. Pure.
 *
 * Guarantees: nothing is told of code whose print is what such code prints when it is meant. Does not: check code; `validate` does, and
 * `k_validate` tells all of it.
 */
import { type Issue, validate } from "../k3/documents.ts"
import { parts } from "../k3/text/scan.ts"

/** What the code came to. */
export interface Ran {
  readonly code: string
  readonly output: string
  readonly failed: boolean
}

const verbAlone = /^[-+*%&|<>=!~,^#_?@$.]:?$/m
const truth = /^[01](?: [01])*$/m

type Shows = (ran: Ran, issue: Issue) => boolean

/** By the code of an issue: does the print show it? */
const shows: ReadonlyMap<string, Shows> = new Map<string, Shows>([
  ["comment-blank", ({ output }) => verbAlone.test(output)],
  // The others may be meant, and print what they do.
  ["glued-verbs", ({ output }, { message }) => message.startsWith("**") && output.trim() !== ""],
  ["equals-assign", ({ output }) => truth.test(output)],
  ["dollar-cond", ({ failed }) => failed],
  ["int-range", () => true],
  ["no-query", ({ failed }) => failed],
])

/** A text as printed that begins with a quote and has no other: half of a field that stood in quotes. */
const isHalfField = (inside: string): boolean => inside.startsWith('\\"') && !inside.includes('\\"', 2)

/** A file of fields was read, and a field in quotes was cut at a separator inside of it. */
const cutField = ({ code, output }: Ran): readonly string[] =>
  /"\)\s*0:/.test(code) &&
  Array.from(parts(output)).some(({ kind, start, end }) => kind === "string" && isHalfField(output.slice(start + 1, end - 1)))
    ? [
        "0: knows no quotes: a field in quotes was cut at the separator inside of it. Read such a file with the idiom csv-quoted (k_help csv-quoted).",
      ]
    : []

const mostTold = 3

/** All names count as known, since the evaluation told of those that are not; but for the words of a query. */
const namesIn = (code: string): ReadonlyMap<string, number> =>
  new Map(
    Array.from(code.matchAll(/[A-Za-z]\w*/g), ([name]) => name)
      .filter((name) => !/^(?:select|exec|update|delete)$/i.test(name))
      .map((name) => [`.k.${name}`, 1]),
  )

const sentence = ({ line, message, instead }: Issue, isOneLine: boolean): string =>
  `${isOneLine ? "" : `line ${line}: `}${message}.${instead === undefined ? "" : ` Write ${instead}.`}`

/** A sentence each. */
export const slipsIn = (ran: Ran): readonly string[] => {
  const { code } = ran
  const isOneLine = !code.trim().includes("\n")
  const told = validate(code, { names: namesIn(code), directory: ".k" })
    .filter((each) => (each.severity === "warning" || each.code === "equals-assign") && shows.get(each.code)?.(ran, each) === true)
    .slice(0, mostTold)
    .map((each) => sentence(each, isOneLine))
  return [...told, ...cutField(ran)]
}
