/**
 * What K3CSharp would hand to an operating-system shell: a line whose first word is none of its own commands, and a text that `.`
 * evaluates and that begins so.
 *
 * Guarantees: of a statement as it is sent, whatever stands before the backslash, since the engine overlooks blanks, control characters
 * and marks there, as .NET compares texts. Does not: see a text that a program puts together or holds in a variable before `.` gets
 * it, nor what `2:` loads. Read in its Program.cs and seen by strace, on its head of 2026-04-18.
 */
import { codeAlone, parts } from "../../k3/text/scan.ts"

/** The engine takes all up to the first blank for the command's name: `\v;ls` and `\?x` are none of these. */
const own = new Set("\\ \\? \\d \\d^ \\v \\l \\t \\cd \\9 \\p \\r \\0 \\+ \\' \\. \\_".split(" "))

/** The command that `line` is for the engine; undefined when it is K. */
const commandIn = (line: string): string | undefined => {
  const text = line.replace(/^[^!-~]+/, "").trimEnd()
  return text.startsWith("\\") ? text : undefined
}

const goesToShell = (line: string): boolean => {
  const command = commandIn(line)
  return command !== undefined && !own.has(command.split(" ", 1)[0]!)
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
])
const unescaped = (inner: string): string =>
  inner.replaceAll(/\\([0-7]{1,3}|[^])/g, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes.get(code) ?? code),
  )

/** `.` that is no part of a number or a name. */
const execute = /(?<![\w.])\.(?![\w.])/

/** What of the statement would go to a shell; undefined when nothing that can be seen does. */
export const shellCommandIn = (wire: string): string | undefined => {
  if (commandIn(wire) !== undefined && !commandIn(wire)!.startsWith("\\t ")) return goesToShell(wire) ? wire.trim() : undefined
  if (!execute.test(codeAlone(wire))) return undefined
  const strings = [...parts(wire)].filter(({ kind }) => kind === "string")
  return strings.map(({ start, end }) => unescaped(wire.slice(start + 1, end - 1))).find(goesToShell)
}
