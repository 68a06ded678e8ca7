/**
 * Finds code that K3CSharp would pass to an operating-system shell: a line that begins with a backslash command unknown to K3CSharp, or a string
 * with such a line that `.` evaluates.
 *
 * Guarantees: a command is found whatever characters precede the backslash, since .NET's comparison of texts ignores blanks, control characters
 * and marks there. Does not: find strings that code composes, or keeps in a variable, before `.` evaluates them, nor libraries that `2:` loads.
 * Read in its Program.cs and seen with strace, on its head of 2026-04-18.
 */
import { codeAlone, parts } from "../../k3/text/scan.ts"
import { unescaped } from "./k3csharpLetters.ts"

/** K3CSharp's own commands. A name extends to the first blank, so `\v;ls` and `\?x` are none of these. */
const own = new Set("\\ \\? \\d \\d^ \\v \\l \\t \\cd \\9 \\p \\r \\0 \\+ \\' \\. \\_".split(" "))

/** The line from its backslash on; undefined when it is no command. */
const commandIn = (line: string): string | undefined => {
  const text = line.replace(/^[^!-~]+/, "").trimEnd()
  return text.startsWith("\\") ? text : undefined
}

const goesToShell = (line: string): boolean => {
  const command = commandIn(line)
  return command !== undefined && !own.has(command.split(" ", 1)[0]!)
}

/** A `.` that is no part of a number or a name. */
const execute = /(?<![\w.])\.(?![\w.])/

/** The part of a statement that would go to a shell; undefined when none is found. */
export const shellCommandIn = (wire: string): string | undefined => {
  if (commandIn(wire) !== undefined && !commandIn(wire)!.startsWith("\\t ")) return goesToShell(wire) ? wire.trim() : undefined
  if (!execute.test(codeAlone(wire))) return undefined
  const strings = [...parts(wire)].filter(({ kind }) => kind === "string")
  return strings.map(({ start, end }) => unescaped(wire.slice(start + 1, end - 1))).find(goesToShell)
}
