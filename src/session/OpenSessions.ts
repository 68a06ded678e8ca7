/**
 * The sessions that are open: made on first use, limited in number, ended when idle.
 *
 * Guarantees: making a session launches nothing and reads nothing from disk. A session ends `sessionTtl` after its last use, but never while
 * something runs or waits in it. It is written to the store first; if it would not come back whole, it stays open and is tried again. Closing
 * the scope writes every session within a bounded time and ends every child before it returns. Does not: know sessions that are only on disk
 * (`Sessions.ts`), or remember more than `mostEnded` sessions that ended idle.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Settings } from "../Settings.ts"
import type { OpenSession } from "./OpenSession.ts"
import type { Begun, Origin } from "./Origin.ts"
import type { SessionStatus } from "./SessionStatus.ts"
import { NameTaken, type SessionError, TooManySessions } from "./SessionError.ts"

/** How long the end of the server waits for the last captures, and for captures and writing together, in ms. Hosts kill after two seconds. */
const lastCapture = 700
const lastWrite = 1500
export const mostEnded = 1000

export interface OpenSessions {
  readonly find: (name: string) => OpenSession | undefined
  /** By name. */
  readonly all: () => readonly OpenSession[]
  /** The one of that name, made when there is none. */
  readonly get: (name: string) => Effect.Effect<OpenSession, TooManySessions>
  /** A new one whose child is there; or none. */
  readonly begin: (name: string, origin: Origin) => Effect.Effect<Begun, SessionError>
  /** Nobody finds it any more, whoever is in it is told, and its child is gone. */
  readonly end: (session: OpenSession) => Effect.Effect<void>
  /** What is said to who would begin one of a name that is in use. */
  readonly taken: (name: string) => NameTaken
  /** Of one that is open, or of what it would be; which is not made. */
  readonly status: (name: string) => Effect.Effect<SessionStatus>
  /** An earlier one of that name is of no interest any more. */
  readonly forget: (name: string) => void
}

/** Puts a session together; `ended`: why an earlier one of that name in this server is over, when it held something. */
type MakeSession = (name: string, scope: Scope.Scope, origin: Origin | undefined, ended: string | undefined) => Effect.Effect<OpenSession>

const idleFor = (ms: number): string =>
  `it had been idle for ${ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`}`

export const make = Effect.fnUntraced(function* (makeSession: MakeSession) {
  const { sessionTtl, maxSessions } = yield* Settings
  const outer = yield* Scope.Scope
  const scope = yield* Scope.fork(outer)
  const open = new Map<string, OpenSession>()
  const scopes = new WeakMap<OpenSession, Scope.Closeable>()
  /** Those that ended idle and held something, the latest last. */
  const ended = new Set<string>()
  const making = yield* Semaphore.make(1)

  const makeIn = (name: string, own: Scope.Scope, origin?: Origin): Effect.Effect<OpenSession> =>
    makeSession(name, own, origin, ended.has(name) ? idleFor(sessionTtl) : undefined)

  const all = (): readonly OpenSession[] => [...open.values()].sort((a, b) => (a.name < b.name ? -1 : 1))

  // Both are added behind the fork, so that they come before the end of the children, which is no crash then; the last one comes first.
  yield* Scope.addFinalizer(
    outer,
    Effect.suspend(() => Effect.forEach(all(), (each) => each.close, { discard: true })),
  )
  yield* Scope.addFinalizer(
    outer,
    Effect.suspend(() =>
      Effect.forEach(all(), (each) => each.persistWithin(lastCapture), { concurrency: "unbounded", discard: true }),
    ).pipe(Effect.interruptible, Effect.timeoutOption(lastWrite)),
  )

  const end = Effect.fnUntraced(function* (session: OpenSession) {
    if (open.get(session.name) === session) open.delete(session.name)
    yield* session.close
    yield* Scope.close(scopes.get(session)!, Exit.void)
  }, Effect.uninterruptible)

  /** Sleeps until the session may have been idle for long enough, and ends it when it was, and still is when it has been written. */
  const expire = Effect.fnUntraced(function* (session: OpenSession) {
    for (;;) {
      const left = sessionTtl - (yield* session.idleMs)
      if (left > 0) {
        yield* Effect.sleep(left)
        continue
      }
      const isKept = yield* session.persist
      if ((yield* session.idleMs) < sessionTtl) continue
      // A store that does not keep it now may later.
      if (isKept || !session.holds()) break
      yield* Effect.sleep(sessionTtl)
    }
    noteEnded(session)
    // Not in this fiber, which ends with the session.
    yield* Effect.forkIn(end(session), scope)
  })

  const noteEnded = (session: OpenSession): void => {
    ended.delete(session.name)
    if (session.holds()) ended.add(session.name)
    const [oldest] = ended
    if (oldest !== undefined && ended.size > mostEnded) ended.delete(oldest)
  }

  const tooMany = Effect.gen(function* () {
    const idle = yield* Effect.forEach(
      [...open.values()].filter(({ busy }) => !busy()),
      ({ name, idleMs }) => Effect.map(idleMs, (ms) => ({ name, idleMs: ms })),
    )
    const busy = [...open.values()].filter((each) => each.busy()).map(({ name }) => name)
    return yield* new TooManySessions({ limit: maxSessions, idle: idle.sort((a, b) => b.idleMs - a.idleMs), busy })
  })

  /** `making` is held. */
  const add = Effect.fnUntraced(function* (name: string, origin?: Origin) {
    if (open.size >= maxSessions) return yield* tooMany
    const own = yield* Scope.fork(scope)
    const session = yield* makeIn(name, own, origin)
    scopes.set(session, own)
    open.set(name, session)
    yield* Effect.forkIn(expire(session), own)
    return session
  })

  const taken = (name: string) => new NameTaken({ what: "session", name, taken: all().map((each) => each.name) })

  const addNew = Effect.fnUntraced(function* (name: string, origin: Origin) {
    if (open.has(name)) return yield* taken(name)
    return yield* add(name, origin)
  })

  const getOrAdd = (name: string) =>
    Effect.suspend((): Effect.Effect<OpenSession, TooManySessions> => {
      const present = open.get(name)
      return present === undefined ? add(name) : Effect.succeed(present)
    })

  return {
    find: (name) => open.get(name),
    all,
    get: (name) =>
      Effect.suspend(() => {
        const session = open.get(name)
        if (session === undefined) return making.withPermit(getOrAdd(name))
        session.touch()
        return Effect.succeed(session)
      }),
    begin: Effect.fnUntraced(function* (name, origin) {
      const session = yield* making.withPermit(addNew(name, origin))
      return yield* Effect.onError(session.begin, () => end(session))
    }),
    end,
    taken,
    status: (name) =>
      Effect.suspend(
        () => open.get(name)?.status ?? Effect.scopedWith((own) => Effect.flatMap(makeIn(name, own), (session) => session.status)),
      ),
    forget: (name) => void ended.delete(name),
  } satisfies OpenSessions
})
