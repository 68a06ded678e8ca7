/** Entries of the errors: the meaning, K that raises the error (run as a test), and the remedy. */
import type { HelpEntry } from "./HelpEntry.ts"

type Row = readonly [name: string, meaning: string, raisedBy: string, remedy: string, words?: string]

// prettier-ignore
const rows: readonly Row[] = [
  ["type", "a verb met a type it has no meaning for.", "1+`a", "4:x tells a type: 1 int, 2 float, 3 char, 4 symbol, negative for vectors, 0 list, 5 dictionary, 6 nil, 7 function. 0$\"12\" makes a number of text, $x text of a number.", "cannot add convert cast integer symbol mismatch"],
  ["length", "two lists that should go item by item differ in length.", "1 2+1 2 3", "#x counts. For all pairs use x f/:y or x f\\:y; the rows of a matrix must have one length.", "size mismatch vector different lengths"],
  ["rank", "an argument has too few or too many dimensions, or an atom was indexed or applied like a list.", "5[0]", "An atom was indexed, in brackets or by the noun on its right: a -1 is a[-1], and a-1 or a - 1 subtracts. ,x makes a list of an atom.", "depth dimension atom not function"],
  ["index", "a place outside of the list.", "1 2 3[3]", "Places count from 0 to (#x)-1; negative ones are none. *|x is the last item.", "out of range bounds subscript"],
  ["domain", "the value is of the right type, but not one the verb works for.", "!-1", "The hint after the name says what is allowed.", "invalid value negative singular"],
  ["int", "an int is needed.", "&1.5", "% always gives a float: _ x floors it, x _div y divides ints.", "integer expected float"],
  ["value", "a name without a value.", "nosuch+1", "Define it first; k_inspect lists the names there are, k_validate finds all such names at once. Within a function a name without a value reads as nil.", "undefined variable unknown name not defined"],
  ["valence", "a function was called with more arguments than it takes.", "{x}[1;2]", "{[a;b]…} names its parameters; without a list they are x, y, z as far as they are used. Fewer arguments make a projection, no error.", "too many arguments parameters count"],
  ["nonce", "known to K, and not there in this interpreter.", "\"a.dll\" 2:`f", "k_help nonce and the error's hint say what; there is often another way.", "not implemented nyi unsupported"],
  ["parse", "the text is no K.", "{[1]x}", "k_validate shows every such place with a caret, and the usual traps.", "syntax error unexpected"],
  ["open", "a bracket or string is not closed.", "(1;2", "The caret stands where it was opened.", "unclosed missing bracket quote end of input"],
  ["unmatched", "a closing bracket without its opener.", "1)", "The caret stands at the bracket; k_validate shows both ends.", "bracket parenthesis mismatch"],
  ["character", "a character that no K text has.", "1§2", "Quotes are \" alone, and symbols begin with a backquote.", "illegal invalid character"],
  ["reserved", "a name that belongs to the system.", "_foo 1", "Names that begin with _ are the system's; for the verb _ write a blank after it: _ x.", "underscore system name"],
  ["limit", "the steps of the evaluation are used up.", "", "Use less work; the limit is steps of the call, else that of the host (K3_STEPS).", "steps"],
  ["stack", "calls within calls without end.", "f:{f x}\nf 1", "A recursion needs a case that ends it; over and scan loop without a stack.", "recursion overflow deep"],
  ["wsfull", "the memory is used up.", "", "Use less at once, or free variables that are no longer needed (a:0); the limit is memory_mb of the call or tool, else K3_CHILD_MEMORY. Variables are kept.", "out of memory heap"],
  ["break", "the evaluation was interrupted, by its deadline or by the client.", "", "A larger timeout_ms, or less work. Variables are kept.", "interrupt timeout deadline cancel"],
  ["access", "a file outside of K3_ROOTS, or a shell command while K3_SHELL is deny.", "", "Use files below K3_ROOTS only, and K in place of the shell (k_help commands).", "permission denied file shell"],
]

/** No test can raise the errors of memory, time and the host's policy: their `raisedBy` is empty. */
export const errors: readonly HelpEntry[] = rows.map(([name, meaning, raisedBy, remedy, words = ""]) => ({
  kind: "error",
  form: name,
  keys: [name, `${name} error`],
  title: `${name} error: ${meaning}`,
  group: "",
  body: [...(raisedBy === "" ? [] : [`Raised by, for instance:\n  ${raisedBy.replaceAll("\n", "\n  ")}`]), remedy],
  words,
  related: [],
}))

/** The errors that K code can raise, with that code. */
export const raised: readonly (readonly [name: string, code: string])[] = rows.filter((row) => row[2] !== "").map((row) => [row[0], row[2]])

/** One line with the remedy for errors of that name. */
export const remedyOf = (name: string): string | undefined => rows.find((row) => row[0] === name)?.[3]
