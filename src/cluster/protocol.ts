/**
 * The requests to the machine that has a session, from a front end or another runner: one entity for each session of each space, named
 * `SPACE/SESSION`.
 *
 * Every request names its caller, and the space of the session with the limits of its principal; a request that could change something also
 * names the epoch that its sender knows. When the machine is gone without an answer, Effect Cluster runs the request again on the next one, which
 * has another epoch and answers `MachineLost`. Requests that change nothing carry no epoch, since to run them twice does no harm. Effect's own
 * envelope carries the trace of the sender.
 */
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { PrincipalSpace } from "../mcp/http/Principal.ts"
import { RequestFailure } from "./errors.ts"
import { rows } from "./requests/index.ts"

/** Null between machines: no limit. */
const limit = Schema.NullOr(Schema.Finite).pipe(
  Schema.decodeTo(
    // @effect-diagnostics-next-line schemaNumber:off
    Schema.Number,
    SchemaTransformation.transform({
      decode: (most) => most ?? Number.POSITIVE_INFINITY,
      encode: (most) => (Number.isFinite(most) ? most : null),
    }),
  ),
)
const PrincipalSpaceOf: Schema.Codec<PrincipalSpace, unknown> = Schema.Struct({
  space: Schema.String,
  limits: Schema.Struct({ sessions: Schema.Finite, memory: Schema.NullOr(Schema.Finite), evaluations: limit, calls: limit }),
})

const Told = Schema.Struct({ number: Schema.Finite, epoch: Schema.Finite })

const envelope = {
  /** The principal of the session, not the machine that has it. */
  owner: PrincipalSpaceOf,
  caller: Schema.Struct({ name: Schema.String, reader: Schema.String }),
  /** The greatest history number that the sender was told, and the epoch under which it was told. */
  told: Schema.optionalKey(Told),
}
const epoch = { epoch: Schema.Finite }

/** The fields of every request. The other fields are those in `given` of its row. */
export interface Envelope {
  readonly owner: PrincipalSpace
  readonly caller: { readonly name: string; readonly reader: string }
  readonly told?: typeof Told.Type
  /** Present in a request that could change something. */
  readonly epoch?: number
}

const rpcs = rows.map(([tag, { given, answer, changes }]) =>
  Rpc.make(tag, {
    payload: Schema.Struct({ ...envelope, ...(changes !== undefined && epoch), ...given }) as unknown as Schema.Codec<Envelope>,
    success: answer,
    error: RequestFailure,
  }),
)

export const SessionEntity = Entity.make("k3-session", rpcs)

export const addressOf = (space: string, session: string): string => `${space}/${session}`
/** The two parts of an address; neither part holds a slash. */
export const partsOf = (address: string): readonly [space: string, session: string] => {
  const at = address.indexOf("/")
  return [address.slice(0, at), address.slice(at + 1)]
}
