/**
 * Serves MCP: over stdio to one client until it is gone, and where it is asked to, over HTTP beside that or alone. Guarantees: `serve` ends
 * when either stream of stdio does, having interrupted every call and written what was due, and having let those on HTTP end their calls
 * within `drain`; nothing is launched before a tool needs it; `tools/list` and `ping` wait for no session; a server that is only asked what
 * it is takes no address; one whose address is taken serves stdio all the same, says so, and takes it when it is free. Does not: answer the first message on stdio
 * if that is plain (connection.ts did), touch the process's streams, sockets or signals.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { elapsedMs } from "../elapsed.ts"
import { Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { Telemetry } from "../Telemetry.ts"
import { Audience } from "./Audience.ts"
import type { Bridge } from "./bridge.ts"
import type { Connection } from "./connection.ts"
import { converse } from "./converse.ts"
import { limited } from "../session/limited.ts"
import { readOnly } from "../session/readOnly.ts"
import { makeHttpFace } from "./http/HttpFace.ts"
import type { Listener, Place } from "./http/Listener.ts"
import type { Principal } from "./http/Principal.ts"
import { makePrincipalFace } from "./http/PrincipalFace.ts"
import { type OpenSpace, Spaces } from "./http/Spaces.ts"
import type { Identity } from "./Opening.ts"
import { Registry } from "./Registry.ts"
import type { Parts as ServerParts } from "./server.ts"
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
  readonly http:
    | (Listener & {
        readonly place: Place
        readonly mount: ServerParts["mount"]
        /** What a principal's space is made of; fails with a sentence. */
        readonly enter: (principal: Principal) => Effect.Effect<Context.Context<Sessions | Settings>, string, Scope.Scope>
      })
    | undefined
}

/** False when there is nobody it could serve. */
export const serve = ({ identity, connection, http }: Parts): Effect.Effect<boolean, never, Sessions | Settings> =>
  Effect.gen(function* () {
    let listening = "not yet"
    const versions: Versions = { server: identity.version, ...(http !== undefined && { listening: () => listening }) }
    const scope = yield* Scope.make()
    const fibers = yield* Scope.provide(FiberSet.make<unknown, never>(), scope)
    const local = yield* openSpace(fibers, versions)
    const parts = { ...local.full, identity, versions }
    let onCall: () => void = () => {}
    const called = new Promise<void>((resolve) => (onCall = resolve))
    const conversation = connection === undefined ? undefined : converse({ ...parts, ...connection, onCall })

    const listen = listenOn(
      { identity, versions, fibers, local, isStaying: connection !== undefined },
      http,
      (where) => (listening = where),
    )
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

type Fibers = FiberSet.FiberSet

const bridgeOf = (fibers: Fibers): Effect.Effect<Bridge<Sessions | Settings>, never, Sessions | Settings> =>
  Effect.all({
    fork: FiberSet.runtime(fibers)<Sessions | Settings>(),
    promise: FiberSet.runtimePromise(fibers)<Sessions | Settings>(),
  })

/** The space that the services around it make, and the same for those who may only look. */
const openSpace = (
  fibers: Fibers,
  versions: Versions,
  close: () => Promise<void> = () => Promise.resolve(),
): Effect.Effect<OpenSpace, never, Sessions | Settings> =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const registry = new Registry(sessions.definitions)
    const audience = new Audience(registry)
    const telemetry = yield* Telemetry
    const full = { registry, audience, telemetry, bridge: yield* bridgeOf(fibers) }
    const bridge = yield* Effect.provideService(bridgeOf(fibers), Sessions, readOnly(sessions))
    return { full, readOnly: { ...full, bridge }, close }
  }).pipe(Effect.provideService(Spoken, versions))

interface Face {
  readonly identity: Identity
  readonly versions: Versions
  readonly fibers: Fibers
  readonly local: OpenSpace
  readonly isStaying: boolean
}

/**
 * Listens until the scope closes, which lets calls end first. False when it cannot, which `say` was told; a server that stays, since it
 * serves stdio, tries again instead.
 */
const listenOn = ({ identity, versions, fibers, local, isStaying }: Face, http: Parts["http"], say: (where: string) => void) =>
  Effect.gen(function* () {
    if (http === undefined) return false
    const settings = yield* Settings
    const clock = yield* Clock.Clock
    const scope = yield* Effect.scope
    const run = Effect.runPromiseWith(yield* Effect.context())

    /** Closed with the listening, or when its limits change. */
    const enter = (principal: Principal) =>
      Effect.gen(function* () {
        const own = yield* Scope.fork(scope)
        const context = yield* Scope.provide(http.enter(principal), own)
        const sessions = limited(Context.get(context, Sessions), principal.limits.evaluations)
        const close = () => run(Scope.close(own, Exit.void))
        return yield* Effect.provide(openSpace(fibers, versions, close), Context.add(context, Sessions, sessions))
      })

    const open = Effect.tryPromise({
      try: async () => {
        const authority = http.authority()
        const spaces = new Spaces({
          local,
          open: async (principal) => {
            const entered = await run(Effect.result(enter(principal)))
            if (Result.isFailure(entered)) throw new Error(entered.failure)
            return entered.success
          },
          makeFace: (space, { name, credential, readOnly: isReadOnly }) =>
            makePrincipalFace({
              space,
              name,
              credential,
              isReadOnly,
              identity,
              versions,
              settings,
              sign: (text) => authority.sign(`${credential} ${text}`),
              mount: http.mount,
            }),
        })
        const face = makeHttpFace({
          settings,
          authority,
          page: http.page,
          faceOf: (principal) => spaces.face(principal),
          now: () => elapsedMs(clock),
        })
        const bounds = { connections: settings.httpConnections, requests: settings.httpRequests, body: settings.httpBody }
        return { face, spaces, socket: await http.listen(http.place, face, bounds) }
      },
      catch: (error) => (error instanceof Error ? error.message : String(error)),
    })
    type Open = Effect.Success<typeof open>
    const close = ({ face, spaces, socket }: Open) =>
      Effect.promise(async () => {
        await face.drain(settings.drain)
        const closed = socket.close(CLOSE_WAIT)
        await spaces.close()
        await closed
      })
    let told: string | undefined
    const tell = (why: string) =>
      Effect.suspend(() => {
        if (why === told) return Effect.void
        told = why
        const next = isStaying ? "; it is tried again every 2 s" : ""
        say(`not served: ${why}${next}`)
        return Effect.logError(`HTTP is not served: ${why}${next}`)
      })
    const attempt = Effect.tapError(Effect.acquireRelease(open, close), tell)
    return yield* (isStaying ? Effect.retry(attempt, Schedule.spaced("2 seconds")) : attempt).pipe(
      Effect.flatMap(({ socket: { url } }) => {
        say(url)
        return Effect.as(Effect.logInfo(`listening at ${url}`), true)
      }),
      Effect.catch(() => Effect.succeed(false)),
    )
  })
