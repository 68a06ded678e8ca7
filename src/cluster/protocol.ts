/**
 * What crosses between a front end and the machine that has a session: one entity for each session of each space, named `SPACE/SESSION`.
 *
 * Every request says who asks and within which limits, and one that changes anything names the epoch that its sender knows. Effect Cluster
 * runs a request again on a new owner when the old one is gone without a word; the new owner has another epoch, and answers such a request
 * with `MachineLost` instead. Requests that only look carry no epoch: to be asked twice does not hurt them. The trace of the sender is in
 * Effect's own envelope.
 */
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import { Failure } from "./errors.ts"
import { rows } from "./requests/index.ts"

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

const Told = Schema.Struct({ number: Schema.Finite, epoch: Schema.Finite })

const envelope = {
  owner: Owner,
  /** Who asks. */
  caller: Schema.Struct({ name: Schema.String, reader: Schema.String }),
  /** The greatest number in the session's history that the sender was told, and under which epoch. */
  told: Schema.optionalKey(Told),
}
const epoch = { epoch: Schema.Finite }

/** What every request says; beside it is what it gives, as its row has it. */
export interface Envelope {
  readonly owner: Owner
  readonly caller: { readonly name: string; readonly reader: string }
  readonly told?: typeof Told.Type
  /** Of a request that changes anything. */
  readonly epoch?: number
}

const rpcs = rows.map(([tag, { given, answer, changes }]) =>
  Rpc.make(tag, {
    payload: Schema.Struct({ ...envelope, ...(changes !== undefined && epoch), ...given }) as unknown as Schema.Codec<Envelope>,
    success: answer,
    error: Failure,
  }),
)

export const Session = Entity.make("k3-session", rpcs)

export const addressOf = (space: string, session: string): string => `${space}/${session}`
/** The two parts; neither holds a slash. */
export const partsOf = (address: string): readonly [space: string, session: string] => {
  const at = address.indexOf("/")
  return [address.slice(0, at), address.slice(at + 1)]
}
