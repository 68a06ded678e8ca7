/**
 * What a session holds, as the server keeps it: every variable of every directory, exact, by path; pure data.
 *
 * Guarantees: `update` applies what was captured all at once and tells what differed by value; the images kept stay within a bound, and
 * a variable without one says why. Does not: talk to a child; the engines' trackers do.
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

/** The same, where it is kept up to date. */
export interface Holdings extends Contents {
  readonly variables: Map<string, Variable>
  workspace: Workspace | undefined
  /** Bytes of what is kept in `image` and `attributes`. */
  bytes: number
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
  return { variables: new Map(variables), workspace, bytes }
}

/** Variables are shared: they never change. */
export const copyOf = ({ variables, workspace }: Contents): Contents => ({ variables: new Map(variables), workspace })

export const empty = (): Holdings => ({ variables: new Map(), workspace: undefined, bytes: 0 })

/** Bytes of what is kept of one. */
export const kept = ({ image, attributes }: Variable): number => (image?.length ?? 0) + (attributes?.length ?? 0)

/** Without an image nobody can tell, and a new capture of it says that it changed. */
const same = (a: Variable, b: Variable): boolean =>
  a.image !== undefined && a.image === b.image && a.attributes === b.attributes && a.type === b.type

/** Takes a variable out; gives it. */
export const drop = (held: Holdings, path: string): Variable | undefined => {
  const variable = held.variables.get(path)
  if (variable === undefined) return undefined
  held.variables.delete(path)
  held.bytes -= kept(variable)
  return variable
}

/** Applies what was found; gives the names that differ by value. `most`: bytes that may be kept. */
export const update = (held: Holdings, { anew, changed, removed, workspace }: Update, most: number): readonly Difference[] => {
  const differences: Difference[] = []
  const { variables } = held
  for (const path of anew ? variables.keys() : removed) {
    const before = changed.has(path) ? undefined : drop(held, path)
    if (before !== undefined) differences.push({ path, before, after: undefined })
  }
  for (const [path, found] of changed) {
    const before = variables.get(path)
    const room = most - held.bytes + (before === undefined ? 0 : kept(before))
    const after =
      kept(found) <= room ? found : { ...found, image: undefined, why: `the ${most} bytes that are kept of a session are used up` }
    const unchanged = before !== undefined && same(before, after)
    // Keeping the one there is lets baselines share it.
    variables.set(path, unchanged && before.text === after.text ? before : after)
    held.bytes += kept(after) - (before === undefined ? 0 : kept(before))
    if (!unchanged) differences.push({ path, before, after })
  }
  held.workspace = workspace
  return differences
}

/** Can it be given back? */
export const isExact = ({ image, attributes }: Variable): boolean => (image ?? attributes) !== undefined
const looksAlike = (a: Variable, b: Variable): boolean => a.type === b.type && a.shape === b.shape && a.text === b.text

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
export const holds = ({ variables, workspace }: Holdings): boolean => variables.size > 0 || settings(workspace)
