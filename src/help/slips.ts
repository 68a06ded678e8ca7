/**
 * Slips in code that ran, as far as what it printed shows them. Pure.
 *
 * Guarantees: nothing is told of code whose print is what such code prints when it is meant. Does not: check code; `validate` does, and
 * `k_validate` tells all of it.
 */
import { type Issue, validate } from "../k3/documents.ts"
import { statements } from "../k3/text/statements.ts"

/** What the code came to. */
export interface Ran {
  readonly code: string
  readonly output: string
  readonly failed: boolean
  /** What it failed with. */
  readonly error?: string | undefined
  /** What the session holds now, where names without a value read as nil. */
  readonly held?: Parameters<typeof validate>[1]
}

const verbAlone = /^[-+*%&|<>=!~,^#_?@$.]:?$/m

/** Is it the name that the error says has no value? */
const isWithoutValue = (name: string, error = ""): boolean => {
  const [first = ""] = error.split("\n", 1)
  return /has no value|Undefined variable/.test(first) && first.split(/[^\w.]+/).includes(name)
}

type Shows = (ran: Ran, issue: Issue) => boolean

/** By the code of an issue: does the print show it? */
const shows: ReadonlyMap<string, Shows> = new Map<string, Shows>([
  ["comment-blank", ({ output }) => verbAlone.test(output)],
  // The others may be meant, and print what they do.
  ["glued-verbs", ({ output }, { message }) => message.startsWith("**") && output.trim() !== ""],
  // Compared with a name that has a value it may be meant; `= compares x with …`.
  ["equals-assign", ({ error }, { message }) => isWithoutValue(message.split(" ")[2]!, error)],
  // With three parts it is none that K has, whatever comes of it.
  ["dollar-cond", () => true],
  ["int-range", () => true],
  ["no-query", ({ failed }) => failed],
])

const mostTold = 3

/** Gives nothing by itself: an assignment, a loop, a command, a comment, a statement that ends in a semicolon. */
const silent = /^\s*(?:[\\/]|if\b|do\b|while\b|\.?[A-Za-z][\w.]*(?:\[[^\]]*\])?[^\w\s;{(["]?::?)|;\s*$/

/** Did a name that nothing gave a value read as nil in one of its functions? It may have, where nil was printed or met a verb. */
export const readsNil = ({ code, output, failed, error }: Ran): boolean => {
  if (failed) return error?.includes("as a name without a value is") === true
  const last = statements(code).at(-1)
  return output === "" && last !== undefined && code.includes("{") && !silent.test(last.wire)
}

const nilNames = (ran: Ran): readonly Issue[] =>
  ran.held === undefined || !readsNil(ran)
    ? []
    : validate(ran.code, ran.held).filter(({ code, message }) => code === "unknown-name" && message.includes("reads as nil"))

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
  const shown = validate(code, { names: namesIn(code), directory: ".k" }).filter(
    (each) => (each.severity === "warning" || each.code === "equals-assign") && shows.get(each.code)?.(ran, each) === true,
  )
  return [...shown, ...nilNames(ran)].slice(0, mostTold).map((each) => sentence(each, isOneLine))
}
