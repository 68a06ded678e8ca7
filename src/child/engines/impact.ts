/**
 * The names and effects that a function reaches through other functions, and the functions that reach it. Each has the way there, such as
 * `imp → w → file write`. Pure.
 *
 * Guarantees: each name, user and effect is listed once, with a shortest way. The search ends for functions that use each other. Does not: list
 * more than `mostWays` of each, or follow names made at run time.
 */
import { factsOf, type FunctionFacts } from "./functionText.ts"

export interface Named {
  /** Absolute. */
  readonly path: string
  readonly text: string
}

/** Ways, each beginning with the outermost name. */
export interface Impact {
  readonly uses: readonly string[]
  readonly touches: readonly string[]
  readonly usedBy: readonly string[]
}

const mostWays = 200

/** The absolute path of a name in the function at `path`. */
export const pathOfName = (name: string, path: string): string =>
  name.startsWith(".") || !path.startsWith(".") ? name : `${path.slice(0, path.lastIndexOf("."))}.${name}`

interface Step {
  readonly path: string
  /** The names on the way to `path`. */
  readonly way: readonly string[]
}

/** Breadth-first search from a path, which visits each path once. `next` gives the steps from a path; `met` is called for each step. */
const walk = (from: string, next: (step: Step) => readonly Step[], met: (step: Step) => void): void => {
  const seen = new Set([from])
  const waiting: Step[] = [{ path: from, way: [] }]
  for (let at = 0; at < waiting.length && seen.size <= mostWays; at++)
    for (const step of next(waiting[at]!)) {
      if (seen.has(step.path)) continue
      seen.add(step.path)
      met(step)
      waiting.push(step)
    }
}

export const shown = (way: readonly string[]): string => way.join(" → ")

/** `functions`: all functions of the tree. The function at `path`, with the text `text`, need not be among them. */
export const impactOf = (path: string, text: string, functions: readonly Named[]): Impact => {
  const facts = new Map<string, FunctionFacts>(functions.map((each) => [each.path, factsOf(each.text)]))
  facts.set(path, factsOf(text))
  const used = (from: string): readonly (readonly [name: string, path: string])[] =>
    (facts.get(from)?.uses ?? []).map((name) => [name, pathOfName(name, from)])

  const users = new Map<string, Set<string>>()
  for (const from of facts.keys()) for (const [, to] of used(from)) users.set(to, (users.get(to) ?? new Set()).add(from))

  const uses: string[] = []
  const touches = new Map<string, string>(facts.get(path)!.touches.map((touch) => [touch, touch]))
  walk(
    path,
    ({ path: from, way }) => used(from).map(([name, to]) => ({ path: to, way: [...way, name] })),
    ({ path: to, way }) => {
      uses.push(shown(way))
      for (const touch of facts.get(to)?.touches ?? []) if (!touches.has(touch)) touches.set(touch, shown([...way, touch]))
    },
  )
  const usedBy: string[] = []
  walk(
    path,
    ({ path: of, way }) => Array.from(users.get(of) ?? [], (user) => ({ path: user, way: [user, ...way] })),
    ({ way }) => usedBy.push(shown(way)),
  )
  return { uses, touches: [...touches.values()], usedBy }
}
