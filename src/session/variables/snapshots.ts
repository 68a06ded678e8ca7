/**
 * What can be done with the named snapshots of a session.
 *
 * Guarantees: what looks at the present or changes it takes the session's turn, within the deadline of an evaluation; a comparison made
 * while the session is busy is with the last capture, and says how old that is; a restore that is cut short or ends the child leaves
 * the session with what it held before. Does not: hold anything; see `Baselines.ts`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Asides } from "../asides.ts"
import type { Baselines } from "./Baselines.ts"
import type { ChildEnded } from "../../child/Child.ts"
import { since } from "../../elapsed.ts"
import type { Keeper } from "./Keeper.ts"
import type { Lifecycle } from "../Lifecycle.ts"
import { back, mark } from "./marks.ts"
import { OtherEngine, RestoreFailed, type SessionError } from "../SessionError.ts"
import { compare, type Comparison, copyOf, type Lost } from "../../child/Contents.ts"
import { type Live, liveOf } from "../state.ts"
import type { Snapshot, SnapshotStore } from "../../store/Store.ts"

export interface BaselineInfo {
  readonly name: string
  readonly ageMs: number
  readonly generation: number
  readonly engine: "k3csharp" | "embedded"
  readonly build: string | null
  readonly variables: number
  /** Those of them that have no exact value, and why. */
  readonly lost: readonly Lost[]
}

/** What a baseline is compared with. */
interface Present {
  readonly generation: number
  readonly engine: "k3csharp" | "embedded"
  readonly build: string | null
}

export interface Compared extends Comparison {
  readonly baseline: BaselineInfo
  readonly present: Present
  /** Milliseconds since the present was captured; 0 when it was just now. */
  readonly ageMs: number
}

export interface Restored {
  readonly baseline: BaselineInfo
  readonly generation: number
  /** Variables that differed and were put back. */
  readonly restored: readonly string[]
  /** Names that were made since. */
  readonly removed: readonly string[]
  /** Those that are not as they were. */
  readonly lost: readonly Lost[]
  /** By a new child, to which all was given: this engine cannot remove a name. */
  readonly renewed: boolean
}

export interface Snapshots {
  /** Takes the place of one of that name, and gives it. */
  readonly save: (name: string) => Effect.Effect<{ readonly baseline: BaselineInfo; readonly replaced?: BaselineInfo }, SessionError>
  /** By name; never waits. */
  readonly list: Effect.Effect<readonly BaselineInfo[]>
  readonly diff: (name: string) => Effect.Effect<Compared, SessionError>
  /** The difference; from then on the present is the baseline. */
  readonly rebase: (name: string) => Effect.Effect<Compared, SessionError>
  readonly restore: (name: string) => Effect.Effect<Restored, SessionError>
  readonly rename: (from: string, to: string) => Effect.Effect<void, SessionError>
  readonly remove: (name: string) => Effect.Effect<void, SessionError>
}

/** What a session lends to this. */
interface Lent extends Asides {
  readonly session: string
  readonly keeper: Keeper
  readonly life: Lifecycle
  /** Hears of a restore that came to its end. */
  readonly restored: () => void
  readonly stored: SnapshotStore
}

const infoOf = ({ name, at, generation, engine, build, variables }: Snapshot, now: number): BaselineInfo => ({
  name,
  ageMs: since(at, now),
  generation,
  engine,
  build,
  variables: variables.size,
  lost: [...variables.values()].flatMap(({ path, image, attributes, why }) =>
    image === undefined && attributes === undefined ? [{ path, why: why ?? "" }] : [],
  ),
})

const presentOf = ({ generation, engine, prepared }: Live): Present => ({
  generation,
  engine: engine.kind,
  build: prepared.build?.hash ?? null,
})

const make = (baselines: Baselines, { session, keeper, life, aside, ifIdle, restored, stored }: Lent): Snapshots => {
  const keep = Effect.fnUntraced(function* (name: string, live: Live) {
    const at = yield* Clock.currentTimeMillis
    const baseline: Snapshot = { name, at, ...presentOf(live), ...copyOf(keeper.contents) }
    const replaced = yield* baselines.keep(baseline, keeper.contents)
    return { baseline: infoOf(baseline, at), ...(replaced !== undefined && { replaced: infoOf(replaced, at) }) }
  })

  const comparedTo = Effect.fnUntraced(function* (baseline: Snapshot, present: Present, isPresent: boolean) {
    const now = yield* Clock.currentTimeMillis
    return {
      baseline: infoOf(baseline, now),
      present,
      ageMs: isPresent && keeper.isCurrent ? 0 : since(keeper.at, now),
      ...compare(baseline.variables, keeper.contents.variables, baseline.engine === present.engine),
    }
  })

  const ended = (name: string, live: Live) => (how: ChildEnded) =>
    Effect.andThen(life.ended(live, how), new RestoreFailed({ session, name, exitCode: how.exit.code, signal: how.exit.signal }))

  /** Cut short in the middle of it. */
  const abandon = Effect.fnUntraced(function* (live: Live) {
    const { state } = yield* life.stop(live, "a restore was cut short")
    keeper.evaluated()
    if (state === "kept") yield* back(keeper, live)
  })

  const restore = Effect.fnUntraced(function* (name: string, live: Live) {
    const baseline = yield* baselines.get(name)
    if (baseline.engine !== live.engine.kind) return yield* new OtherEngine({ session, name, was: baseline.engine, is: live.engine.kind })
    const put = yield* Effect.andThen(mark(keeper, live), keeper.putBack(live, baseline)).pipe(
      Effect.onInterrupt(() => abandon(live)),
      Effect.catchTag("ChildEnded", ended(name, live)),
    )
    const info = infoOf(baseline, yield* Clock.currentTimeMillis)
    if (put !== undefined) return { baseline: info, generation: live.generation, ...put, renewed: false }
    const { differences } = compare(baseline.variables, keeper.contents.variables, true)
    keeper.hold(baseline, yield* Clock.currentTimeMillis)
    yield* life.renew(live, `snapshot ${name} was restored`)
    const { generation } = yield* life.connect
    life.takeNews()
    const lost = keeper.takeGivenBack()?.lost ?? []
    const notBack = new Set(lost.map(({ path }) => path))
    return {
      baseline: info,
      generation,
      restored: differences.flatMap(({ path, before }) => (before === undefined || notBack.has(path) ? [] : [path])),
      removed: differences.flatMap(({ path, before }) => (before === undefined ? [path] : [])),
      lost,
      renewed: true,
    }
  })

  const write = (name: string) => Effect.ignore(Effect.flatMap(baselines.get(name), stored.save))

  return {
    save: (name) =>
      Effect.tap(
        aside("save", (live) => keep(name, live)),
        write(name),
      ),
    list: Effect.map(Clock.currentTimeMillis, (now) => baselines.all.map((each) => infoOf(each, now))),
    diff: Effect.fnUntraced(function* (name) {
      const baseline = yield* baselines.get(name)
      const idle = yield* ifIdle
      const live = Option.getOrElse(idle, () => liveOf(life.state()))
      const present = live === undefined ? { ...baseline, generation: life.generation() } : presentOf(live)
      return yield* comparedTo(baseline, present, Option.isSome(idle))
    }),
    rebase: (name) =>
      Effect.tap(
        aside("rebase", (live) =>
          Effect.gen(function* () {
            const baseline = yield* baselines.get(name)
            const compared = yield* comparedTo(baseline, presentOf(live), true)
            yield* keep(name, live)
            return compared
          }),
        ),
        write(name),
      ),
    restore: (name) =>
      Effect.tap(
        aside("restore", (live) => restore(name, live)),
        Effect.sync(restored),
      ),
    rename: (from, to) => Effect.andThen(baselines.rename(from, to), Effect.andThen(write(to), stored.remove(from))),
    remove: (name) => Effect.andThen(baselines.remove(name), stored.remove(name)),
  }
}

/** The same, once what an earlier server kept is there: it is read on first use. */
export const makeStored = Effect.fnUntraced(function* (baselines: Baselines, lent: Lent) {
  const load = Effect.suspend(() => lent.stored.load(lent.keeper.contents))
  // Who is cut short in it must not leave the others without.
  const ready = yield* Effect.cached(Effect.uninterruptible(Effect.map(load, (earlier) => baselines.adopt(earlier))))
  const of = make(baselines, lent)
  const after = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.andThen(ready, effect)
  const snapshots: Snapshots = {
    save: (name) => after(of.save(name)),
    list: after(of.list),
    diff: (name) => after(of.diff(name)),
    rebase: (name) => after(of.rebase(name)),
    restore: (name) => after(of.restore(name)),
    rename: (from, to) => after(of.rename(from, to)),
    remove: (name) => after(of.remove(name)),
  }
  return { snapshots, ready }
})
