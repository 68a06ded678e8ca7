/**
 * Serves MCP over stdio, over HTTP, or over both. Guarantees: `serve` ends when standard input or output ends; calls over HTTP then get `drain`
 * to end, calls on stdio are interrupted, and replies that are due are written. No child is launched before a tool needs it; `tools/list` and `ping`
 * wait for no session. A server on stdio that only had to answer the opening listens at no address; when its address is taken, it serves stdio,
 * reports the fact and tries again. Does not: answer a plain first message on stdio (`connection.ts` did), touch the process's streams, sockets or
 * signals.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
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
import type { ServerParts } from "./server.ts"
import { ConnectionFacts } from "./ConnectionFacts.ts"

/** How long a client that has closed the server's input has to read the last replies. */
const FLUSH_WAIT = "500 millis"
/** How long HTTP clients have to read the last bytes, ms. */
const CLOSE_WAIT = 300
/** A client that takes nothing for so long, ms, loses its connection: what it does not read is in memory. Streams send a comment every 15 s. */
const UNREAD = 5 * 60_000
/** The most principals whose spaces are open. */
const MOST_PRINCIPALS = 1000
/** A client on stdio has come to stay, and HTTP is opened, after this time or when it calls a tool. */
const PROBED = "2 seconds"

interface Parts {
  readonly identity: Identity
  /** Absent when stdio is not served. */
  readonly connection: Connection | undefined
  readonly http:
    | (Listener & {
        readonly place: Place
        readonly mount: ServerParts["mount"]
        /** The services of a principal's space; fails with a sentence for the principal. */
        readonly enter: (principal: Principal) => Effect.Effect<Context.Context<Sessions | Settings>, string, Scope.Scope>
      })
    | undefined
  /** In a cluster: this machine, and how it and the others are, in lines. */
  readonly member?: { readonly machine: string; readonly state: () => Promise<string> } | undefined
}

/** False when stdio is not served and HTTP cannot be. */
export const serve = ({ identity, connection, http, member }: Parts): Effect.Effect<boolean, never, Sessions | Settings> =>
  Effect.gen(function* () {
    let listening = "not yet"
    const facts: ConnectionFacts = {
      server: identity.version,
      ...(http !== undefined && { listening: () => listening }),
      ...(member !== undefined && { machine: member.machine }),
    }
    const scope = yield* Scope.make()
    const fibers = yield* Scope.provide(FiberSet.make<unknown, never>(), scope)
    const local = yield* openSpace(fibers, facts)
    const parts = { ...local.full, identity, facts }
    const called = Latch.makeUnsafe()
    const conversation = connection && converse({ ...parts, ...connection, onCall: () => void called.openUnsafe() })

    const face = { identity, facts, fibers, local, isStaying: connection !== undefined, membership: member?.state }
    const listen = http === undefined ? Effect.succeed(false) : listenOn(face, http, (where) => (listening = where))
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

type Fibers = FiberSet.FiberSet

const bridgeOf = (fibers: Fibers): Effect.Effect<Bridge<Sessions | Settings>, never, Sessions | Settings> =>
  Effect.all({
    fork: FiberSet.runtime(fibers)<Sessions | Settings>(),
    promise: FiberSet.runtimePromise(fibers)<Sessions | Settings>(),
  })

/** A space over the services in its context, and the read-only form of the same space. */
const openSpace = (
  fibers: Fibers,
  facts: ConnectionFacts,
  close: () => Promise<void> = () => Promise.resolve(),
): Effect.Effect<OpenSpace, never, Sessions | Settings> =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const registry = new Registry(sessions.definitions)
    const audience = new Audience(sessions.definitions)
    const telemetry = yield* Telemetry
    const full = { registry, audience, telemetry, bridge: yield* bridgeOf(fibers) }
    const bridge = yield* Effect.provideService(bridgeOf(fibers), Sessions, readOnly(sessions))
    const isEmpty = () => full.bridge.promise(Effect.map(sessions.list, ({ length }) => length === 0))
    return { full, readOnly: { ...full, bridge }, isEmpty, close }
  }).pipe(Effect.provideService(ConnectionFacts, facts))

interface Face {
  readonly identity: Identity
  readonly facts: ConnectionFacts
  readonly fibers: Fibers
  readonly local: OpenSpace
  readonly isStaying: boolean
  readonly membership: NonNullable<Parts["member"]>["state"] | undefined
}

type Http = NonNullable<Parts["http"]>

/** A principal's space, which closes when listening ends or when the limits of its principal change. */
const enterSpace = ({ fibers, facts }: Face, { enter }: Http, principal: Principal) =>
  Effect.gen(function* () {
    const own = yield* Scope.fork(yield* Effect.scope)
    const context = yield* Effect.onError(Scope.provide(enter(principal), own), () => Scope.close(own, Exit.void))
    const sessions = limited(Context.get(context, Sessions), principal.limits.evaluations, own)
    const run = Effect.runPromiseWith(yield* Effect.context())
    const close = () => run(Scope.close(own, Exit.void))
    return yield* Effect.provide(openSpace(fibers, facts, close), Context.add(context, Sessions, sessions))
  })

/** Serves the spaces of all principals at a socket. Fails with the reason in words. */
const openHttp = (face: Face, http: Http) =>
  Effect.gen(function* () {
    const { identity, facts, local, membership } = face
    const settings = yield* Settings
    const clock = yield* Clock.Clock
    const run = Effect.runPromiseWith(yield* Effect.context<Scope.Scope>())
    return yield* Effect.tryPromise({
      try: async () => {
        const authority = http.authority()
        const spaces = new Spaces({
          local,
          most: MOST_PRINCIPALS,
          isServing: (space) => answers.isServing(space),
          open: async (principal) => {
            const entered = await run(Effect.result(enterSpace(face, http, principal)))
            if (Result.isFailure(entered)) throw new Error(entered.failure)
            return entered.success
          },
          makeFace: (space, { name, credential, readOnly: isReadOnly }) => {
            const sign = (text: string) => authority.sign(`${credential} ${text}`)
            return makePrincipalFace({ space, name, credential, isReadOnly, identity, facts, settings, sign, mount: http.mount })
          },
        })
        const answers = makeHttpFace({
          settings,
          authority,
          page: http.page,
          faceOf: (principal) => spaces.face(principal),
          now: () => elapsedMs(clock),
          membership,
        })
        const bounds = { connections: settings.httpConnections, requests: settings.httpRequests, body: settings.httpBody, unread: UNREAD }
        return { face: answers, spaces, socket: await http.listen(http.place, answers, bounds) }
      },
      catch: (error) => (error instanceof Error ? error.message : String(error)),
    })
  })

/** Lets calls end first. */
const closeHttp = ({ face, spaces, socket }: Effect.Success<ReturnType<typeof openHttp>>, drain: number) =>
  Effect.andThen(
    face.drain(drain),
    Effect.promise(() => Promise.all([socket.close(CLOSE_WAIT), spaces.close()])),
  )

/**
 * Listens until the scope closes. `say` gets the address, or the reason why there is none. When listening fails, a server that stays (it serves
 * stdio) tries again; any other one returns false.
 */
const listenOn = (face: Face, http: Http, say: (where: string) => void) =>
  Effect.gen(function* () {
    const { drain } = yield* Settings
    const { isStaying } = face
    // Made before the release below, and so closed after it: the calls that are let end need the spaces.
    const spaces = yield* Scope.fork(yield* Effect.scope)
    let reported: string | undefined
    const tell = (why: string) =>
      Effect.suspend(() => {
        if (why === reported) return Effect.void
        reported = why
        const next = isStaying ? "; it is tried again every 2 s" : ""
        say(`not served: ${why}${next}`)
        return Effect.logError(`HTTP is not served: ${why}${next}`)
      })
    const open = Effect.acquireRelease(Scope.provide(openHttp(face, http), spaces), (opened) => closeHttp(opened, drain))
    const attempt = Effect.tapError(open, tell)
    return yield* (isStaying ? Effect.retry(attempt, Schedule.spaced("2 seconds")) : attempt).pipe(
      Effect.flatMap(({ socket: { url } }) => {
        say(url)
        return Effect.as(Effect.logInfo(`listening at ${url}`), true)
      }),
      Effect.orElseSucceed(() => false),
    )
  })
