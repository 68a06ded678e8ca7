/**
 * Serves the spaces of all principals over HTTP. Guarantees: a server that stays (it serves stdio) and cannot listen says why, and tries again. When
 * listening ends, calls get `drain` to end, and then every space closes. Does not: answer requests (`HttpSite.ts`), or open sockets.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { monotonic } from "../../elapsed.ts"
import { limited } from "../../session/limited.ts"
import { Sessions } from "../../session/Sessions.ts"
import { limits } from "../../limits.ts"
import type { ListenAddress } from "../../settingKinds.ts"
import { Settings, type SettingValues } from "../../Settings.ts"
import type { ConnectionFacts } from "../ConnectionFacts.ts"
import type { Identity } from "../Opening.ts"
import { type Fibers, type OpenSpace, openSpace } from "../Space.ts"
import type { ServerParts } from "../server.ts"
import { ALL_BODIES } from "./guards.ts"
import { HttpSite } from "./HttpSite.ts"
import type { Authority, Bounds, Listener, PageFiles } from "./Listener.ts"
import type { Principal } from "./Principal.ts"
import { McpEndpoint } from "./McpEndpoint.ts"
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
export interface Http {
  readonly place: ListenAddress
  readonly listen: Listener
  /** Fails with a sentence. */
  readonly authority: Effect.Effect<Authority, string>
  readonly page: PageFiles
  readonly mount: ServerParts["mount"]
  /** The services of a principal's space; fails with a sentence for the principal. */
  readonly enter: (principal: Principal) => Effect.Effect<Context.Context<Sessions | Settings>, string, Scope.Scope>
}

interface Parts {
  readonly http: Http
  readonly identity: Identity
  /** Its `listening` is set to the address, or to the reason why there is none. */
  readonly facts: ConnectionFacts
  readonly fibers: Fibers
  readonly local: OpenSpace
  /** The server serves stdio too. */
  readonly isStaying: boolean
  /** In a cluster: this machine and the others, in lines. */
  readonly membership: (() => Promise<string>) | undefined
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

const boundsOf = ({ httpConnections, httpRequests, httpBody }: SettingValues): Bounds => ({
  connections: httpConnections,
  requests: httpRequests,
  body: httpBody,
  bodies: limits.requestBytes,
  allBodies: Math.max(ALL_BODIES, httpBody),
  smallBodies: SMALL_BODIES,
  unread: UNREAD,
})

/** Serves the spaces of all principals at a socket. Fails with the reason in words. */
const openHttp = (parts: Parts) =>
  Effect.gen(function* () {
    const { http, identity, facts, local, membership } = parts
    const settings = yield* Settings
    const now = yield* monotonic
    const run = Effect.runPromiseWith(yield* Effect.context<Scope.Scope>())
    const authority = yield* http.authority
    const spaces = new Spaces({
      local,
      most: MOST_PRINCIPALS,
      isServing: (space) => site.isServing(space),
      open: (principal) => run(enterSpace(parts, principal).pipe(Effect.catch((why) => Effect.die(new Error(why))))),
      makeEndpoint: (space, { name, credential, readOnly: isReadOnly }) => {
        const sign = (text: string) => authority.sign(`${credential} ${text}`)
        return new McpEndpoint({ space, name, credential, isReadOnly, identity, facts, settings, sign, mount: http.mount })
      },
    })
    const site = new HttpSite({
      settings,
      authority,
      page: http.page,
      endpointOf: (principal) => spaces.endpoint(principal),
      now,
      membership,
    })
    const socket = yield* Effect.tryPromise({
      try: () => http.listen(http.place, site, boundsOf(settings)),
      catch: (error) => (error instanceof Error ? error.message : String(error)),
    })
    return { site, spaces, socket }
  })

/** Lets calls end first. */
const closeHttp = ({ site, spaces, socket }: Effect.Success<ReturnType<typeof openHttp>>, drain: number) =>
  Effect.andThen(
    site.drain(drain),
    Effect.promise(() => Promise.all([socket.close(CLOSE_WAIT), spaces.close()])),
  )

/** Listens until the scope closes. True once it listens; when listening fails, a server that stays tries again, and any other one gives false. */
export const serveHttp = (parts: Parts) =>
  Effect.gen(function* () {
    const { drain } = yield* Settings
    const { isStaying, facts } = parts
    // Made before the release below, and so closed after it: the calls that are let end need the spaces.
    const spaces = yield* Scope.fork(yield* Effect.scope)
    /** Reports each failure once in a row. */
    const report = (why: string) =>
      Effect.suspend(() => {
        const where = `not served: ${why}${isStaying ? "; it is tried again every 2 s" : ""}`
        if (where === facts.listening) return Effect.void
        facts.listening = where
        return Effect.logError(`HTTP is ${where}`)
      })
    const open = Effect.acquireRelease(Scope.provide(openHttp(parts), spaces), (opened) => closeHttp(opened, drain))
    const attempt = Effect.tapError(open, report)
    return yield* (isStaying ? Effect.retry(attempt, Schedule.spaced("2 seconds")) : attempt).pipe(
      Effect.flatMap(({ socket: { url } }) => {
        facts.listening = url
        return Effect.as(Effect.logInfo(`listening at ${url}`), true)
      }),
      Effect.orElseSucceed(() => false),
    )
  })
