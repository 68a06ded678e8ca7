/**
 * The named snapshots of one session: what it held at a moment, to be compared with and gone back to.
 *
 * Guarantees: a baseline shares its variables with the state it was taken from, so that it costs what has changed since; their number
 * and the bytes they keep stay within limits, and the error at a limit names each with what deleting it frees. Does not: read or change
 * the session; `snapshots.ts` does.
 */
import * as Effect from "effect/Effect"
import { limits } from "../../limits.ts"
import { BaselinesFull, NameTaken, NoBaseline } from "../SessionError.ts"
import type { Snapshot } from "../../store/Store.ts"
import { type Contents, kept, type Variable } from "../../child/Contents.ts"

export class Baselines {
  private readonly byName: Map<string, Snapshot> = new Map()

  constructor(
    private readonly session: string,
    /** Bytes of values that all of them and the present state may keep together. */
    private readonly mostBytes: number,
  ) {}

  /** By name. */
  get all(): readonly Snapshot[] {
    return [...this.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  get(name: string): Effect.Effect<Snapshot, NoBaseline> {
    return Effect.suspend(() => {
      const baseline = this.byName.get(name)
      return baseline === undefined ? this.missing(name) : Effect.succeed(baseline)
    })
  }

  /** Kept in the place of one of that name; gives that one. `present` is what the session holds now. */
  keep(baseline: Snapshot, present: Contents): Effect.Effect<Snapshot | undefined, BaselinesFull> {
    return Effect.suspend((): Effect.Effect<Snapshot | undefined, BaselinesFull> => {
      const before = this.byName.get(baseline.name)
      const others = this.all.filter((each) => each !== before)
      if (others.length >= limits.snapshots) return this.full("count", limits.snapshots, others, present)
      if (bytesOf(new Set([...others, baseline, present].flatMap(values))) > this.mostBytes)
        return this.full("bytes", this.mostBytes, others, present)
      this.byName.set(baseline.name, baseline)
      return Effect.succeed(before)
    })
  }

  /** Those that were kept by an earlier server. */
  adopt(earlier: readonly Snapshot[]): void {
    for (const baseline of earlier) if (!this.byName.has(baseline.name)) this.byName.set(baseline.name, { ...baseline, generation: 0 })
  }

  rename(from: string, to: string): Effect.Effect<void, NoBaseline | NameTaken> {
    return Effect.suspend((): Effect.Effect<void, NoBaseline | NameTaken> => {
      const baseline = this.byName.get(from)
      if (baseline === undefined) return this.missing(from)
      if (this.byName.has(to)) return new NameTaken({ what: "snapshot", name: to, taken: [...this.byName.keys()].sort() })
      this.byName.delete(from)
      this.byName.set(to, { ...baseline, name: to })
      return Effect.void
    })
  }

  remove(name: string): Effect.Effect<void, NoBaseline> {
    return Effect.suspend((): Effect.Effect<void, NoBaseline> => (this.byName.delete(name) ? Effect.void : this.missing(name)))
  }

  private missing(name: string): NoBaseline {
    return new NoBaseline({ session: this.session, name, baselines: [...this.byName.keys()].sort() })
  }

  private full(reason: "count" | "bytes", limit: number, others: readonly Snapshot[], present: Contents): BaselinesFull {
    const uses = new Map<Variable, number>()
    for (const variable of [...others, present].flatMap(values)) uses.set(variable, (uses.get(variable) ?? 0) + 1)
    const baselines = others.map((each) => ({
      name: each.name,
      frees: bytesOf(values(each).filter((variable) => uses.get(variable) === 1)),
    }))
    return new BaselinesFull({ session: this.session, reason, limit, baselines })
  }
}

const values = ({ variables }: Contents): readonly Variable[] => [...variables.values()]

const bytesOf = (variables: Iterable<Variable>): number => {
  let bytes = 0
  for (const variable of variables) bytes += kept(variable)
  return bytes
}
