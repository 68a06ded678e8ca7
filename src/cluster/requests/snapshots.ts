/** Requests for the snapshots of a session. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type {
  ComparedSnapshot,
  Present,
  RestoredSnapshot,
  Saved,
  SnapshotInfo,
  Undone,
  Unwritten,
} from "../../session/variables/Snapshots.ts"
import { change, inSession, read } from "./request.ts"
import { DifferenceOf, Engine, flag, list, losses, maybe, nullOr, number, oneOf, struct, text } from "./shapes.ts"

const SnapshotOf: Schema.Codec<SnapshotInfo> = struct({
  name: text,
  ageMs: number,
  generation: number,
  engine: Engine,
  build: nullOr(text),
  variables: number,
  lost: losses,
})
const isUnwritten = Schema.Literal(true)
const UnwrittenOf: Schema.Codec<Unwritten> = struct({ isUnwritten })
const PresentOf: Schema.Codec<Present> = struct({ generation: number, engine: Engine, build: nullOr(text) })
const ComparedOf: Schema.Codec<ComparedSnapshot> = struct({
  snapshot: SnapshotOf,
  present: PresentOf,
  ageMs: number,
  differences: list(DifferenceOf),
  unsure: list(DifferenceOf),
  isUnwritten: maybe(isUnwritten),
})
const SavedOf: Schema.Codec<Saved> = struct({
  snapshot: SnapshotOf,
  replaced: maybe(SnapshotOf),
  isSessionBehind: maybe(Schema.Literal(true)),
  isUnwritten: maybe(isUnwritten),
})
const restored = { generation: number, restored: list(text), removed: list(text), lost: losses, renewed: flag }
const RestoredOf: Schema.Codec<RestoredSnapshot> = struct({ snapshot: SnapshotOf, ...restored })
const UndoneOf: Schema.Codec<Undone> = struct({ ...restored, evaluations: number, left: number })

const named = { name: text }

export const snapshots = {
  SnapshotList: read(
    {},
    list(SnapshotOf),
    inSession((session) => session.snapshots.list),
  ),
  SnapshotDiff: read(
    named,
    ComparedOf,
    inSession((session, { name }) => session.snapshots.diff(name)),
  ),
  SnapshotSave: change(
    named,
    SavedOf,
    ({ name }) => `the snapshot ${name}`,
    inSession((session, { name }) =>
      Effect.gen(function* () {
        const saved = yield* session.snapshots.save(name)
        if (yield* session.persist) return saved
        // False also for variables that no store can hold: `saved` names them.
        const { onDisk } = yield* session.status
        return onDisk?.behind === 0 ? saved : { ...saved, isSessionBehind: true as const }
      }),
    ),
  ),
  SnapshotRebase: change(
    named,
    ComparedOf,
    ({ name }) => `the comparison with ${name}`,
    inSession((session, { name }) => session.snapshots.rebase(name)),
  ),
  SnapshotRestore: change(
    named,
    RestoredOf,
    ({ name }) => `the restore of ${name}`,
    inSession((session, { name }) => session.snapshots.restore(name)),
  ),
  SnapshotUndo: change(
    { direction: oneOf(["undo", "redo"]) },
    UndoneOf,
    ({ direction }) => direction,
    inSession((session, { direction }) => session.snapshots.undo(direction)),
  ),
  SnapshotRename: change(
    { from: text, to: text },
    Schema.UndefinedOr(UnwrittenOf),
    ({ from }) => `the renaming of ${from}`,
    inSession((session, { from, to }) => session.snapshots.rename(from, to)),
  ),
  SnapshotRemove: change(
    named,
    Schema.Void,
    ({ name }) => `the removal of ${name}`,
    inSession((session, { name }) => session.snapshots.remove(name)),
  ),
}
