/** Entries of the `\` commands. A test compares the list with the interpreter's commands. */
import type { HelpEntry } from "./HelpEntry.ts"

type Row = readonly [form: string, key: string, title: string, words: string, doc: string]

// prettier-ignore
const rows: readonly Row[] = [
  ["\\l file", "\\l", "load a script", "import include run source file", "Runs a script, printing as the console would; the extension .k may be left out. Files are looked up in the working folder, then in the folders of K3_ROOTS."],
  ["\\v [dir]", "\\v", "names", "variables list workspace", "The names in a directory of the K tree, ^ being the one above. k_inspect shows more."],
  ["\\d [dir]", "\\d", "directory", "namespace context change current tree", "Shows the current directory of the K tree; \\d .a.b goes there, \\d ^ up."],
  ["\\p [n]", "\\p", "precision", "digits decimals float print", "Digits of a printed float: 7 at the start, 0 or 17 for all there are."],
  ["\\t expr", "\\t", "time", "timing duration how long benchmark profile performance speed function milliseconds", "Evaluates and prints the milliseconds it took. There is no timer."],
  ["\\r [n]", "\\r", "random seed", "seed random", "Shows or sets the seed of _draw."],
  ["\\w", "\\w", "workspace", "memory bytes used space", "Bytes in use. K3CSharp hands it to a shell."],
  ["\\e [n]", "\\e", "error mode", "debug", "Shows 0: an error ends its statement and shows its calls; there is no debugger to enter."],
  ["\\s", "\\s", "step", "debug step", "Not there: nothing steps through a script. MCP_DEBUG=1 shows each statement and call."],
  ["\\b", "\\b", "break mode", "debug breakpoint", "Shows n: nothing stops within a function; an interrupt ends the statement and shows its calls."],
  ["\\cd [folder]", "\\cd", "working folder", "current directory change path pwd", "Shows or changes the working folder, inside K3_ROOTS."],
  ["\\9", "\\9", "clear", "reset erase all variables workspace new", "Forgets every variable. k_reset does so and checks."],
  ["\\\\", "\\\\", "leave", "quit exit end", "Ends the interpreter; through k_eval it is refused, since k_reset is what is meant."],
  ["\\help [word]", "\\help", "help", "documentation manual", "In the console: what k_help tells."],
  ["\\word …", "\\word", "shell command", "shell system os exec run program", "Every other word is a command of the operating system, refused unless K3_SHELL is allow."],
]

export const commands: readonly HelpEntry[] = rows.map(([form, key, title, words, doc]) => ({
  kind: "command",
  form,
  keys: [key, form],
  title,
  group: "command",
  body: [doc],
  words,
  related: [],
}))
