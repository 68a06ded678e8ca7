/**
 * Serves MCP: over stdio to one client until it is gone, and where it is asked to, over HTTP beside that or alone. Guarantees: `serve` ends
 * when either stream of stdio does, having interrupted every call and written what was due, and having let those on HTTP end their calls
 * within `drain`; nothing is launched before a tool needs it; `tools/list` and `ping` wait for no session; a server that is only asked what
 * it is takes no address; one whose address is taken serves stdio all the same, and says so. Does not: answer the first message on stdio
 * if that is plain (connection.ts did), touch the process's streams, sockets or signals.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import { Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { Audience } from "./Audience.ts"
import type { Bridge } from "./bridge.ts"
import type { Connection } from "./connection.ts"
import { converse } from "./converse.ts"
import { makeHttpFace } from "./http/HttpFace.ts"
import type { Listener, Place } from "./http/Listener.ts"
import type { Identity } from "./Opening.ts"
import { Registry } from "./Registry.ts"
import { Spoken, type Versions } from "./Spoken.ts"

/** How long a client that has closed our input has to read the last replies. */
const FLUSH_WAIT = "500 millis"
/** What is waited for the last bytes over HTTP to be read, ms. */
const CLOSE_WAIT = 300
/** A client on stdio that has stayed so long, or calls a tool, is no host that only asks what the server is. */
const PROBED = "2 seconds"

interface Parts {
  readonly identity: Identity
  /** Absent when nobody speaks over stdio. */
  readonly connection: Connection | undefined
  readonly http: (Listener & { readonly place: Place }) | undefined
}

/** False when there is nobody it could serve. */
export const serve = ({ identity, connection, http }: Parts): Effect.Effect<boolean, never, Sessions | Settings> =>
  Effect.gen(function* () {
    let listening = "not yet"
    const versions: Versions = { server: identity.version, ...(http !== undefined && { listening: () => listening }) }
    const scope = yield* Scope.make()
    const fibers = yield* Scope.provide(FiberSet.make<unknown, never>(), scope)
    const bridge = yield* Effect.all({
      fork: FiberSet.runtime(fibers)<Sessions | Settings>(),
      promise: FiberSet.runtimePromise(fibers)<Sessions | Settings>(),
    }).pipe(Effect.provideService(Spoken, versions))
    const { definitions } = yield* Sessions
    const registry = new Registry(definitions)
    const audience = new Audience(registry)
    const parts = { bridge, registry, audience, identity, versions }
    let onCall: () => void = () => {}
    const called = new Promise<void>((resolve) => (onCall = resolve))
    const conversation = connection === undefined ? undefined : converse({ ...parts, ...connection, onCall })

    const listen = listenOn(parts, http, (where) => (listening = where))
    const staying = Effect.timeoutOption(
      Effect.promise(() => called),
      PROBED,
    )
    const over =
      connection === undefined
        ? Effect.never
        : Effect.as(
            Effect.promise(() => connection.transport.over),
            true,
          )
    const served =
      connection === undefined
        ? Effect.flatMap(listen, (isHeard) => (isHeard ? over : Effect.succeed(false)))
        : Effect.raceFirst(over, Effect.andThen(Effect.andThen(staying, listen), Effect.never))
    const isServed = yield* Effect.scoped(served).pipe(
      Effect.ensuring(Effect.promise(async () => conversation?.close())),
      // A call that is slow to stop is not waited for: a host kills who is slow to leave.
      Effect.ensuring(Effect.forkDetach(Scope.close(scope, Exit.void))),
    )
    if (connection !== undefined)
      yield* Effect.timeoutOption(
        Effect.promise(() => connection.transport.flushed()),
        FLUSH_WAIT,
      )
    return isServed
  })

interface Face {
  readonly bridge: Bridge<Sessions | Settings>
  readonly registry: Registry
  readonly audience: Audience
  readonly identity: Identity
  readonly versions: Versions
}

/** Listens until the scope closes, which lets calls end first. False when it cannot, which `say` was told. */
const listenOn = (parts: Face, http: Parts["http"], say: (where: string) => void) =>
  Effect.gen(function* () {
    if (http === undefined) return false
    const settings = yield* Settings
    const open = Effect.tryPromise({
      try: async () => {
        const face = makeHttpFace({ ...parts, settings, token: http.token() })
        const bounds = { connections: settings.httpConnections, requests: settings.httpRequests, body: settings.httpBody }
        return { face, socket: await http.listen(http.place, face, bounds) }
      },
      catch: (error) => (error instanceof Error ? error.message : String(error)),
    })
    type Open = Effect.Success<typeof open>
    const close = ({ face, socket }: Open) =>
      Effect.promise(async () => {
        await face.drain(settings.drain)
        const closed = socket.close(CLOSE_WAIT)
        await face.close()
        await closed
      })
    return yield* Effect.acquireRelease(open, close).pipe(
      Effect.flatMap(({ socket: { url } }) => {
        say(url)
        return Effect.as(Effect.logInfo(`listening at ${url}`), true)
      }),
      Effect.catch((why) => {
        say(`not served: ${why}`)
        return Effect.as(Effect.logError(`HTTP is not served: ${why}`), false)
      }),
    )
  })
