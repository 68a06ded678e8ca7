/**
 * Puts chosen variables of one session among those of another. Pure; `makeSession.ts` applies the result.
 *
 * Guarantees: what would be overwritten is told before anything is done, including a directory where a value is to be and a value where a
 * directory is to be. Does not: copy names below one that was not chosen.
 */
import { compare, type Contents, type Difference, type Lost, type Variable } from "../../child/Contents.ts"
import type { Engine } from "../../child/engines/Engine.ts"
import { absolutePath } from "../../child/engines/view.ts"

type Variables = ReadonlyMap<string, Variable>

export interface Merged {
  readonly generation: number
  readonly engine: Engine["kind"]
  /** New ones, and those that were written over; all by path. */
  readonly added: readonly string[]
  readonly overwritten: readonly Difference[]
  /** They had that value already. */
  readonly same: readonly string[]
  readonly lost: readonly Lost[]
  /** Those that came, and the directory the session is in. */
  readonly taken: Contents
}

export interface Plan extends Omit<Merged, "generation" | "engine" | "lost" | "taken"> {
  /** All that is held afterwards. */
  readonly goal: Variables
}

const isBelow = (path: string, directory: string): boolean => path.startsWith(`${directory}.`)

/** The variables that names stand for, each itself or a directory with all below it; and the names that stand for none. */
export const choose = ({ variables, workspace }: Contents, names: readonly string[]) => {
  const chosen = new Map<string, Variable>()
  const unknown: string[] = []
  for (const name of names) {
    const path = absolutePath(workspace?.directory ?? ".k", name)
    const found = [...variables].filter(([each]) => each === path || isBelow(each, path))
    for (const [each, variable] of found) chosen.set(each, variable)
    if (found.length === 0) unknown.push(name)
  }
  return { chosen, unknown }
}

export const planOf = (held: Variables, chosen: Variables): Plan => {
  const inTheWay = [...held].filter(
    ([path]) => !chosen.has(path) && [...chosen.keys()].some((each) => isBelow(each, path) || isBelow(path, each)),
  )
  const there = new Map([...held].filter(([path]) => chosen.has(path)))
  const { differences, unsure } = compare(there, chosen, true)
  const changed = [...differences, ...unsure].filter(({ before }) => before !== undefined)
  const paths = new Set(changed.map(({ path }) => path))
  const goal = new Map(held)
  for (const [path] of inTheWay) goal.delete(path)
  for (const [path, variable] of chosen) if (!there.has(path) || paths.has(path)) goal.set(path, variable)
  return {
    goal,
    added: [...chosen.keys()].filter((path) => !there.has(path)).sort(),
    overwritten: [...changed, ...inTheWay.map(([path, before]) => ({ path, before, after: undefined }))],
    same: [...there.keys()].filter((path) => !paths.has(path)).sort(),
  }
}

/** The chosen ones that came; without settings, so that who runs them again stays as it is. */
export const takenOf = ({ goal, added, overwritten }: Plan, workspace: Contents["workspace"], lost: readonly Lost[]): Contents => {
  const gone = new Set(lost.map(({ path }) => path))
  const paths = [...added, ...overwritten.map(({ path }) => path)].filter((path) => !gone.has(path))
  return {
    variables: new Map(paths.flatMap((path) => (goal.has(path) ? [[path, goal.get(path)!] as const] : []))),
    workspace: workspace && { ...workspace, precision: 7, seed: -314159 },
  }
}
