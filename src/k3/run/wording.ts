/**
 * The kinds of errors, their data, and their texts: K's name and a sentence for a person.
 *
 * Guarantees: a sentence with data in it is made only here, and only when it is read. No code compares texts: code that treats an error specially
 * checks its kind, or the `what` of its detail. Does not: hold the rules that verbs state ("a base is 2 or more"); each rule stands with its verb.
 */
import { writtenInstead } from "../text/otherGlyphs.ts"
import { fromBytes } from "../text/utf8.ts"

/** Errors of a program's text: only the parser raises them. */
export type SyntaxKind =
  | "parse"
  | "open"
  | "unmatched"
  | "character"
  | "reserved"
  /** Text that other interpreters accept. */
  | "unknown"
  /** Nested more deeply than the parser allows. */
  | "deep"

/** Reasons why the system refuses a file. `system`: another reason, with its code in the detail. */
export type FileKind = "absent" | "unreadable" | "not-folder" | "folder" | "full" | "read-only" | "system"

export type ErrorKind =
  | "type"
  | "rank"
  | "length"
  | "index"
  | "domain"
  | "int"
  | "value"
  | "valence"
  /** Known to K, but missing in this interpreter. */
  | "nonce"
  | SyntaxKind
  /** Larger or deeper than this interpreter allows. */
  | "limit"
  /** The steps of the evaluation are used up. */
  | "steps"
  | "stack"
  | "wsfull"
  /** Interrupted. */
  | "break"
  /** The host does not allow it. */
  | "access"
  | FileKind
  /** The bytes are no value. */
  | "damaged"
  /** Raised by the program, with a text of its own. */
  | "signal"
  /** The program tried to end the process. */
  | "exit"
  /** A restored value differs from its image. */
  | "differs"
  /** A defect of the interpreter. */
  | "internal"

/** The data of an error. Types are K's codes. */
interface Details {
  /** One or two values that break a rule. */
  readonly mismatch: { readonly rule: string; readonly x: number; readonly y?: number | undefined }
  readonly counts: { readonly n: number; readonly m: number; readonly things: string; readonly others: string }
  readonly place: { readonly place: number; readonly count: number }
  readonly "no-items": { readonly type: number }
  readonly "no-key": { readonly key: string }
  readonly arguments: { readonly given: number; readonly taken: number }
  readonly "two-arguments": { readonly adverb: string; readonly monadic?: string }
  readonly "no-value": { readonly name: string }
  readonly "no-directory-name": { readonly name: string }
  readonly "is-directory": { readonly path: string }
  readonly "no-directory": { readonly path: string }
  readonly "not-int": { readonly text: string }
  readonly range: { readonly least: number; readonly most: number }
  readonly dimensions: { readonly most: number }
  readonly cut: { readonly place: number; readonly count: number }
  readonly draw: { readonly below: number }
  readonly field: { readonly type: string; readonly bytes?: number | undefined }
  readonly records: { readonly bytes: number; readonly record: number }
  readonly depth: { readonly most: number; readonly of: string }
  readonly steps: { readonly most: number; readonly before: number }
  readonly bytes: { readonly asked: number; readonly symbols: number | undefined; readonly growth: number | undefined }
  readonly held: { readonly most: number; readonly symbols: number | undefined; readonly growth: number | undefined }
  readonly exit: { readonly code: number }
  readonly signal: { readonly text: string }
  readonly thrown: { readonly thrown: string }
  readonly system: { readonly path: string; readonly code: string }
  /** A script that none of the folders has. */
  readonly nowhere: { readonly name: string; readonly folders: readonly string[] }
  readonly "not-closed": { readonly opener: string }
  readonly "closes-nothing": { readonly closer: string }
  readonly "closed-by": { readonly opener: string; readonly closer: string }
  readonly "no-character": { readonly character: string }
  readonly "no-system-name": { readonly name: string }
  readonly "not-assignable": { readonly name: string }
  /** A number followed by a letter, a second point, or the `j` of 64-bit ints. */
  readonly number: { readonly goesOn: "letter" | "point" | "long" }
  readonly "no-verb": { readonly text: string }
}

export type ErrorDetail = { [What in keyof Details]: { readonly what: What } & Details[What] }[keyof Details]
type Of<What extends keyof Details> = Extract<ErrorDetail, { readonly what: What }>

/** K's names of kinds whose name differs. The names of file errors are the messages of Linux. */
const names: ReadonlyMap<ErrorKind, string> = new Map<ErrorKind, string>([
  ["unknown", "nonce"],
  ["deep", "stack"],
  ["steps", "limit"],
  ["absent", "no such file or directory"],
  ["unreadable", "permission denied"],
  ["not-folder", "not a directory"],
  ["folder", "illegal operation on a directory"],
  ["full", "no space left on device"],
  ["read-only", "read-only file system"],
  ["damaged", "domain"],
])

export const nameOf = (kind: ErrorKind, detail: string | ErrorDetail | undefined): string =>
  kind === "signal" ? (detail as Of<"signal">).text : (names.get(kind) ?? kind)

/** Kinds with another name in a trap than on the console. */
const trapped: ReadonlySet<ErrorKind> = new Set(["character", "open", "unmatched"])

/** The name that a trap gives for an error that the console calls `name`. */
export const trappedName = (kind: ErrorKind, name: string): string => (trapped.has(kind) ? "parse" : name)

/** By the code of the type; 8 is a projection. */
const types: ReadonlyMap<number, string> = new Map([
  [-4, "symbols"],
  [-3, "a string"],
  [-2, "floats"],
  [-1, "ints"],
  [0, "a list"],
  [1, "an int"],
  [2, "a float"],
  [3, "a char"],
  [4, "a symbol"],
  [5, "a dictionary"],
  [6, "nil"],
  [7, "a function"],
  [8, "a projection"],
])
const plurals: ReadonlySet<number> = new Set([-4, -2, -1])

/** Types that usually come from a slip, and the likely slip. */
const slips: ReadonlyMap<number, string> = new Map([
  [6, ", as a missing key is, and in a function a name without a value"],
  [7, ": f[x] or f@x applies it"],
  [8, ": a projection waits for arguments; f[3;4] gives two, f(3;4) one list"],
])

const mismatch = ({ rule, x, y }: Details["mismatch"]): string => {
  const shown = y === undefined ? types.get(x)! : `${types.get(x)!} and ${types.get(y)!}`
  const slip = slips.get(x) ?? (y === undefined ? undefined : slips.get(y)) ?? ""
  return `${rule}; ${y !== undefined || plurals.has(x) ? "these are" : "this is"} ${shown}${slip}`
}

const number = {
  letter: "a letter follows a number; 1 is an int, 1.0 a float, and 1 and 0 stand for true and false",
  point: "a number has one point",
  long: "64-bit ints (123j) are not K3",
}

/** The end of a sentence about memory: a limit on growth, and symbols, which are never freed. */
const ofGrowth = (growth: number | undefined): string =>
  growth === undefined ? "" : `, where the evaluation may hold ${growth} more than when it began`
const symbolsToo = (bytes: number | undefined): string =>
  bytes === undefined ? "" : `; symbols take ${bytes}, until the interpreter is started anew`

/** A character, or the number of one beyond ASCII that looks like a blank, or like nothing. */
const shownCharacter = (character: string): string => {
  const text = fromBytes(character)
  const isHidden = /^(?![\0-\x7f])[\p{Z}\p{C}]$/u.test(text)
  return isHidden
    ? `U+${text.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}, which shows as a blank or not at all`
    : JSON.stringify(character)
}

const sentences: { readonly [What in keyof Details]: (detail: Details[What]) => string } = {
  mismatch,
  counts: ({ n, m, things, others }) => (things === others ? `${n} and ${m} ${things}` : `${n} ${things} and ${m} ${others}`),
  place: ({ place, count }) =>
    `there is no item ${place === -2147483648 ? "0N" : place}; ${count === 0 ? "the list is empty" : `the last is ${count - 1}`}`,
  "no-items": ({ type }) => `${types.get(type)!} has no items`,
  "no-key": ({ key }) => `there is no name ${key} in it`,
  arguments: ({ given, taken }) => `it takes ${taken === 1 ? "1 argument" : `${taken} arguments`}; ${given} are given`,
  "two-arguments": ({ adverb, monadic }) => `${adverb} takes two arguments${monadic === undefined ? "" : `; ${monadic} takes one`}`,
  "no-value": ({ name }) => `${name} has no value`,
  "no-directory-name": ({ name }) => `${name} is no name for a directory`,
  "is-directory": ({ path }) => `${path} is a directory`,
  "no-directory": ({ path }) => `${path} is no directory`,
  "not-int": ({ text }) => `${text} is no int`,
  range: ({ least, most }) => `${least} to ${most}`,
  dimensions: ({ most }) => `an array of more than ${most} dimensions`,
  cut: ({ place, count }) => `a cut at ${place} of ${count} items`,
  draw: ({ below }) => `only ${below} different numbers below ${below}`,
  field: ({ type, bytes }) => `a field of type ${type}${bytes === undefined ? "" : ` has ${bytes} bytes`}`,
  records: ({ bytes, record }) => `${bytes} bytes are no whole number of records of ${record}`,
  depth: ({ most, of }) => `more than ${most} ${of} deep`,
  steps: ({ most, before }) =>
    before === 0 ? `all ${most} steps are used up` : `all ${most + before} steps are used up, ${before} of them by the statements before`,
  bytes: ({ asked, growth, symbols }) => `${asked} bytes asked${ofGrowth(growth)}${symbolsToo(symbols)}`,
  held: ({ most, growth, symbols }) => `more than ${most} bytes are held${ofGrowth(growth)}${symbolsToo(symbols)}`,
  exit: ({ code }) => `the case would end the interpreter with code ${code}`,
  signal: () => "",
  thrown: ({ thrown }) => `a defect of the interpreter: ${thrown}`,
  system: ({ path, code }) => `${path}: the system says ${code}`,
  nowhere: ({ name, folders }) => `${/\.\w+$/.test(name) ? name : `${name}.k`} was not found in ${folders.join(" or ")}`,
  "not-closed": ({ opener }) => (opener === '"' ? "the string is not closed" : `${opener} is not closed`),
  "closes-nothing": ({ closer }) => `nothing is open for ${closer} to close`,
  "closed-by": ({ opener, closer }) => `${opener} is closed by ${closer}`,
  "no-character": ({ character }) => {
    const instead = writtenInstead(character)
    return instead === undefined ? `no K text has the character ${shownCharacter(character)}` : `${character} is not K: write ${instead}`
  },
  "no-system-name": ({ name }) => `${name} is no system name`,
  "not-assignable": ({ name }) => `${name} cannot be assigned`,
  number: ({ goesOn }) => number[goesOn],
  "no-verb": ({ text }) => `${text} is not there`,
}

/** The sentence; the empty string when the name says enough. */
export const hintOf = (detail: string | ErrorDetail | undefined): string =>
  typeof detail === "object" ? (sentences[detail.what] as (detail: ErrorDetail) => string)(detail) : (detail ?? "")
