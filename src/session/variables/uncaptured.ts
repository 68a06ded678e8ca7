/**
 * Names that statements define and that no capture has yet. They are told as lost when the child ends before the next capture. Pure.
 *
 * Guarantees: a name is listed once, by its absolute path, and at most `mostNames` are. Does not: see what functions, scripts or text that
 * is run as code define.
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

/** A name, an index, and a verb before one colon or two. */
const assigned = /(?<![\w.`])(\.?[A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(?:\[[^\]]*\])?[-+*%&|<>=^!~,#_$?@.]?::?/g

const outsideFunctions = (code: string): string => {
  const inner = code.replaceAll(/\{[^{}]*\}/g, "")
  return inner.length === code.length ? code : outsideFunctions(inner)
}

const entered = (directory: string, to: string): string => {
  if (to === "^") return directory.slice(0, Math.max(0, directory.lastIndexOf(".")))
  return to.startsWith(".") ? to.replace(/\.$/, "") : `${directory}.${to}`
}

/** Undefined when the statement defines nothing; `directory` is the current one where no statement changed it. */
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
