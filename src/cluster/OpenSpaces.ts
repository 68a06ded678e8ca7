/**
 * The spaces that are open on this machine, with the epochs of their sessions. The first request for a session opens its space, from the same
 * parts as on a server alone. Does not: close a space before the machine leaves; idle sessions end by themselves.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { PrincipalSpace } from "../mcp/http/Principal.ts"
import type { Relocation, Sessions } from "../session/Sessions.ts"
import type { Elsewhere } from "../session/Elsewhere.ts"

export class OpenSpaces extends Context.Service<
  OpenSpaces,
  {
    /** Opens a space, or gives the open one; fails with a sentence. `elsewhere` finds the other sessions of the space. */
    readonly open: (principal: PrincipalSpace, elsewhere: Elsewhere) => Effect.Effect<Context.Context<Sessions | Relocation>, string>
    /** The space of this name if it is open. */
    readonly opened: (space: string) => Context.Context<Sessions | Relocation> | undefined
    /** The epochs under which this machine writes the sessions of a space; the store of the space reads them. */
    readonly epochs: (space: string) => Map<string, number>
    /** Archives the long outputs of a space; false when the database did not take them. */
    readonly archive: (space: string) => Effect.Effect<boolean>
    /** All sessions that this machine has, with their epochs. */
    readonly held: () => readonly { readonly space: string; readonly session: string; readonly epoch: number }[]
  }
>()("k3-mcp/cluster/OpenSpaces") {}
