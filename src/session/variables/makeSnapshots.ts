/**
 * Operations on the named snapshots of a session.
 *
 * Guarantees: an operation that reads or changes the present variables takes the session's queue, with the deadline of an evaluation. While the
 * session is busy, a comparison uses the last capture and gives its age. A restore that is interrupted or ends the child leaves the
 * session with the variables it had before. Does not: hold the snapshots (`SnapshotSet.ts`), or decide when they are written to the store
 * (`snapshotWrites.ts`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { since } from "../../elapsed.ts"
import { compare, inexactIn } from "../../child/Contents.ts"
import { Settings } from "../../Settings.ts"
import { type Snapshot, Store } from "../../store/Store.ts"
import { EvaluationRecorder } from "../history/EvaluationRecorder.ts"
import { Maintenance } from "../Maintenance.ts"
import { SessionIdentity } from "../SessionIdentity.ts"
import { NoSnapshot, NothingToUndo, OtherEngine } from "../SessionError.ts"
import { type Live, liveOf } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { SnapshotSet } from "./SnapshotSet.ts"
import { makeSnapshotWrites } from "./snapshotWrites.ts"
import { makeSetVariables } from "./setVariables.ts"
import type { SnapshotInfo, Present, Snapshots } from "./Snapshots.ts"
import { type Direction, goalOf, next } from "./undo.ts"
import { isCurrent } from "./Workspace.ts"

const infoOf = ({ name, at, generation, engine, build, variables }: Snapshot, now: number): SnapshotInfo => ({
  name,
  ageMs: since(at, now),
  generation,
  engine,
  build,
  variables: variables.size,
  lost: inexactIn(variables.values()),
})

const presentOf = ({ generation, engine, prepared }: Live): Present => ({
  generation,
  engine: engine.kind,
  build: prepared.build?.hash ?? null,
})

export const makeSnapshots = Effect.gen(function* () {
  const { captureTotal, cwd } = yield* Settings
  const { name: session } = yield* SessionIdentity
  const { state } = yield* Supervisor
  const maintenance = yield* Maintenance
  const recorder = yield* EvaluationRecorder
  const setVariables = yield* makeSetVariables
  const store = yield* Store
  const stored = store.snapshots(session)
  const set = new SnapshotSet(session, captureTotal)

  /** Reads the stored snapshots, on first use. Uninterruptible, since all later callers share this one reading. */
  const ready = yield* Effect.cached(
    Effect.uninterruptible(Effect.suspend(() => Effect.map(stored.load(state().workspace.held), (earlier) => set.adopt(earlier, cwd)))),
  )

  const get = (name: string) =>
    Effect.andThen(ready, set.get(name)).pipe(
      Effect.catchTag("NoSnapshot", (error) =>
        Effect.flatMap(store.trouble, (trouble) =>
          Effect.fail(new NoSnapshot({ ...error, trouble: trouble.filter((each) => each.includes("snapshots")) })),
        ),
      ),
    )
  const { persist, change, unwritten } = yield* makeSnapshotWrites(set, stored)

  const keep = Effect.fnUntraced(function* (name: string, live: Live) {
    const at = yield* Clock.currentTimeMillis
    const { held } = state().workspace
    const snapshot: Snapshot = { name, at, cwd, ...presentOf(live), ...held }
    const replaced = yield* set.keep(snapshot, held)
    return { snapshot: infoOf(snapshot, at), ...(replaced !== undefined && { replaced: infoOf(replaced, at) }) }
  })

  const comparedTo = Effect.fnUntraced(function* (snapshot: Snapshot, present: Present, isPresent: boolean) {
    const now = yield* Clock.currentTimeMillis
    const { workspace } = state()
    return {
      snapshot: infoOf(snapshot, now),
      present,
      ageMs: isPresent && isCurrent(workspace) ? 0 : since(workspace.capturedAt, now),
      ...compare(snapshot.variables, workspace.held.variables, snapshot.engine === present.engine),
    }
  })

  const restore = Effect.fnUntraced(function* (name: string, live: Live) {
    const snapshot = yield* get(name)
    if (snapshot.engine !== live.engine.kind) return yield* new OtherEngine({ session, name, was: snapshot.engine, is: live.engine.kind })
    const info = infoOf(snapshot, yield* Clock.currentTimeMillis)
    return {
      snapshot: info,
      ...(yield* setVariables(snapshot, live, { doing: `the restore of snapshot ${name}`, done: `snapshot ${name} was restored` })),
    }
  })

  const undo = Effect.fnUntraced(function* (direction: Direction, live: Live) {
    const { held, undo: steps } = state().workspace
    const step = next(steps, direction)
    if (step === undefined) return yield* new NothingToUndo({ session, direction, tooLarge: direction === "undo" && steps.tooLarge })
    const words = { doing: `the ${direction}`, done: direction === "undo" ? "a change was undone" : "an undo was taken back" }
    const changed = yield* setVariables(goalOf(held, step, direction), live, words, direction)
    const { past, future } = state().workspace.undo
    return { ...changed, evaluations: step.evaluations, left: (direction === "undo" ? past : future).length }
  })

  const snapshots: Snapshots = {
    // Enters the queue before it reads the stored snapshots, so that a later reset does not overtake it.
    save: (name) =>
      change(
        maintenance.run("save", (live) => Effect.andThen(ready, keep(name, live))),
        name,
      ).pipe(Effect.map((saved) => ({ ...saved, ...unwritten(name) }))),
    list: Effect.andThen(
      ready,
      Effect.map(Clock.currentTimeMillis, (now) => set.all.map((each) => infoOf(each, now))),
    ),
    diff: Effect.fnUntraced(function* (name) {
      const snapshot = yield* get(name)
      const idle = yield* maintenance.ifIdle
      const live = Option.getOrElse(idle, () => liveOf(state()))
      const present = live === undefined ? { ...snapshot, generation: state().generation } : presentOf(live)
      return yield* comparedTo(snapshot, present, Option.isSome(idle))
    }),
    rebase: (name) =>
      change(
        maintenance.run("rebase", (live) =>
          Effect.gen(function* () {
            const snapshot = yield* get(name)
            const compared = yield* comparedTo(snapshot, presentOf(live), true)
            yield* keep(name, live)
            return compared
          }),
        ),
        name,
      ).pipe(Effect.map((compared) => ({ ...compared, ...unwritten(name) }))),
    restore: (name) =>
      Effect.tap(
        maintenance.run("restore", (live) => restore(name, live)),
        ({ generation }) => recorder.event("restore", generation),
      ),
    undo: (direction) =>
      Effect.tap(
        maintenance.run(direction, (live) => undo(direction, live)),
        ({ generation }) => recorder.event(direction, generation),
      ),
    rename: (from, to) => Effect.map(Effect.andThen(ready, change(set.rename(from, to), to, from)), () => unwritten(to)),
    remove: (name) => Effect.andThen(ready, change(set.remove(name), name)),
  }
  return { snapshots, get, persist, any: () => set.all.length > 0 }
})
