/**
 * A pure model of a session's variables, changed by each action of an agent. Where a kill leaves it open how much of the
 * past was captured, the model gives every possible state, and the next reading decides.
 */

/** Values by path and attributes by path, as they print, and the precision. */
export interface Held {
  readonly values: ReadonlyMap<string, string>
  readonly notes: ReadonlyMap<string, string>
  readonly precision: number
}

export interface Life {
  readonly held: Held
  /** States since the last certain capture, the latest first, without `held`. */
  readonly past: readonly Held[]
  readonly snapshots: ReadonlyMap<string, Held>
}

export const nothing: Held = { values: new Map(), notes: new Map(), precision: 7 }
export const born: Life = { held: nothing, past: [], snapshots: new Map() }

export const equals = (a: Held, b: Held): boolean => a.precision === b.precision && sameMap(a.values, b.values) && sameMap(a.notes, b.notes)

const sameMap = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)

/** A value for a path; a plain value above it becomes a directory. */
export const withValue = (held: Held, path: string, value: string): Held => {
  const [values, notes] = [new Map(held.values), new Map(held.notes)]
  for (const each of values.keys())
    if (path.startsWith(`${each}.`)) {
      values.delete(each)
      notes.delete(each)
    }
  values.set(path, value)
  return { ...held, values, notes }
}

export const withNote = (held: Held, path: string, note: string): Held => ({ ...held, notes: new Map(held.notes).set(path, note) })

/** The model after a change to a certain state. */
export const sure = (life: Life, held: Held = life.held): Life => ({ ...life, held, past: [] })
/** The model after a change that may have been captured or not. */
export const goneOn = (life: Life, held: Held): Life => ({ ...life, held, past: [life.held, ...life.past] })

export const saved = (life: Life, name: string): Life => ({
  ...sure(life),
  snapshots: new Map(life.snapshots).set(name, life.held),
})

/** Names that differ, by path. */
export const differing = (then: Held, now: Held): readonly string[] => {
  const paths = new Set([...then.values.keys(), ...now.values.keys()])
  return [...paths].filter((path) => then.values.get(path) !== now.values.get(path) || then.notes.get(path) !== now.notes.get(path)).sort()
}
