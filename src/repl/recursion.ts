/**
 * Decides before code runs whether it may nest deeply, in calls or in its text. Such code needs a thread with a deep stack, which takes longer to
 * start than most scripts run.
 *
 * Guarantees: true if a function may call itself by `_f`, by a text that it executes, or by a name that is assigned where or after a function
 * uses it; for a statement longer than `SHORT`; and for code that is not known yet. Does not: recognise functions that get themselves as an
 * argument; on a usual thread they end in a `stack` error sooner.
 */
import { statSync } from "node:fs"
import type { CodeSource } from "./commandLine.ts"
import { readText } from "./readText.ts"
import { codeAlone } from "../k3/text/scan.ts"
import { statements } from "../k3/text/statements.ts"
import { withFallback } from "./withFallback.ts"

/** A function that contains no other function: its parameter list and its body. */
const FUNCTION = /\{\s*(?:\[([^\]]*)\])?([^{}]*)\}/g
const NAME = /[A-Za-z]\w*/g
const ASSIGNED = /(?<![\w.])[A-Za-z]\w*(?= *:)/g
const ASSIGNED_HERE = /(?<![\w.])[A-Za-z]\w*(?= *:(?!:))/g
const ASSIGNED_GLOBALLY = /[A-Za-z]\w*(?=::)/g
/** `_f`, or `.` that executes a text. */
const ONWARD = /_f\b|(?<![\w.])\.(?![\w.[])/

const found = (pattern: RegExp, text: string): string[] => text.match(pattern) ?? []

/** Follows each global name that a function uses; these names replace the function's text. */
const MARK = "§"
const MARKED = /[A-Za-z]\w*(?=§)/g

/** A statement of at most so many characters fits the usual stack, whatever its text. */
const SHORT = 2000

export const recurs = (code: string): boolean => {
  const used = new Set<string>()
  for (const { wire, command } of statements(code)) {
    if (wire.length > SHORT || (command && /^\\[ls]/.test(wire))) return true
    if (command || !wire.includes("{")) continue
    let outside = codeAlone(wire)
    const global: string[] = []
    let onward = false
    for (let before = ""; before !== outside;) {
      before = outside
      outside = outside.replace(FUNCTION, (_, parameters: string | undefined, body: string) => {
        onward ||= ONWARD.test(body)
        global.push(...found(ASSIGNED_GLOBALLY, body))
        const own = new Set([...found(NAME, parameters ?? "x;y;z"), ...found(ASSIGNED_HERE, body)])
        return found(NAME, body)
          .filter((name) => !own.has(name))
          .map((name) => `${name}${MARK} `)
          .join("")
      })
    }
    if (onward) return true
    for (const part of outside.split(";")) {
      for (const name of found(MARKED, part)) used.add(name)
      if (found(ASSIGNED, part).some((name) => used.has(name))) return true
    }
    if (global.some((name) => used.has(name))) return true
  }
  return false
}

/** May this source nest deeply? True for standard input, a pipe and a device: their text is not known yet, and can be read only once. */
export const mayRecurse = (source: CodeSource): boolean => {
  if (source.kind === "code") return recurs(source.code)
  if (source.path === "-") return true
  return withFallback(() => !statSync(source.path).isFile() || recurs(readText(source.path, "latin1")), false)
}
