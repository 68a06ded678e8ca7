/**
 * Does code nest deeply, in calls or in what is written? Asked before it runs: a thread with a stack for that costs a start more than most
 * scripts do.
 *
 * Guarantees: yes where a function calls itself by `_f`, by a text it executes, or by a name that is given a function no earlier than where it
 * is used, for statements longer than anybody writes, and for what is not known before it is read. Does not: see functions that are handed to themselves, which on a
 * thread of the usual kind end in a `stack` error sooner.
 */
import { readFileSync } from "node:fs"
import type { Source } from "./commandLine.ts"
import { codeAlone } from "../k3/text/scan.ts"
import { statements } from "../k3/text/statements.ts"

/** A function that holds no other: its parameter list, and its body. */
const FUNCTION = /\{\s*(?:\[([^\]]*)\])?([^{}]*)\}/g
const NAME = /[A-Za-z]\w*/g
const ASSIGNED = /(?<![\w.])[A-Za-z]\w*(?= *:)/g
const ASSIGNED_HERE = /(?<![\w.])[A-Za-z]\w*(?= *:(?!:))/g
const ASSIGNED_GLOBALLY = /[A-Za-z]\w*(?=::)/g
/** `_f`, and `.` that executes a text. */
const ONWARD = /_f\b|(?<![\w.])\.(?![\w.[])/

const found = (pattern: RegExp, text: string): string[] => text.match(pattern) ?? []

/** A name that a function uses and does not have itself, in place of the function. */
const MARK = "§"
const MARKED = /[A-Za-z]\w*(?=§)/g

/** Characters of a statement that the usual stack is enough for, whatever they are. */
const SHORT = 2000

export const recurs = (code: string): boolean => {
  const used = new Set<string>()
  for (const { wire, command } of statements(code)) {
    if (wire.length > SHORT) return true
    if (command && /^\\[ls]/.test(wire)) return true
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

/** May this code nest deeply, or is it not known before it is read? */
export const mayRecurse = (source: Source): boolean => {
  if (source.kind === "code") return recurs(source.code)
  if (source.path === "-") return true
  try {
    return recurs(readFileSync(source.path, "latin1"))
  } catch {
    return false
  }
}
