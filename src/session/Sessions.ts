/**
 * Named sessions: made on first use, limited in number, ended when idle.
 *
 * Guarantees: making a session launches nothing; a session ends `sessionTtl` after its last use, never while something runs in it or
 * waits; closing the layer's scope ends every child before it returns. Does not: keep what an ended session held.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Settings } from "../Settings.ts"
import { Engines } from "./Engine.ts"
import { make, type OpenSession } from "./makeSession.ts"
import { Process } from "./Process.ts"
import type { Session, SessionStatus } from "./Session.ts"
import { type SessionError, TooManySessions } from "./SessionError.ts"

export class Sessions extends Context.Service<
  Sessions,
  {
    /** The session of that name, made when there is none; making one launches nothing. */
    readonly get: (name: string) => Effect.Effect<Session, TooManySessions>
    /** Status of every open session, by name. */
    readonly list: Effect.Effect<readonly SessionStatus[]>
    /** Status of one; a session that was never used is described as it would start, and is not made. */
    readonly status: (name: string) => Effect.Effect<SessionStatus>
    readonly resetAll: Effect.Effect<
      readonly { readonly name: string; readonly how: "cleared" | "relaunched"; readonly generation: number }[],
      SessionError
    >
  }
>()("k3-mcp/session/Sessions") {
  static readonly layer = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const settings = yield* Settings
      const parts = Context.make(Settings, settings).pipe(
        Context.add(Engines, yield* Engines),
        Context.add(Process, yield* Process),
        Context.add(FileSystem.FileSystem, yield* FileSystem.FileSystem),
      )
      const scope = yield* Scope.Scope
      const open = new Map<string, OpenSession>()
      const making = yield* Semaphore.make(1)

      const makeIn = (name: string, own: Scope.Scope) => Effect.provide(make(name, own), parts)

      /** Sleeps until the session may have been idle for long enough, and ends it when it was. */
      const expire = Effect.fnUntraced(function* (session: OpenSession, own: Scope.Closeable) {
        for (;;) {
          const left = settings.sessionTtl - (yield* session.idleMs)
          if (left <= 0) break
          yield* Effect.sleep(left)
        }
        open.delete(session.name)
        yield* Scope.close(own, Exit.void)
      })

      const add = Effect.fnUntraced(function* (name: string) {
        const present = open.get(name)
        if (present !== undefined) return present
        if (open.size >= settings.maxSessions)
          return yield* new TooManySessions({ limit: settings.maxSessions, open: [...open.keys()].sort() })
        const own = yield* Scope.fork(scope)
        const session = yield* makeIn(name, own)
        open.set(name, session)
        yield* Effect.forkIn(expire(session, own), scope)
        return session
      })

      const get = (name: string): Effect.Effect<OpenSession, TooManySessions> =>
        Effect.suspend(() => {
          const session = open.get(name)
          return session === undefined ? making.withPermit(add(name)) : Effect.as(session.touch, session)
        })

      const byName = Effect.sync(() => [...open.values()].sort((a, b) => (a.name < b.name ? -1 : 1)))

      return Sessions.of({
        get,
        list: Effect.flatMap(
          byName,
          Effect.forEach((session) => session.status),
        ),
        status: (name) =>
          Effect.suspend(
            () => open.get(name)?.status ?? Effect.scopedWith((own) => Effect.flatMap(makeIn(name, own), ({ status }) => status)),
          ),
        resetAll: Effect.flatMap(
          byName,
          Effect.forEach((session) => Effect.map(session.reset, (done) => ({ name: session.name, ...done })), { concurrency: "unbounded" }),
        ),
      })
    }),
  )
}
