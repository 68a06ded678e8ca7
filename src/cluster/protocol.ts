/**
 * What a front end asks of the machine that has a session: one entity for each session of each space, named `SPACE/SESSION`.
 *
 * Every request says who asks and within which limits, and one that changes anything names the epoch that its sender knows. Effect Cluster
 * runs a request again on a new owner when the old one is gone without a word; the new owner has another epoch, and answers such a request
 * with `MachineLost` instead. Requests that only look carry no epoch: to be asked twice does not hurt them. The trace of the sender is in
 * Effect's own envelope.
 */
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import { EvaluationStopped } from "../session/SessionError.ts"
import { SessionError } from "./errors.ts"
import * as Value from "./values.ts"

/** Whose session it is. */
export const Owner = Schema.Struct({
  space: Schema.String,
  limits: Schema.Struct({
    sessions: Schema.Finite,
    memory: Schema.NullOr(Schema.Finite),
    /** Null: as many as there are. */
    evaluations: Schema.NullOr(Schema.Finite),
    calls: Schema.NullOr(Schema.Finite),
  }),
})
export type Owner = typeof Owner.Type

const looking = {
  owner: Owner,
  /** Who asks. */
  caller: Schema.Struct({ name: Schema.String, reader: Schema.String }),
}
const changing = { ...looking, epoch: Schema.Finite }

const look = <const Tag extends string, Given extends Schema.Struct.Fields, Success extends Schema.Codec<any, any>>(
  tag: Tag,
  given: Given,
  success: Success,
) => Rpc.make(tag, { payload: { ...looking, ...given }, success, error: SessionError })
const change = <const Tag extends string, Given extends Schema.Struct.Fields, Success extends Schema.Codec<any, any>>(
  tag: Tag,
  given: Given,
  success: Success,
) => Rpc.make(tag, { payload: { ...changing, ...given }, success, error: SessionError })

const named = { name: Schema.String }
const Stopped = Schema.UndefinedOr(EvaluationStopped)

export const Session = Entity.make("k3-session", [
  /** Who has it, and under which epoch; with `use`, the session is made when there is none. */
  look(
    "Open",
    { use: Schema.Boolean },
    Schema.Struct({ epoch: Schema.Finite, machine: Schema.String, isOpen: Schema.Boolean, isEphemeral: Schema.Boolean }),
  ),
  look("Status", {}, Schema.Struct({ status: Value.StatusOf, isOpen: Schema.Boolean })),
  look("Inspect", { path: Schema.String, view: Schema.optionalKey(Value.ViewOf) }, Value.InspectionOf),
  look("Find", { text: Schema.String, skip: Schema.Finite }, Value.FoundNames),
  look("Rows", { wanted: Value.RowsWantedOf }, Schema.Option(Schema.UndefinedOr(Value.RowsOf))),
  look("Names", {}, Value.HeldNamesOf),
  look("Script", { most: Schema.Finite }, Value.ScriptOf),
  look("SnapshotList", {}, Schema.Array(Value.SnapshotOf)),
  look("SnapshotDiff", named, Value.ComparedOf),
  look("HistoryEnds", {}, Schema.Struct({ first: Schema.Finite, last: Schema.Finite })),
  look(
    "HistoryPage",
    {
      before: Schema.optionalKey(Schema.Finite),
      from: Schema.optionalKey(Schema.Finite),
      limit: Schema.Finite,
      text: Schema.optional(Schema.String),
    },
    Value.HistoryPage,
  ),
  look("OutputPage", { handle: Schema.String, request: Value.OutputRequestOf }, Value.OutputPageOf),
  look("OutputFind", { handle: Schema.String, request: Value.FindOf }, Value.FoundOf),
  look("BackgroundFind", { handle: Schema.String }, Value.BackgroundOf),
  look("BackgroundList", {}, Schema.Array(Value.BackgroundOf)),
  look("BackgroundWait", { handle: Schema.String, bytes: Schema.Finite, ms: Schema.Finite }, Schema.Void),
  change("Evaluate", { request: Value.EvaluateRequestOf }, Value.EvaluationOf),
  change("BackgroundBegin", { request: Value.EvaluateRequestOf }, Value.BackgroundOf),
  change("BackgroundStop", { handle: Schema.String }, Stopped),
  change("Interrupt", {}, Stopped),
  change("Reset", {}, Schema.Struct({ how: Schema.Literals(["cleared", "relaunched"]), generation: Schema.Finite })),
  change("Persist", {}, Schema.Boolean),
  change(
    "Create",
    { engine: Schema.optional(Schema.Literals(["k3csharp", "embedded"])), isEphemeral: Schema.optional(Schema.Boolean) },
    Value.MadeOf,
  ),
  change("Close", {}, Value.StatusOf),
  change("SnapshotSave", named, Schema.Struct({ snapshot: Value.SnapshotOf, replaced: Schema.optionalKey(Value.SnapshotOf) })),
  change("SnapshotRebase", named, Value.ComparedOf),
  change("SnapshotRestore", named, Value.RestoredOf),
  change("SnapshotUndo", { direction: Schema.Literals(["undo", "redo"]) }, Value.UndoneOf),
  change("SnapshotRename", { from: Schema.String, to: Schema.String }, Schema.Void),
  change("SnapshotRemove", named, Schema.Void),
])

export const addressOf = (space: string, session: string): string => `${space}/${session}`
/** The two parts; neither holds a slash. */
export const partsOf = (address: string): readonly [space: string, session: string] => {
  const at = address.indexOf("/")
  return [address.slice(0, at), address.slice(at + 1)]
}
