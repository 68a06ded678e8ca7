/**
 * The named snapshots of one session: its variables at a moment, to compare with and to restore.
 *
 * Guarantees: a snapshot shares its variables with the state it was taken from, so it costs as much as the changes since. Their number and bytes are
 * limited, and the error at a limit names each with the bytes that deleting it frees. Does not: read or change
 * the session; `makeSnapshots.ts` does.
 */
import * as Effect from "effect/Effect"
import { limits } from "../../limits.ts"
import { SnapshotsFull, NameTaken, NoSnapshot } from "../SessionError.ts"
import type { Snapshot } from "../../store/Store.ts"
import { keptIn, type Contents, settingsIn, type Variable } from "../../child/Contents.ts"

export class SnapshotSet {
  private readonly byName: Map<string, Snapshot> = new Map()

  constructor(
    private readonly session: string,
    /** Bytes of values that all snapshots and the present state may hold together. */
    private readonly mostBytes: number,
  ) {}

  /** Sorted by name. */
  get all(): readonly Snapshot[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  has(name: string): boolean {
    return this.byName.has(name)
  }

  get(name: string): Effect.Effect<Snapshot, NoSnapshot> {
    return Effect.suspend(() => {
      const snapshot = this.byName.get(name)
      return snapshot === undefined ? this.missing(name) : Effect.succeed(snapshot)
    })
  }

  /** Adds a snapshot, and gives the earlier one of its name. `present`: the present variables of the session, which count towards the limit. */
  keep(snapshot: Snapshot, present: Contents): Effect.Effect<Snapshot | undefined, SnapshotsFull> {
    return Effect.suspend((): Effect.Effect<Snapshot | undefined, SnapshotsFull> => {
      const before = this.byName.get(snapshot.name)
      const others = this.all.filter((each) => each !== before)
      if (others.length >= limits.snapshots) return this.full("count", limits.snapshots, others, present)
      if (keptIn(new Set([...others, snapshot, present].flatMap(values))) > this.mostBytes)
        return this.full("bytes", this.mostBytes, others, present)
      this.byName.set(snapshot.name, snapshot)
      return Effect.succeed(before)
    })
  }

  /** Adds the snapshots that an earlier server stored, unless their names are in use. */
  adopt(earlier: readonly Snapshot[], cwd: string): void {
    for (const snapshot of earlier)
      if (!this.byName.has(snapshot.name))
        this.byName.set(snapshot.name, { ...snapshot, generation: 0, cwd, settings: settingsIn(cwd, snapshot.cwd, snapshot.settings) })
  }

  rename(from: string, to: string): Effect.Effect<void, NoSnapshot | NameTaken> {
    return Effect.suspend((): Effect.Effect<void, NoSnapshot | NameTaken> => {
      const snapshot = this.byName.get(from)
      if (snapshot === undefined) return this.missing(from)
      if (this.byName.has(to)) return new NameTaken({ what: "snapshot", name: to, taken: [...this.byName.keys()].sort() })
      this.byName.delete(from)
      this.byName.set(to, { ...snapshot, name: to })
      return Effect.void
    })
  }

  remove(name: string): Effect.Effect<void, NoSnapshot> {
    return Effect.suspend((): Effect.Effect<void, NoSnapshot> => (this.byName.delete(name) ? Effect.void : this.missing(name)))
  }

  private missing(name: string): NoSnapshot {
    return new NoSnapshot({ session: this.session, name, snapshots: [...this.byName.keys()].sort() })
  }

  private full(reason: "count" | "bytes", limit: number, others: readonly Snapshot[], present: Contents): SnapshotsFull {
    const uses = new Map<Variable, number>()
    for (const variable of [...others, present].flatMap(values)) uses.set(variable, (uses.get(variable) ?? 0) + 1)
    const snapshots = others.map((each) => ({
      name: each.name,
      frees: keptIn(values(each).filter((variable) => uses.get(variable) === 1)),
    }))
    return new SnapshotsFull({ session: this.session, reason, limit, snapshots })
  }
}

const values = ({ variables }: Contents): readonly Variable[] => [...variables.values()]
