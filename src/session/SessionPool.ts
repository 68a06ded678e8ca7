/**
 * The sessions that are open: made on first use, limited in number, ended when idle.
 *
 * Guarantees: making a session launches nothing and reads nothing from disk. A session ends `sessionTtl` after its last use, but never while
 * a call runs or waits in it. It is written to the store first; if the store could not restore all of it, it stays open and is tried again. Closing
 * the scope writes every session within a bounded time and ends every child before it returns. Does not: know sessions that are only in the store
 * (`Sessions.ts`), or remember more than `mostEnded` sessions that it ended.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Settings } from "../Settings.ts"
import type { Begun, ManagedSession, Origin } from "./ManagedSession.ts"
import type { SessionStatus } from "./SessionStatus.ts"
import { NameTaken, type SessionError, TooManySessions } from "./SessionError.ts"
import { setLatest } from "./setLatest.ts"

/** When the server ends: time for the last captures, and for captures and writing together, in ms. Hosts kill the server after two seconds. */
const lastCapture = 700
const lastWrite = 1500
export const mostEnded = 1000
/** Brief sessions beyond the limit. */
const mostBrief = 4

export interface SessionPool {
  readonly find: (name: string) => ManagedSession | undefined
  /** Sorted by name. */
  readonly all: () => readonly ManagedSession[]
  /** The open session of this name. Makes it when there is none. */
  readonly get: (name: string) => Effect.Effect<ManagedSession, TooManySessions>
  /** Makes a new session and launches its child. When the launch fails, the session is removed again. */
  readonly begin: (name: string, origin: Origin) => Effect.Effect<Begun, SessionError>
  /**
   * Removes the session, fails the calls that run or wait in it, and ends its child. `last` runs after that and before another session of this
   * name can be made.
   */
  readonly end: (session: ManagedSession, last?: Effect.Effect<unknown>) => Effect.Effect<void>
  /** The error for a new session whose name is in use. */
  readonly taken: (name: string) => NameTaken
  /** Status of an open session, or the status that a session of this name would have. Makes no session. */
  readonly status: (name: string) => Effect.Effect<SessionStatus>
  /** Notes why a session ended. The next session of this name reports it. */
  readonly noteEnd: (name: string, why: string) => void
  /** Forgets that a session of this name ended, so that no reply mentions it. */
  readonly forget: (name: string) => void
}

/** Makes a session. `ended`: why an earlier session of this name ended in this server, if it held variables or snapshots. */
type MakeSession = (
  name: string,
  scope: Scope.Scope,
  origin: Origin | undefined,
  ended: string | undefined,
) => Effect.Effect<ManagedSession>

const idleFor = (ms: number): string =>
  `it had been idle for ${ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`}`

export const make = Effect.fnUntraced(function* (makeSession: MakeSession) {
  const { sessionTtl, maxSessions } = yield* Settings
  const outer = yield* Scope.Scope
  const scope = yield* Scope.fork(outer)
  const open = new Map<string, ManagedSession>()
  const brief = new Set<ManagedSession>()
  const scopes = new WeakMap<ManagedSession, Scope.Closeable>()
  /** Completed when an ending session has ended. */
  const ending = new WeakMap<ManagedSession, Deferred.Deferred<void>>()
  /** Why sessions that held variables or snapshots ended, by name, the latest last. */
  const ended = new Map<string, string>()
  const making = yield* Semaphore.make(1)

  const all = (): readonly ManagedSession[] => [...open.values()].sort((a, b) => (a.name < b.name ? -1 : 1))

  // Finalizers run in reverse order: first the writing, then the closing, then the end of the forked scope. The end of its children counts as no
  // crash then.
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

  const remove = (session: ManagedSession): void => {
    if (open.get(session.name) === session) open.delete(session.name)
    brief.delete(session)
  }

  const end = Effect.fnUntraced(function* (session: ManagedSession, last?: Effect.Effect<unknown>) {
    const begun = ending.get(session)
    if (begun !== undefined) return yield* Deferred.await(begun)
    const isOver = Deferred.makeUnsafe<void>()
    ending.set(session, isOver)
    if (last === undefined) remove(session)
    const over = Effect.sync(() => {
      remove(session)
      Deferred.doneUnsafe(isOver, Effect.void)
    })
    const closed = Effect.andThen(session.close, Scope.close(scopes.get(session)!, Exit.void))
    yield* Effect.ensuring(last === undefined ? closed : Effect.andThen(closed, last), over)
  }, Effect.uninterruptible)

  /** Ends the session once it has been idle for `sessionTtl`, is written, and is still idle after that. */
  const expire = Effect.fnUntraced(function* (session: ManagedSession) {
    for (;;) {
      const left = sessionTtl - session.idleMs()
      if (left > 0) {
        yield* Effect.sleep(left)
        continue
      }
      const isKept = yield* session.persist
      if (session.idleMs() < sessionTtl) continue
      // The store failed to write the session, and may succeed later.
      if (isKept || !session.holds()) break
      yield* Effect.sleep(sessionTtl)
    }
    if (session.holds()) noteEnd(session.name, idleFor(sessionTtl))
    else ended.delete(session.name)
    // In another fiber, since this one ends with the session's scope. At once: a caller that gets the session meanwhile would find it closed.
    yield* Effect.forkIn(end(session), scope, { startImmediately: true })
  })

  const noteEnd = (name: string, why: string): void => setLatest(ended, name, why, mostEnded)

  const tooMany = (): TooManySessions => {
    const sessions = [...open.values()].filter((each) => !brief.has(each))
    const idle = sessions.filter(({ busy }) => !busy()).map(({ name, idleMs }) => ({ name, idleMs: idleMs() }))
    const busy = sessions.filter((each) => each.busy()).map(({ name }) => name)
    return new TooManySessions({ limit: maxSessions, idle: idle.sort((a, b) => b.idleMs - a.idleMs), busy })
  }

  /** The caller holds `making`. */
  const add = Effect.fnUntraced(function* (name: string, origin?: Origin) {
    const isBrief = origin?.isBrief === true
    // Brief ones take no place of the others.
    if (open.size >= maxSessions + (isBrief ? mostBrief : Math.min(brief.size, mostBrief))) return yield* tooMany()
    const own = yield* Scope.fork(scope)
    const session = yield* makeSession(name, own, origin, ended.get(name))
    scopes.set(session, own)
    open.set(name, session)
    if (isBrief) brief.add(session)
    yield* Effect.forkIn(expire(session), own)
    return session
  }, Effect.uninterruptible)

  const taken = (name: string) => new NameTaken({ what: "session", name, taken: all().map((each) => each.name) })

  const get: SessionPool["get"] = (name) =>
    Effect.suspend(() => {
      const session = open.get(name)
      session?.touch()
      return session === undefined
        ? making.withPermit(Effect.suspend(() => (open.has(name) ? get(name) : add(name))))
        : Effect.succeed(session)
    })

  return {
    find: (name) => open.get(name),
    all,
    get,
    begin: Effect.fnUntraced(function* (name, origin) {
      const isNew = Effect.suspend(() => (open.has(name) ? taken(name) : Effect.void))
      const session = yield* making.withPermit(Effect.andThen(isNew, add(name, origin)))
      return yield* Effect.onError(session.begin, () => end(session))
    }),
    end,
    taken,
    status: (name) =>
      Effect.suspend(
        () =>
          open.get(name)?.status ??
          Effect.scopedWith((own) => Effect.flatMap(makeSession(name, own, undefined, ended.get(name)), (session) => session.status)),
      ),
    noteEnd,
    forget: (name) => void ended.delete(name),
  } satisfies SessionPool
})
