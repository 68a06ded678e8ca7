/**
 * Serves the spaces of all principals over HTTP. Guarantees: a server that stays (it serves stdio) and cannot listen says why, and tries again. When
 * listening ends, calls get `drain` to end, and then every space closes. Does not: answer requests (`HttpFace.ts`), or open sockets.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { monotonic } from "../../elapsed.ts"
import { limited } from "../../session/limited.ts"
import { Sessions } from "../../session/Sessions.ts"
import { limits } from "../../limits.ts"
import { Settings } from "../../Settings.ts"
import type { ConnectionFacts } from "../ConnectionFacts.ts"
import type { Identity } from "../Opening.ts"
import { type Fibers, type OpenSpace, openSpace } from "../Space.ts"
import type { ServerParts } from "../server.ts"
import { ALL_BODIES } from "./guards.ts"
import { HttpFace } from "./HttpFace.ts"
import type { Listener, BoundAddress } from "./Listener.ts"
import type { Principal } from "./Principal.ts"
import { PrincipalFace } from "./PrincipalFace.ts"
import { Spaces } from "./Spaces.ts"

/** How long HTTP clients have to read the last bytes, ms. */
const CLOSE_WAIT = 300
/** A client that takes nothing for so long, ms, loses its connection, since unread data are in memory. Streams send a comment every 15 s. */
const UNREAD = 5 * 60_000
/** Bytes of the bodies that each principal may always send. */
const SMALL_BODIES = 2 ** 20
/** The most principals whose spaces are open. */
const MOST_PRINCIPALS = 1000

/** The address of the server, and the services behind it. */
export interface Http extends Listener {
  readonly place: BoundAddress
  readonly mount: ServerParts["mount"]
  /** The services of a principal's space; fails with a sentence for the principal. */
  readonly enter: (principal: Principal) => Effect.Effect<Context.Context<Sessions | Settings>, string, Scope.Scope>
}

interface Parts {
  readonly http: Http
  readonly identity: Identity
  readonly facts: ConnectionFacts
  readonly fibers: Fibers
  readonly local: OpenSpace
  /** The server serves stdio too. */
  readonly isStaying: boolean
  /** In a cluster: this machine and the others, in lines. */
  readonly membership: (() => Promise<string>) | undefined
  /** Gets the address, or the reason why there is none. */
  readonly say: (where: string) => void
}

/** A principal's space, which closes when listening ends, when the limits of its principal change, or when another one needs its place. */
const enterSpace = ({ fibers, facts, http }: Parts, principal: Principal) =>
  Effect.gen(function* () {
    const own = yield* Scope.fork(yield* Effect.scope)
    const context = yield* Effect.onError(Scope.provide(http.enter(principal), own), () => Scope.close(own, Exit.void))
    const sessions = limited(Context.get(context, Sessions), principal.limits.evaluations, own)
    const run = Effect.runPromiseWith(yield* Effect.context())
    const close = () => run(Scope.close(own, Exit.void))
    return yield* Effect.provide(openSpace(fibers, facts, close), Context.add(context, Sessions, sessions))
  })

/** Serves the spaces of all principals at a socket. Fails with the reason in words. */
const openHttp = (parts: Parts) =>
  Effect.gen(function* () {
    const { http, identity, facts, local, membership } = parts
    const settings = yield* Settings
    const now = yield* monotonic
    const run = Effect.runPromiseWith(yield* Effect.context<Scope.Scope>())
    return yield* Effect.tryPromise({
      try: async () => {
        const authority = http.authority()
        const spaces = new Spaces({
          local,
          most: MOST_PRINCIPALS,
          isServing: (space) => face.isServing(space),
          open: async (principal) => {
            const entered = await run(Effect.result(enterSpace(parts, principal)))
            if (Result.isFailure(entered)) throw new Error(entered.failure)
            return entered.success
          },
          makeFace: (space, { name, credential, readOnly: isReadOnly }) => {
            const sign = (text: string) => authority.sign(`${credential} ${text}`)
            return new PrincipalFace({ space, name, credential, isReadOnly, identity, facts, settings, sign, mount: http.mount })
          },
        })
        const face = new HttpFace({
          settings,
          authority,
          page: http.page,
          faceOf: (principal) => spaces.face(principal),
          now,
          membership,
        })
        const bounds = {
          connections: settings.httpConnections,
          requests: settings.httpRequests,
          body: settings.httpBody,
          bodies: limits.requestBytes,
          allBodies: Math.max(ALL_BODIES, settings.httpBody),
          smallBodies: SMALL_BODIES,
          unread: UNREAD,
        }
        return { face, spaces, socket: await http.listen(http.place, face, bounds) }
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
 * Listens until the scope closes. True once it listens; when listening fails, a server that stays tries again, and any other one gives false.
 */
export const serveHttp = (parts: Parts) =>
  Effect.gen(function* () {
    const { drain } = yield* Settings
    const { isStaying, say } = parts
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
    const open = Effect.acquireRelease(Scope.provide(openHttp(parts), spaces), (opened) => closeHttp(opened, drain))
    const attempt = Effect.tapError(open, tell)
    return yield* (isStaying ? Effect.retry(attempt, Schedule.spaced("2 seconds")) : attempt).pipe(
      Effect.flatMap(({ socket: { url } }) => {
        say(url)
        return Effect.as(Effect.logInfo(`listening at ${url}`), true)
      }),
      Effect.orElseSucceed(() => false),
    )
  })
