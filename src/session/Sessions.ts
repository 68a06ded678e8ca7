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
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Settings } from "../Settings.ts"
import { Builder } from "./Build.ts"
import { Engines } from "./Engine.ts"
import { make } from "./makeSession.ts"
import type { Begun, OpenSession, Origin } from "./OpenSession.ts"
import { Process } from "./Process.ts"
import type { Session, SessionStatus } from "./Session.ts"
import { NameTaken, NoSession, type SessionError, TooManySessions } from "./SessionError.ts"

export class Sessions extends Context.Service<
  Sessions,
  {
    /** The session of that name, made when there is none; making one launches nothing. */
    readonly get: (name: string) => Effect.Effect<Session, TooManySessions>
    /** Status of every open session, by name. */
    readonly list: Effect.Effect<readonly SessionStatus[]>
    /** Status of one; a session that was never used is described as it would start, and is not made. */
    readonly status: (name: string) => Effect.Effect<SessionStatus>
    /** Makes one that there is not yet and launches its child, of that engine if one is named. */
    readonly create: (name: string, engine?: SessionStatus["engine"]) => Effect.Effect<Begun, SessionError>
    /** Makes one of the same engine that is given what another holds now, or what a snapshot of it does. */
    readonly fork: (request: {
      readonly from: string
      readonly snapshot?: string | undefined
      readonly name: string
    }) => Effect.Effect<Begun, SessionError>
    /** Ends one, with whatever runs or waits in it; tells what it was. */
    readonly close: (name: string) => Effect.Effect<SessionStatus, NoSession>
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
        Context.add(Path.Path, yield* Path.Path),
        Context.add(Builder, yield* Builder),
      )
      const scope = yield* Scope.Scope
      const open = new Map<string, OpenSession>()
      const scopes = new WeakMap<OpenSession, Scope.Closeable>()
      const making = yield* Semaphore.make(1)

      const makeIn = (name: string, own: Scope.Scope, origin?: Origin) => Effect.provide(make(name, own, origin), parts)
      const names = (): readonly string[] => [...open.keys()].sort()

      /** Sleeps until the session may have been idle for long enough, and ends it when it was. */
      const expire = Effect.fnUntraced(function* (session: OpenSession) {
        for (;;) {
          const left = settings.sessionTtl - (yield* session.idleMs)
          if (left <= 0) break
          yield* Effect.sleep(left)
        }
        // Not in this fiber, which ends with the session.
        yield* Effect.forkIn(end(session), scope)
      })

      /** Nobody finds it any more, whoever is in it is told, and its child is gone. */
      const end = Effect.fnUntraced(function* (session: OpenSession) {
        if (open.get(session.name) === session) open.delete(session.name)
        yield* session.close
        yield* Scope.close(scopes.get(session)!, Exit.void)
      }, Effect.uninterruptible)

      const tooMany = Effect.gen(function* () {
        const all = [...open.values()]
        const idle = yield* Effect.forEach(
          all.filter(({ busy }) => !busy()),
          ({ name, idleMs }) => Effect.map(idleMs, (ms) => ({ name, idleMs: ms })),
        )
        const busy = all.filter((each) => each.busy()).map(({ name }) => name)
        return yield* new TooManySessions({ limit: settings.maxSessions, idle: idle.sort((a, b) => b.idleMs - a.idleMs), busy })
      })

      /** `making` is held. */
      const add = Effect.fnUntraced(function* (name: string, origin?: Origin) {
        if (open.size >= settings.maxSessions) return yield* tooMany
        const own = yield* Scope.fork(scope)
        const session = yield* makeIn(name, own, origin)
        scopes.set(session, own)
        open.set(name, session)
        yield* Effect.forkIn(expire(session), own)
        return session
      })

      const addNew = Effect.fnUntraced(function* (name: string, origin: Origin) {
        if (open.has(name)) return yield* new NameTaken({ what: "session", name, taken: names() })
        return yield* add(name, origin)
      })

      /** A new session whose child is there; or no session. */
      const begin = Effect.fnUntraced(function* (name: string, origin: Origin) {
        const session = yield* making.withPermit(addNew(name, origin))
        return yield* Effect.onError(session.begin, () => end(session))
      })

      const find = (name: string): Effect.Effect<OpenSession, NoSession> =>
        Effect.suspend(() => {
          const session = open.get(name)
          return session === undefined ? new NoSession({ name, open: names() }) : Effect.succeed(session)
        })

      const getOrAdd = (name: string) =>
        Effect.suspend((): Effect.Effect<OpenSession, TooManySessions> => {
          const present = open.get(name)
          return present === undefined ? add(name) : Effect.succeed(present)
        })

      const get = (name: string): Effect.Effect<OpenSession, TooManySessions> =>
        Effect.suspend(() => {
          const session = open.get(name)
          return session === undefined ? making.withPermit(getOrAdd(name)) : Effect.as(session.touch, session)
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
        create: (name, engine) => begin(name, { engine }),
        fork: Effect.fnUntraced(function* ({ from, snapshot, name }) {
          if (open.has(name)) return yield* new NameTaken({ what: "session", name, taken: names() })
          const source = yield* find(from)
          const { contents, engine } = yield* source.state(snapshot)
          return yield* begin(name, { engine, why: `forked from ${from}`, contents })
        }),
        close: Effect.fnUntraced(function* (name) {
          const session = yield* find(name)
          const was = yield* session.status
          yield* end(session)
          return was
        }),
        resetAll: Effect.flatMap(
          byName,
          Effect.forEach((session) => Effect.map(session.reset, (done) => ({ name: session.name, ...done })), { concurrency: "unbounded" }),
        ),
      })
    }),
  )
}
