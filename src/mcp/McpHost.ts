/**
 * Serves MCP to one client over stdio until the client is gone. Guarantees: `serve` ends when either stream does, having interrupted every
 * call and written what was due; nothing is launched before a tool needs it; `tools/list` and `ping` wait for no session. Does not:
 * answer the first message if that is plain (connection.ts did), touch the process's streams or signals.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import type { Connection } from "./connection.ts"
import { converse } from "./converse.ts"
import { Registry } from "./Registry.ts"
import { Spoken, type Versions } from "./Spoken.ts"

/** How long a client that has closed our input has to read the last replies. */
const FLUSH_WAIT = "500 millis"

export const serve = ({ transport, opening, identity }: Connection): Effect.Effect<void, never, Sessions | Settings> =>
  Effect.gen(function* () {
    const versions: Versions = { server: identity.version }
    const scope = yield* Scope.make()
    const fibers = yield* Scope.provide(FiberSet.make<unknown, never>(), scope)
    const bridge = yield* Effect.all({
      fork: FiberSet.runtime(fibers)<Sessions | Settings>(),
      promise: FiberSet.runtimePromise(fibers)<Sessions | Settings>(),
    }).pipe(Effect.provideService(Spoken, versions))
    const { definitions } = yield* Sessions
    const conversation = converse({ bridge, registry: new Registry(definitions), transport, opening, identity, versions })
    yield* Effect.promise(() => transport.over).pipe(
      Effect.ensuring(Effect.promise(() => conversation.close())),
      // A call that is slow to stop is not waited for: a host kills who is slow to leave.
      Effect.ensuring(Effect.forkDetach(Scope.close(scope, Exit.void))),
    )
    yield* Effect.timeoutOption(
      Effect.promise(() => transport.flushed()),
      FLUSH_WAIT,
    )
  })
