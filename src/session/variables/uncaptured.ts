/**
 * Names that statements defined since the last capture. When the child ends before the next capture, a notice lists them as lost. Pure.
 *
 * Guarantees: a name is listed once, by its absolute path. No statement is read once there are `mostNames` names. Does not: find names that
 * functions, scripts, or texts run as code define.
 */
import { codeAlone } from "../../k3/text/scan.ts"
import type { Statement } from "../../k3/text/statements.ts"
import type { Lost } from "../../child/Contents.ts"

export interface Uncaptured {
  readonly paths: ReadonlySet<string>
  /** The current directory, when a statement changed it. */
  readonly directory?: string | undefined
}

export const none: Uncaptured = { paths: new Set() }

const mostNames = 1000

/** An assignment: a name, an optional index, an optional verb, and one or two colons. */
const assigned = /(?<![\w.`])(\.?[A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(?:\[[^\][]*\])?[-+*%&|<>=^!~,#_$?@.]?::?/g

/** The code without its functions. One that is not closed reaches to the end. */
const outsideFunctions = (code: string): string => {
  let outside = ""
  let from = 0
  let depth = 0
  for (const { 0: brace, index } of code.matchAll(/[{}]/g)) {
    if (brace === "{" && depth++ === 0) outside += code.slice(from, index)
    else if (brace === "}" && depth > 0 && --depth === 0) from = index + 1
  }
  return depth === 0 ? outside + code.slice(from) : outside
}

const entered = (directory: string, to: string): string => {
  if (to === "^") return directory.slice(0, Math.max(0, directory.lastIndexOf(".")))
  return to.startsWith(".") ? to.replace(/\.$/, "") : `${directory}.${to}`
}

/** Adds the names of a statement; undefined when it defines none. `directory`: the current directory, unless `before` has another one. */
export const defining = (
  before: Uncaptured,
  { wire, command }: Pick<Statement, "wire" | "command">,
  directory: string,
): Uncaptured | undefined => {
  const current = before.directory ?? directory
  if (command) {
    const to = /^\\d\s*(\S+)\s*$/.exec(wire)?.[1]
    return to === undefined ? undefined : { ...before, directory: entered(current, to) }
  }
  if (!wire.includes(":") || before.paths.size >= mostNames) return undefined
  const names = Array.from(outsideFunctions(codeAlone(wire)).matchAll(assigned), ([, name]) => name!)
  if (names.length === 0) return undefined
  return { ...before, paths: new Set([...before.paths, ...names.map((name) => (name.startsWith(".") ? name : `${current}.${name}`))]) }
}

export const lostOf = ({ paths }: Uncaptured, held: ReadonlyMap<string, unknown>): readonly Lost[] =>
  [...paths].filter((path) => !held.has(path)).map((path) => ({ path, why: "no capture was made since it was defined" }))
