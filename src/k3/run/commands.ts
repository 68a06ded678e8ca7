/**
 * The `\` commands of the console.
 *
 * Guarantees: each gives the value that `."\\…"` has and what the console prints for it; what is no command raises `nonce`.
 * Does not: run statements itself; loading and timing go through the `Commander` it is given.
 */
import { bytesIn } from "./fileBytes.ts"
import { KError } from "./KError.ts"
import { help } from "./help.ts"
import type { Kernel } from "./kernel.ts"
import type { Tree } from "../tree/tree.ts"
import { bytes, Chars, chars, collapse, NIL, sym, text, type Value } from "../values/value.ts"

/** What commands need of the interpreter. */
export interface Commander extends Kernel {
  readonly tree: Tree
  /** Runs a script, printing as the console does; throws at the first error. */
  load(script: string, name: string): void
  /** Forgets every variable. */
  clear(): void
}

interface Answer {
  readonly value: Value
  /** Printed by the console, with its line end; empty for nothing. */
  readonly prints: string
}

const silent: Answer = { value: NIL, prints: "" }
const line = (value: Value, prints: string): Answer => ({ value, prints: prints + "\n" })

const number = (argument: string, least: number, most: number): number => {
  const n = Number(argument)
  if (!Number.isInteger(n)) throw new KError("type", { what: "not-int", text: argument })
  if (n < least || n > most) throw new KError("domain", { what: "range", least, most })
  return n
}

type Command = (argument: string, c: Commander) => Answer

const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    l(argument, c) {
      if (argument === "") throw new KError("domain", "\\l needs a file")
      c.load(text(bytesIn(c.host.files.script(argument), c.host)), argument)
      return silent
    },
    v(argument, c) {
      const { path } = c.tree.current
      const names = c.variables.namesIn(argument === "" ? path : argument === "^" ? path.slice(0, path.lastIndexOf(".")) : argument)
      if (names === undefined) throw new KError("value", { what: "not-folder", path: argument })
      return { value: collapse(names.map(sym)), prints: names.length === 0 ? "" : names.join(" ") + "\n" }
    },
    d(argument, c) {
      if (argument === "") return line(sym(c.tree.current.path), c.tree.current.path)
      if (argument === "^") c.tree.leave()
      else c.tree.enter(argument)
      return silent
    },
    p(argument, c) {
      if (argument === "") return line(c.precision, String(c.precision))
      c.precision = number(argument, 0, 17)
      return silent
    },
    t(argument, c) {
      // The interval of a timer, which is off.
      if (argument === "") return line(0, "0")
      if (/^\d+$/.test(argument)) {
        if (Number(argument) === 0) return silent
        throw new KError("nonce", "\\t n: there is no timer, nothing runs between statements; do[n;..] repeats, \\t expr measures")
      }
      const start = c.host.now()
      c.execute(argument)
      const ms = Math.round(c.host.now() - start)
      return line(ms, String(ms))
    },
    e(argument) {
      if (argument === "") return line(0, "0")
      const mode = number(argument, 0, 2)
      if (mode === 1)
        throw new KError(
          "nonce",
          "\\e 1: there is no debugger to enter; an error ends its statement and shows its calls, @[f;x;:] traps it",
        )
      if (mode === 2) throw new KError("nonce", "\\e 2: a script ends at its first error as it is; elsewhere _exit leaves")
      return silent
    },
    r(argument, c) {
      if (argument === "") return line(c.seed, String(c.seed))
      c.seed = number(argument, -2147483648, 2147483647)
      return silent
    },
    w(_argument, c) {
      const used = c.host.memoryUsed()
      return line(used | 0, `${used} bytes in use`)
    },
    s() {
      throw new KError("nonce", "\\s: nothing steps through a script; \\l runs it, and MCP_DEBUG=1 shows each statement and call")
    },
    b(argument) {
      // What an interrupt does: stop, trace, or none of these.
      if (argument === "") return line(sym("n"), "n")
      if (argument === "n") return silent
      throw new KError("nonce", "\\b: nothing stops within a function; an interrupt ends the statement, and shows its calls")
    },
    cd(argument, c) {
      const path = c.host.files.cd(argument === "" ? undefined : argument)
      return argument === "" ? line(chars(path), path) : silent
    },
    "9"(_argument, c) {
      c.clear()
      return silent
    },
    "\\"(argument, c) {
      if (argument !== "") throw new KError("nonce", "\\\\ stands alone")
      return c.host.exit(0)
    },
  }),
)

/** The words that are commands; any other is the shell's. */
export const commandWords: readonly string[] = [...commands.keys()]

const HELP = new Set(["", "0", "1", "2", "3", "4", "5", "6", "7", "8", "help", "+", "'", "_", ".", ":", "-", "`"])

/** Runs a line whose first char that is no blank is `\`. */
export const command = (source: string, c: Commander): Answer => {
  const body = source.trim().slice(1)
  const [, word, rest] = /^(\\|[A-Za-z]+|\d|)\s*([^]*)$/.exec(body)!
  const argument = paths.has(word!) ? rest!.replace(/\s\/.*$/, "").trim() : withoutComment(rest!)
  if (word === "" && HELP.has(argument)) return { value: NIL, prints: help(argument) }
  if (word === "help" || (HELP.has(word!) && argument === "")) return { value: NIL, prints: help(word === "help" ? argument : word!) }
  const known = commands.get(word!)
  if (known !== undefined) return known(argument, c)
  const output = c.host.shell(body)
  return { value: new Chars(bytes(output)), prints: output === "" || output.endsWith("\n") ? output : output + "\n" }
}

/** What follows these is a path, which may begin with a slash. */
const paths: ReadonlySet<string> = new Set(["l", "cd"])

const withoutComment = (argument: string): string => argument.replace(/(^|\s)\/.*$/, "").trim()
