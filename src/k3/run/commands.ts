/**
 * The `\` commands of the console.
 *
 * Guarantees: a command gives its value, which is also the value of `."\\…"`, and the text that the console prints. A word that is no command goes to
 * the shell. Does not: run statements; the `Commander` loads scripts and evaluates the expression of `\t`.
 */
import { bytesIn } from "./fileBytes.ts"
import { KError } from "./KError.ts"
import { help } from "./help.ts"
import type { Kernel } from "./kernel.ts"
import type { Tree } from "../tree/tree.ts"
import { bytes, Chars, chars, collapse, NIL, sym, text, textOf, type Sym, type Value } from "../values/value.ts"

/** The interpreter, as commands use it. */
export interface Commander extends Kernel {
  readonly tree: Tree
  /** Runs a script, printing as the console does; throws at the first error. */
  load(script: string, name: string): void
  /** Forgets every variable. */
  clear(): void
}

interface Answer {
  readonly value: Value
  /** With its newline; the empty string when the console prints nothing. */
  readonly prints: string
}

const silent: Answer = { value: NIL, prints: "" }
const line = (value: Value, prints: string): Answer => ({ value, prints: `${prints}\n` })

/** The argument as an int from `least` to `most`. */
const int = (argument: string, least: number, most: number): number => {
  const n = Number(argument)
  if (!Number.isInteger(n)) throw new KError("type", { what: "not-int", text: argument })
  if (n < least || n > most) throw new KError("domain", { what: "range", least, most })
  return n
}

type Command = (argument: string, c: Commander) => Answer

/** A command that shows a setting, or changes it when it has an argument. */
const setting =
  (shown: (c: Commander) => number | Sym | Chars, change: (argument: string, c: Commander) => void): Command =>
  (argument, c) => {
    if (argument !== "") {
      change(argument, c)
      return silent
    }
    const value = shown(c)
    return line(value, typeof value === "number" ? String(value) : (textOf(value) ?? (value as Sym).text))
  }

const refused = (why: string): KError => new KError("nonce", why)

const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    l(argument, c) {
      if (argument === "") throw new KError("domain", "\\l needs a file")
      c.load(text(bytesIn(c.host.files.script(argument), c.host)), argument)
      return silent
    },
    v(argument, c) {
      const { path: current } = c.tree.current
      const path = argument === "" ? current : argument === "^" ? current.slice(0, current.lastIndexOf(".")) : argument
      const names = c.variables.namesIn(path)
      if (names === undefined) throw new KError("value", { what: "no-directory", path })
      return { value: collapse(names.map(sym)), prints: names.length === 0 ? "" : names.join(" ") + "\n" }
    },
    d: setting(
      (c) => sym(c.tree.current.path),
      (argument, c) => (argument === "^" ? c.tree.leave() : c.tree.enter(argument)),
    ),
    p: setting(
      (c) => c.precision,
      (argument, c) => void (c.precision = int(argument, 0, 17)),
    ),
    t(argument, c) {
      // Alone it shows the interval of the timer, which does not exist.
      if (argument === "") return line(0, "0")
      if (/^0+$/.test(argument)) return silent
      if (/^\d+$/.test(argument))
        throw refused("\\t n: there is no timer, nothing runs between statements; do[n;..] repeats, \\t expr measures")
      const start = c.host.now()
      c.execute(argument)
      const ms = Math.round(c.host.now() - start)
      return line(ms, String(ms))
    },
    // The debugger's mode: there is none.
    e: setting(
      () => 0,
      (argument) => {
        const mode = int(argument, 0, 2)
        if (mode === 1)
          throw refused("\\e 1: there is no debugger to enter; an error ends its statement and shows its calls, @[f;x;:] traps it")
        if (mode === 2) throw refused("\\e 2: a script ends at its first error as it is; elsewhere _exit leaves")
      },
    ),
    r: setting(
      (c) => c.seed,
      (argument, c) => void (c.seed = int(argument, -2147483648, 2147483647)),
    ),
    w(_argument, c) {
      const used = Math.round(c.host.memoryUsed())
      return line(used | 0, `${used} bytes in use`)
    },
    s() {
      throw refused("\\s: nothing steps through a script; \\l runs it, and MCP_DEBUG=1 shows each statement and call")
    },
    // The effect of an interrupt: stop, trace, or neither.
    b: setting(
      () => sym("n"),
      (argument) => {
        if (argument !== "n") throw refused("\\b: nothing stops within a function; an interrupt ends the statement, and shows its calls")
      },
    ),
    cd: setting(
      (c) => chars(c.host.files.cd()),
      (argument, c) => void c.host.files.cd(argument),
    ),
    "9"(_argument, c) {
      c.clear()
      return silent
    },
    "\\"(argument, c) {
      if (argument !== "") throw refused("\\\\ stands alone")
      return c.host.exit(0)
    },
  }),
)

/** The words that are commands. */
export const commandWords: readonly string[] = [...commands.keys()]

/** Topics of `\` and `\help`. */
const HELP = new Set(["", "0", "1", "2", "3", "4", "5", "6", "7", "8", "help", "+", "'", "_", ".", ":", "-", "`"])

/** Runs a line that begins with `\`, perhaps after blanks. */
export const command = (source: string, c: Commander): Answer => {
  const body = source.trim().slice(1)
  const [, word, rest] = /^(\\|[A-Za-z]+|\d|)\s*([^]*)$/.exec(body)!
  const argument = withoutComment(rest!, paths.has(word!) ? /\s\// : /(?:^|\s)\//)
  const topic = word === "" || word === "help" ? argument : argument === "" ? word! : undefined
  if (topic !== undefined && (word === "help" || HELP.has(topic))) return { value: NIL, prints: help(topic) }
  const known = commands.get(word!)
  if (known !== undefined) return known(argument, c)
  const output = c.host.shell(body)
  return { value: new Chars(bytes(output)), prints: output === "" || output.endsWith("\n") ? output : output + "\n" }
}

/** Commands whose argument is a path, which may begin with a slash. */
const paths: ReadonlySet<string> = new Set(["l", "cd"])

/** The argument before the comment of its last line; only a text that is executed has several lines. */
const withoutComment = (argument: string, comment: RegExp): string => {
  const line = argument.lastIndexOf("\n") + 1
  const at = argument.slice(line).search(comment)
  return (at < 0 ? argument : argument.slice(0, line + at)).trim()
}
