/**
 * Serves MCP over stdio, over HTTP, or over both. Guarantees: `serve` ends when standard input or output ends; calls over HTTP then get `drain`
 * to end, calls on stdio are interrupted, and replies that are due are written. No child is launched before a tool needs it; `tools/list` and `ping`
 * wait for no session. A server on stdio that only had to answer the opening listens at no address; when its address is taken, it serves stdio,
 * reports the fact and tries again. Does not: answer a plain first message on stdio (`connection.ts` did), touch the process's streams, sockets or
 * signals.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import type { Connection } from "./connection.ts"
import { converse } from "./converse.ts"
import { type Http, serveHttp } from "./http/serveHttp.ts"
import { openSpace } from "./Space.ts"
import type { Identity } from "./Opening.ts"
import type { ConnectionFacts } from "./ConnectionFacts.ts"

/** How long a client that has closed the server's input has to read the last replies. */
const FLUSH_WAIT = "500 millis"
/** A client on stdio has come to stay, and HTTP is opened, after this time or when it calls a tool. */
const PROBED = "2 seconds"

interface Parts {
  readonly identity: Identity
  /** Absent when stdio is not served. */
  readonly connection: Connection | undefined
  readonly http: Http | undefined
  /** In a cluster: this machine, and how it and the others are, in lines. */
  readonly member?: { readonly machine: string; readonly state: () => Promise<string> } | undefined
}

/** False when stdio is not served and HTTP cannot be. */
export const serve = ({ identity, connection, http, member }: Parts): Effect.Effect<boolean, never, Sessions | Settings> =>
  Effect.gen(function* () {
    const facts: ConnectionFacts = {
      server: identity.version,
      ...(http !== undefined && { listening: "not yet" }),
      ...(member !== undefined && { machine: member.machine }),
    }
    const scope = yield* Scope.make()
    const fibers = yield* Scope.provide(FiberSet.make<unknown, never>(), scope)
    const local = yield* openSpace(fibers, facts)
    const called = Latch.makeUnsafe()
    const conversation = connection && converse({ ...local.full, ...connection, facts, onCall: () => void called.openUnsafe() })

    const listen =
      http === undefined
        ? Effect.succeed(false)
        : serveHttp({ http, identity, facts, fibers, local, isStaying: connection !== undefined, membership: member?.state })
    const served =
      connection === undefined
        ? Effect.flatMap(listen, (isHeard) => (isHeard ? Effect.never : Effect.succeed(false)))
        : Effect.promise(() => connection.transport.over).pipe(
            Effect.raceFirst(Effect.timeoutOption(called.await, PROBED).pipe(Effect.andThen(listen), Effect.andThen(Effect.never))),
            Effect.as(true),
          )
    const isServed = yield* Effect.scoped(served).pipe(
      Effect.ensuring(Effect.promise(async () => conversation?.close())),
      // Not waited for: hosts kill a server that is slow to leave.
      Effect.ensuring(Effect.forkDetach(Scope.close(scope, Exit.void))),
    )
    if (connection !== undefined)
      yield* Effect.timeoutOption(
        Effect.promise(() => connection.transport.flushed()),
        FLUSH_WAIT,
      )
    return isServed
  })
