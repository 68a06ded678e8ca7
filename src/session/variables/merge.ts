/**
 * Puts chosen variables of one session among those of another. Pure; `makeSession.ts` applies the result.
 *
 * Guarantees: the plan lists every variable that the merge would replace, before anything is changed. This includes a directory in the place of
 * a new value, and a value in the place of a new directory. A variable without an exact value replaces nothing, and is listed as lost. The time grows
 * with the number of variables and names. Does not: copy names outside the chosen names and directories.
 */
import type { EngineKind } from "../../engineKinds.ts"
import { compare, type Contents, type Difference, inexactIn, initial, isExact, type Lost, type Variable } from "../../child/Contents.ts"
import { absolutePath } from "../../child/engines/Listing.ts"

type Variables = ReadonlyMap<string, Variable>

export interface Merged {
  readonly generation: number
  readonly engine: EngineKind
  /** Paths of the new variables, sorted. */
  readonly added: readonly string[]
  readonly overwritten: readonly Difference[]
  /** Paths of variables that had the same value already. */
  readonly same: readonly string[]
  readonly lost: readonly Lost[]
}

/** A merge with the contents that its history entry is made of. */
export interface MergedIn extends Merged {
  /** The copied variables, and the session's current directory. */
  readonly taken: Contents
}

export interface MergePlan extends Omit<Merged, "generation" | "engine"> {
  /** All variables of the session after the merge. */
  readonly goal: Variables
}

/** The directories that a path is below. */
const above = (path: string): readonly string[] => Array.from(path.matchAll(/\./g), ({ index }) => path.slice(0, index))

/** The variables of the given names, where a name may be a directory with all variables below it; and the names without variables. */
export const choose = ({ variables, settings }: Contents, names: readonly string[]) => {
  const asked = names.map((name) => absolutePath(settings?.directory ?? initial.directory, name))
  const found = new Map(asked.map((path): [string, [string, Variable][]] => [path, []]))
  for (const entry of variables) for (const path of [entry[0], ...above(entry[0])]) found.get(path)?.push(entry)
  return {
    chosen: new Map([...found.values()].flat()),
    unknown: names.filter((_, i) => found.get(asked[i]!)!.length === 0),
  }
}

export const planOf = (held: Variables, wanted: Variables): MergePlan => {
  const chosen: Variables = new Map([...wanted].filter(([, variable]) => isExact(variable)))
  const directories = new Set([...chosen.keys()].flatMap(above))
  const inTheWay = [...held].filter(
    ([path]) => !chosen.has(path) && (directories.has(path) || above(path).some((each) => chosen.has(each))),
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
    lost: inexactIn(wanted.values()),
  }
}

/** The copied variables without the lost ones. Precision and seed have their defaults, so that a script of them does not change those settings. */
export const takenOf = ({ goal, added, overwritten }: MergePlan, settings: Contents["settings"], lost: readonly Lost[]): Contents => {
  const gone = new Set(lost.map(({ path }) => path))
  const paths = [...added, ...overwritten.map(({ path }) => path)].filter((path) => !gone.has(path))
  return {
    variables: new Map(paths.flatMap((path) => (goal.has(path) ? [[path, goal.get(path)!] as const] : []))),
    settings: settings && { ...settings, precision: initial.precision, seed: initial.seed },
  }
}
