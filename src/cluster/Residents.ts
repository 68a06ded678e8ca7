/**
 * The spaces whose sessions this machine has, and under which epochs. A space is opened by the first request for one of its sessions, from
 * the same parts as on a server alone. Does not: close a space before the machine leaves; its sessions end idle by themselves.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Residence, Sessions } from "../session/Sessions.ts"
import type { Elsewhere } from "../session/Elsewhere.ts"
import type { Owner } from "./protocol.ts"

export class Residents extends Context.Service<
  Residents,
  {
    /** `elsewhere`: the other sessions of the space. */
    readonly open: (owner: Owner, elsewhere: Elsewhere) => Effect.Effect<Context.Context<Sessions | Residence>>
    /** Those that are open, by their name. */
    readonly opened: (space: string) => Context.Context<Sessions | Residence> | undefined
    /** The epochs under which this machine writes the sessions of a space; the space's store asks them. */
    readonly epochs: (space: string) => Map<string, number>
    /** Archives the long outputs of a space; false when the database did not take them. */
    readonly archive: (space: string) => Effect.Effect<boolean>
    /** All of them. */
    readonly held: () => readonly { readonly space: string; readonly session: string; readonly epoch: number }[]
  }
>()("k3-mcp/cluster/Residents") {}
