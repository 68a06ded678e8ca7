/**
 * Slips in code that ran, as far as its output shows them. Pure.
 *
 * Guarantees: says nothing when the output is that of the code as it may have been meant. Does not: check code; `validate` does, and `k_validate`
 * reports all issues.
 */
import { conditional, type Issue, validate } from "../k3/documents.ts"
import { statements } from "../k3/text/statements.ts"

/** Code and its outcome. */
export interface Ran {
  readonly code: string
  readonly output: string
  readonly failed: boolean
  /** The text of the error. */
  readonly error?: string | undefined
  /** The variables of the session, when names without a value read as nil there. */
  readonly held?: Parameters<typeof validate>[1]
}

const verbAlone = /^[-+*%&|<>=!~,^#_?@$.]:?$/m

/** Is `name` the name that the error says has no value? */
const isWithoutValue = (name: string, error = ""): boolean => {
  const [first = ""] = error.split("\n", 1)
  return /has no value|Undefined variable/.test(first) && first.split(/[^\w.]+/).includes(name)
}

type Shows = (ran: Ran, issue: Issue) => boolean

const isComparison = /^[=!<>]=$/

/** Code that prints nothing when it is right: an assignment, a loop, a command, a comment, a statement that ends in a semicolon. */
const silent = /^\s*(?:[\\/]|if\b|do\b|while\b|\.?[A-Za-z][\w.]*(?:\[[^\]]*\])?[^\w\s;{(["]?::?)|;\s*$/

/** A divisor in a comment may be the result that the comment foretells: as a text, or as a number with fewer decimals. */
const isForetold = (divisor: string, printed: string): boolean => {
  const decimals = divisor.split(".")[1]?.length || Infinity
  const isSame = (word: string): boolean => word !== "" && Math.abs(Number(word) - Number(divisor)) <= 10 ** -decimals
  return printed.split(/[\s;(),!"]+/).some((word) => word === divisor || isSame(word))
}

/** `name:7 / 2` or `name:(…) / 2`. */
const assignedQuotient = /^\s*[A-Za-z][\w.]*:\s*(?:(\d[\d.]*)|\(.*\))\s+\/\/?[^/]*$/

/** Is the comment a division? After a statement that prints nothing, except `assignedQuotient`, it may be a note on the value. */
const isDivision = (divisor: string, line: string, output: string): boolean => {
  const found = assignedQuotient.exec(line)
  return (found !== null || !silent.test(line)) && !isForetold(divisor, `${output} ${found?.[1] ?? ""}`)
}

/** Does the error show code, and not that pair of verbs? */
const isElsewhere = (pair: string, error = ""): boolean => /\n./.test(error) && !error.includes(pair)

/** Issues that are never meant in K, whatever their outcome. */
const always =
  "control-bracket control-value system-glued single-quotes dollar-cond int-range slice mask digit-groups type-name null-prints chain one-field"

/** By the code of an issue: does the outcome show that it is a slip? */
const shows: ReadonlyMap<string, Shows> = new Map<string, Shows>([
  ...always.split(" ").map((code): [string, Shows] => [code, () => true]),
  ["comment-blank", ({ output }, { severity }) => severity === "warning" && verbAlone.test(output)],
  [
    "comment-divides",
    ({ code, output, failed }, { instead, line }) => {
      const divisor = /^%(\S+)/.exec(instead!)![1]!
      return !failed && isDivision(divisor, code.split("\n")[line - 1]!, output)
    },
  ],
  // Comparisons of other languages are never meant in K, nor is && as a condition; where the output has their text, a function that contains them
  // was printed. Other glued verbs may be meant, unless they failed.
  [
    "glued-verbs",
    ({ output, failed, error }, { message, severity }) => {
      const pair = message.slice(0, 2)
      return (
        (failed && !isElsewhere(pair, error)) ||
        (isComparison.test(pair) && !output.includes(pair)) ||
        (pair === "**" && output.trim() !== "") ||
        pair === "++" ||
        pair === "--" ||
        (pair === "&&" && severity === "warning")
      )
    },
  ],
  // One index of a vector gives a vector: a printed list has parentheses.
  ["comma-parts", ({ code, output, failed }) => failed || output === "" || output.includes("(") || /,\s+[A-Za-z][\w.]*:/.test(code)],
  // When it is the last that is printed, `outcomes` tells it.
  ["one-list", ({ code, output }) => output === "" || !code.trimEnd().endsWith(")")],
  // When the evaluation failed, the help beside its error says this.
  ["slash-divides", ({ output, failed }, { instead }) => !failed && !output.includes(instead!.replace("%… to divide", "/"))],
  ["whole-in", ({ output }) => output === "0\n" || output === "0"],
  // Compared with a name that has a value it may be meant. The message begins `= compares x with …`.
  ["equals-assign", ({ error }, { message }) => isWithoutValue(message.split(" ")[2]!, error)],
  // Of comparisons alone: a sum after a product may be meant.
  ["right-to-left", (_, { severity }) => severity === "warning"],
  ["question-cond", ({ failed }) => failed],
  // Of parse errors only that of `c ? 1 : 2`: the reply has the others.
  ["parse", ({ failed }, { instead }) => failed && instead === conditional],
  ["no-query", ({ failed }) => failed],
  // The error is of another name, as in `let a = 5`: K reads a line from its end.
  ["unknown-name", ({ failed, error }, { message }) => failed && !isWithoutValue(message.split(":", 1)[0]!, error)],
])

const mostTold = 3

/**
 * May a function of the code have read a name without a value, as nil? True when the last statement printed nothing although it should, and when an
 * error speaks of such a name.
 */
export const readsNil = ({ code, output, failed, error }: Ran): boolean => {
  if (failed) return error?.includes("in a function a name without a value") === true
  const last = statements(code).at(-1)
  return output === "" && last !== undefined && code.includes("{") && !silent.test(last.wire)
}

/** What the output or the error shows, with the code to explain it, by an example: when both match, the sentence is told. */
const outcomes: readonly (readonly [outcome: RegExp, code: RegExp, told: string])[] = [
  // `x+1 # add one`
  [
    /^(?:value|parse) error/,
    /^[ \t]*(?:#|--)[ \t]+[A-Za-z]|\S[ \t]+(?:#|--)[ \t]+[A-Za-z]+[ \t]+[A-Za-z]/m,
    "A comment begins with / at the start of a line or behind a blank.",
  ],
  // `"x is ",x`, of a number
  [/^\((?:"\\?.";){2}.*\d\)\s*$/, /" *, *[\w(]|[\w)] *, *"/, 'Text joined with a number is a list of both. Write "…",$x for text.'],
  // `x,:"ef"`, of a list of strings
  [
    /^[( ]"(?:[^"\\\n]|\\.){2,}"(?:\n "(?:[^"\\\n]|\\.)"){2}/m,
    /,:?\s*"(?:[^"\\\n]|\\.){2,}"/,
    'A string joined to a list of strings is joined char by char. Write ,"…" with a comma before it for one item, as in x,:,"…".',
  ],
  // `f(3;4)`, `f 3 4`
  [
    /^\{[^]*\}\[[^;[\]]*\]\s*$/,
    /(?:\b[A-Za-z]\w*|\})(?:[ \t]*\([^();,]*[;,][^()]*\)|[ \t]+\d[\w.]*(?: -?\d[\w.]*)+)\s*$/,
    "This is a projection: the function takes more than the one argument given. Write f[3;4], or f . (3;4).",
  ],
  // `*/1+!13`: a factorial beyond 12 that is not negative
  [/^\d+\s*$/m, /\*\/1\+!(?:1[3-9]|[2-9]\d|\d{3})(?![\d.])/, "This product has wrapped: ints have 32 bits. Write */1.0+!13, for floats."],
  // `*/1+!20`
  [
    /(?<![\w.])-\d{9,10}(?![\d.])/,
    /^(?!.*(?:\d{7}|_t\b|_draw|\d:)).*\*/s,
    "An int this far below 0 has probably wrapped: ints have 32 bits. Write 1.0* before a factor, for floats.",
  ],
]

const nilNames = (ran: Ran): readonly Issue[] =>
  ran.held === undefined || !readsNil(ran)
    ? []
    : validate(ran.code, ran.held).filter(
        ({ code, message }) =>
          (code === "unknown-name" && message.includes("reads as nil")) ||
          (code === "equals-assign" && message.includes("has no value yet")),
      )

/** Counts every name as known, since the evaluation already reports unknown ones; except the keywords of a query and of other languages' statements. */
const namesIn = (code: string): ReadonlyMap<string, number> =>
  new Map(
    Array.from(code.matchAll(/[A-Za-z]\w*/g), ([name]) => name)
      .filter((name) => !/^(?:select|exec|update|delete)$|^(?:let|const|var|for|def|lambda|import|function)$/i.test(name))
      .map((name) => [`.k.${name}`, 1]),
  )

const sentence = ({ line, message, instead }: Issue, isOneLine: boolean): string =>
  `${isOneLine ? "" : `line ${line}: `}${message}.${instead === undefined ? "" : ` Write ${instead}.`}`

/** A sentence for each slip. */
export const slipsIn = (ran: Ran): readonly string[] => {
  const { code } = ran
  const isOneLine = !code.trim().includes("\n")
  const shown = validate(code, { names: namesIn(code), directory: ".k" }).filter((each) => shows.get(each.code)?.(ran, each) === true)
  const outcome = ran.failed ? (ran.error ?? "") : ran.output
  const told = outcomes.flatMap((each) => (each[0].test(outcome) && each[1].test(code) ? [each[2]] : []))
  return [...[...shown, ...nilNames(ran)].map((each) => sentence(each, isOneLine)), ...told].slice(0, mostTold)
}
