/**
 * What a session holds, as the server keeps it: every variable of every directory, exact, by path; pure data.
 *
 * Guarantees: nothing here changes a value it is given; `update` applies a capture all at once and tells what differed by value; the
 * images kept stay within a bound, and a variable without one says why. Does not: talk to a child; the engines' trackers do.
 */

export interface Variable {
  /** `.k.a.x`. */
  readonly path: string
  /** K's type code. */
  readonly type: number
  /** Lengths along the axes, `2 3`; empty for an atom. */
  readonly shape: string
  /** Bytes of the image, as far as they are known. */
  readonly bytes: number
  /** The printed form, cut short. */
  readonly text: string
  /** The exact value in the engine's own coding; absent when it cannot be given back. */
  readonly image?: string | undefined
  /** The attributes, coded in the same way. */
  readonly attributes?: string | undefined
  /** Why it cannot be given back, or what to look at when it is. */
  readonly why?: string | undefined
}

/** What belongs to the state beside the variables. */
export interface Workspace {
  readonly precision: number
  readonly seed: number
  readonly directory: string
  readonly folder: string
}

/** What is held, or was at some moment, for those who only read it. */
export interface Contents {
  readonly variables: ReadonlyMap<string, Variable>
  readonly workspace: Workspace | undefined
}

/** The same, with what it costs. */
export interface Holdings extends Contents {
  /** Bytes of what is kept in `image` and `attributes`. */
  readonly bytes: number
}

/** What a tracker found: with `anew`, all there is, else what changed. */
export interface Update {
  readonly anew: boolean
  readonly changed: ReadonlyMap<string, Variable>
  readonly removed: ReadonlySet<string>
  readonly workspace: Workspace
}

/** One name, by value: `before` is absent when it is new, `after` when it is gone. */
export interface Difference {
  readonly path: string
  readonly before: Variable | undefined
  readonly after: Variable | undefined
}

/** Two states, by path. */
export interface Comparison {
  readonly differences: readonly Difference[]
  /** They look alike, but no exact value of one is held, or the engines differ. */
  readonly unsure: readonly Difference[]
}

/** A variable that did not come back, or not for certain. */
export interface Lost {
  readonly path: string
  readonly why: string
}

export const holdingsOf = ({ variables, workspace }: Contents): Holdings => {
  let bytes = 0
  for (const variable of variables.values()) bytes += kept(variable)
  return { variables, workspace, bytes }
}

export const empty: Holdings = { variables: new Map(), workspace: undefined, bytes: 0 }

/** Bytes of what is kept of one. */
export const kept = ({ image, attributes }: Variable): number => (image?.length ?? 0) + (attributes?.length ?? 0)

/** Without an image nobody can tell, and a new capture of it says that it changed. */
const same = (a: Variable, b: Variable): boolean =>
  a.image !== undefined && a.image === b.image && a.attributes === b.attributes && a.type === b.type

/** The same without these names. */
export const without = (held: Holdings, paths: Iterable<string>): Holdings => {
  const variables = new Map(held.variables)
  let { bytes } = held
  for (const path of paths) {
    const variable = variables.get(path)
    if (variable === undefined) continue
    variables.delete(path)
    bytes -= kept(variable)
  }
  return { ...held, variables, bytes }
}

/** What is held once `found` is applied, and the names that differ by value. `most`: bytes that may be kept. */
export const update = (
  before: Holdings,
  { anew, changed, removed, workspace }: Update,
  most: number,
): { readonly held: Holdings; readonly differences: readonly Difference[] } => {
  if (!anew && changed.size === 0 && removed.size === 0) return { held: { ...before, workspace }, differences: [] }
  const differences: Difference[] = []
  const gone = [...(anew ? before.variables.keys() : removed)].filter((path) => !changed.has(path) && before.variables.has(path))
  for (const path of gone) differences.push({ path, before: before.variables.get(path), after: undefined })
  const rest = without(before, gone)
  const variables = new Map(rest.variables)
  let { bytes } = rest
  for (const [path, found] of changed) {
    const old = variables.get(path)
    const room = most - bytes + (old === undefined ? 0 : kept(old))
    const after =
      kept(found) <= room
        ? found
        : { ...found, image: undefined, why: `the ${most} bytes that are held of a session (K3_CAPTURE_TOTAL) are used up` }
    const unchanged = old !== undefined && same(old, after)
    // Keeping the one there is lets snapshots share it.
    variables.set(path, unchanged && old.text === after.text ? old : after)
    bytes += kept(after) - (old === undefined ? 0 : kept(old))
    if (!unchanged) differences.push({ path, before: old, after })
  }
  return { held: { variables, workspace, bytes }, differences }
}

/** Can it be given back? */
export const isExact = ({ image, attributes }: Variable): boolean => (image ?? attributes) !== undefined
export const looksAlike = (a: Variable, b: Variable): boolean => a.type === b.type && a.shape === b.shape && a.text === b.text

/** What is otherwise in `now`. Values of two engines are coded differently: without `exact` only their looks are compared. */
export const compare = (then: ReadonlyMap<string, Variable>, now: ReadonlyMap<string, Variable>, exact: boolean): Comparison => {
  const differences: Difference[] = []
  const unsure: Difference[] = []
  for (const path of new Set([...then.keys(), ...now.keys()])) {
    const before = then.get(path)
    const after = now.get(path)
    if (before === after) continue
    const difference = { path, before, after }
    if (before === undefined || after === undefined) differences.push(difference)
    else if (exact && isExact(before) && isExact(after)) {
      if (before.image !== after.image || before.attributes !== after.attributes) differences.push(difference)
    } else if (looksAlike(before, after)) unsure.push(difference)
    else differences.push(difference)
  }
  const byPath = (a: Difference, b: Difference): number => (a.path < b.path ? -1 : 1)
  return { differences: differences.sort(byPath), unsure: unsure.sort(byPath) }
}

const settings = (workspace: Workspace | undefined): boolean =>
  workspace !== undefined && (workspace.precision !== 7 || workspace.seed !== -314159 || workspace.directory !== ".k")

/** Is there anything to give back? */
export const holds = ({ variables, workspace }: Contents): boolean => variables.size > 0 || settings(workspace)
