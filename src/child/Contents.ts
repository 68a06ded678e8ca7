/**
 * The captured variables of a session: every variable of every directory, by path, with its exact value where there is one. Pure data.
 *
 * Guarantees: no function changes its arguments. `update` applies a whole capture and gives the differences by value. The kept images stay
 * within a limit, and a variable without an image has a reason. Does not: talk to a child; the engines' trackers do.
 */
import * as Iterable from "effect/Iterable"
import { sumAll } from "effect/Number"

export interface Variable {
  /** Absolute, such as `.k.a.x`. */
  readonly path: string
  /** K's type code. */
  readonly type: number
  /** Lengths along the axes, such as `2 3`; empty for an atom. */
  readonly shape: string
  /** Bytes of the image; 0 when unknown. */
  readonly bytes: number
  /** The printed form, cut short. */
  readonly text: string
  /** The exact value in the engine's own encoding; absent when it cannot be restored. */
  readonly image?: string | undefined
  /** The attributes in the same encoding. */
  readonly attributes?: string | undefined
  /** Why the variable cannot be restored, or a warning for the restored one. */
  readonly why?: string | undefined
}

/** The settings of a workspace beside its variables. */
export interface WorkspaceSettings {
  readonly precision: number
  readonly seed: number
  readonly directory: string
  readonly folder: string
}

/** The settings of a new interpreter; the folder is that of the server. */
export const initial = { precision: 7, seed: -314159, directory: ".k" } as const

/** Variables and settings at one moment. */
export interface Contents {
  readonly variables: ReadonlyMap<string, Variable>
  readonly settings: WorkspaceSettings | undefined
}

/** The result of a tracker's read: with `anew` all variables, otherwise the changes since the last read. */
export interface Update {
  readonly anew: boolean
  readonly changed: ReadonlyMap<string, Variable>
  readonly removed: ReadonlySet<string>
  readonly settings: WorkspaceSettings
}

/** A variable that differs by value. `before` is undefined for a new name, `after` for a removed one. */
export interface Difference {
  readonly path: string
  readonly before: Variable | undefined
  readonly after: Variable | undefined
}

/** The comparison of two states, sorted by path. */
export interface Differences {
  readonly differences: readonly Difference[]
  /** Variables that look alike, but one has no exact value, or the engines differ. */
  readonly unsure: readonly Difference[]
}

/** A variable that was not restored, or perhaps not exactly. */
export interface Lost {
  readonly path: string
  readonly why: string
}

/**
 * The settings for a server in `folder` that a server in the working folder `cwd` stored. A session that was in the working folder of its server begins
 * in that of the next one.
 */
export const settingsIn = (folder: string, cwd: string | undefined, settings: Contents["settings"]): Contents["settings"] =>
  settings !== undefined && settings.folder === cwd ? { ...settings, folder } : settings

export const empty: Contents = { variables: new Map(), settings: undefined }

/** Bytes of a variable's `image` and `attributes`. */
export const kept = ({ image, attributes }: Variable): number => (image?.length ?? 0) + (attributes?.length ?? 0)

/** The same, of several variables. */
export const keptIn = (variables: Iterable<Variable>): number => sumAll(Iterable.map(variables, kept))

/** Whether two captures have the same value. False without an image. */
const same = (a: Variable, b: Variable): boolean =>
  a.image !== undefined && a.image === b.image && a.attributes === b.attributes && a.type === b.type

/** Whether two captures without images print the same. False when their texts are cut or empty. */
const printsAlike = (a: Variable, b: Variable): boolean =>
  !isExact(a) && !isExact(b) && looksAlike(a, b) && a.bytes === b.bytes && a.text !== "" && !a.text.endsWith("…")

/** Applies an update. Gives the new contents, and the variables that differ by value. `most`: limit of the kept bytes. */
export const update = (
  before: Contents,
  { anew, changed, removed, settings }: Update,
  most: number,
): { readonly held: Contents; readonly differences: readonly Difference[] } => {
  if (!anew && changed.size === 0 && removed.size === 0) return { held: { ...before, settings }, differences: [] }
  const differences: Difference[] = []
  const variables = new Map(before.variables)
  for (const path of anew ? before.variables.keys() : removed)
    if (variables.delete(path) && !changed.has(path)) differences.push({ path, before: before.variables.get(path), after: undefined })
  let bytes = keptIn(variables.values())
  for (const [path, found] of changed) {
    const old = before.variables.get(path)
    bytes -= variables.has(path) ? kept(old!) : 0
    const after =
      kept(found) <= most - bytes
        ? found
        : { ...found, image: undefined, why: `the ${most} bytes that are held of a session (K3_CAPTURE_TOTAL) are used up` }
    // A tracker that does not read anew reports a variable without an image only when it changed.
    const unchanged = old !== undefined && (same(old, after) || (anew && printsAlike(old, after)))
    // The earlier object is kept, so that snapshots share it.
    variables.set(path, unchanged && old.text === after.text ? old : after)
    bytes += kept(after)
    if (!unchanged) differences.push({ path, before: old, after })
  }
  return { held: { variables, settings }, differences }
}

/** Whether the variable can be restored. */
export const isExact = ({ image, attributes }: Variable): boolean => (image ?? attributes) !== undefined

/** The variables that cannot be restored, with the reason. */
export const inexactIn = (variables: Iterable<Variable>): readonly Lost[] =>
  [...variables].flatMap((each) => (isExact(each) ? [] : [{ path: each.path, why: each.why ?? "" }]))

export const looksAlike = (a: Variable, b: Variable): boolean => a.type === b.type && a.shape === b.shape && a.text === b.text

/** Compares two states. Without `exact`, only type, shape and printed text are compared, since engines encode values differently. */
export const compare = (then: ReadonlyMap<string, Variable>, now: ReadonlyMap<string, Variable>, exact: boolean): Differences => {
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

/** Whether there is anything to restore: variables, or settings that differ from those of a new child. */
export const holds = ({ variables, settings }: Contents): boolean =>
  variables.size > 0 ||
  (settings !== undefined &&
    (settings.precision !== initial.precision || settings.seed !== initial.seed || settings.directory !== initial.directory))
