/**
 * Named sessions: made on first use, limited in number, ended when idle.
 *
 * Guarantees: making a session launches nothing and reads nothing from disk; a session ends `sessionTtl` after its last use, never while
 * something runs in it or waits, and is written to disk before; closing the layer's scope writes every session within a bounded time and
 * ends every child before it returns. Does not: keep what an ended session held when there is no state folder.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Settings } from "../Settings.ts"
import { Builder } from "./builds/Build.ts"
import type { BadCaseFile } from "./disk/caseFile.ts"
import type { Comparison } from "./builds/compare.ts"
import { CrashRecords } from "./history/CrashRecord.ts"
import { Definitions } from "./Definitions.ts"
import { since } from "./elapsed.ts"
import { Engines } from "./engines/Engine.ts"
import { make } from "./makeSession.ts"
import type { Begun, OpenSession, Origin } from "./OpenSession.ts"
import { History } from "./history/History.ts"
import { Outputs } from "./output/Outputs.ts"
import { Process } from "./child/Process.ts"
import { RootFiles } from "./disk/RootFiles.ts"
import type { Session, SessionStatus } from "./Session.ts"
import { NameTaken, NoSession, type SessionError, TooManySessions } from "./SessionError.ts"
import * as sides from "./builds/sides.ts"
import type { CompareRequest, NotComparable } from "./builds/sides.ts"
import { StateFolder } from "./disk/StateFolder.ts"
import { snapshotsFolder } from "./disk/storedBaselines.ts"
import { list as listStored, type StoredSession } from "./disk/sessionFiles.ts"
import * as Stored from "./disk/Stored.ts"

/** What is waited for a last capture of each session when the server ends, and for that and writing it; ms. Hosts kill after two seconds. */
const lastCapture = 700
const lastWrite = 1500

/** The state folder, and whatever is wrong with it. */
export interface Disk {
  /** Null when nothing is to be kept on disk. */
  readonly folder: string | null
  readonly trouble: readonly string[]
  /** Sessions that are on disk and not open; the first use of one brings it back. */
  readonly stored: readonly (Omit<StoredSession, "savedAt"> & { readonly ageMs: number })[]
}

const idleFor = (ms: number): string =>
  `it had been idle for ${ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`}`

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
    /** Ends one, with whatever runs or waits in it and what is on disk of it; tells what it was. */
    readonly close: (name: string) => Effect.Effect<SessionStatus, NoSession>
    /** What was asked and answered, of open sessions and others. */
    readonly history: History["Service"]
    readonly crashes: CrashRecords["Service"]
    /** Tools made of K functions. */
    readonly definitions: Definitions["Service"]
    /** Files that calls name. */
    readonly files: RootFiles["Service"]
    readonly disk: Effect.Effect<Disk>
    /** The long outputs of all sessions. */
    readonly outputs: Outputs["Service"]
    /** The same code on two sides; see `sides.ts` for what a side may be. */
    readonly compare: (request: CompareRequest) => Effect.Effect<Comparison, SessionError | BadCaseFile | NotComparable>
    /** Every session, those on disk too. */
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
        Context.add(StateFolder, yield* StateFolder),
        Context.add(History, yield* History),
        Context.add(Outputs, yield* Outputs),
        Context.add(CrashRecords, yield* CrashRecords),
      )
      const folder = Context.get(parts, StateFolder)
      const files = yield* RootFiles
      const definitions = yield* Definitions
      const layerScope = yield* Scope.Scope
      const scope = yield* Scope.fork(layerScope)
      const open = new Map<string, OpenSession>()
      const scopes = new WeakMap<OpenSession, Scope.Closeable>()
      /** Those that ended idle and held something, and why they are not as they were. */
      const ended = new Map<string, string>()
      const making = yield* Semaphore.make(1)

      // Added behind the fork, so that it comes before the end of the children.
      yield* Scope.addFinalizer(
        layerScope,
        Effect.suspend(() =>
          Effect.forEach([...open.values()], (session) => session.persistWithin(lastCapture), { concurrency: "unbounded", discard: true }),
        ).pipe(Effect.interruptible, Effect.timeoutOption(lastWrite)),
      )

      const makeIn = (name: string, own: Scope.Scope, origin?: Origin) => Effect.provide(make(name, own, origin, ended.get(name)), parts)
      const names = (): readonly string[] => [...open.keys()].sort()

      /** Sleeps until the session may have been idle for long enough, and ends it when it was, and still is when it has been written. */
      const expire = Effect.fnUntraced(function* (session: OpenSession) {
        for (;;) {
          const left = settings.sessionTtl - (yield* session.idleMs)
          if (left > 0) {
            yield* Effect.sleep(left)
            continue
          }
          yield* session.persist
          if ((yield* session.idleMs) >= settings.sessionTtl) break
        }
        if (session.holds()) ended.set(session.name, idleFor(settings.sessionTtl))
        else ended.delete(session.name)
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

      const getOrAdd = (name: string) =>
        Effect.suspend((): Effect.Effect<OpenSession, TooManySessions> => {
          const present = open.get(name)
          return present === undefined ? add(name) : Effect.succeed(present)
        })

      const get = (name: string): Effect.Effect<OpenSession, TooManySessions> =>
        Effect.suspend(() => {
          const session = open.get(name)
          if (session === undefined) return making.withPermit(getOrAdd(name))
          session.touch()
          return Effect.succeed(session)
        })

      const stored = Effect.map(listStored(folder), (all) => all.filter(({ name, variables }) => variables > 0 && !open.has(name)))
      const isStored = (name: string) => Effect.map(stored, (all) => all.some((each) => each.name === name))
      const forget = (name: string) =>
        Effect.suspend(() => {
          ended.delete(name)
          return Effect.flatMap(Stored.make(name, folder, settings.cwd), (disk) => disk.forget)
        })

      /** One that is open, or comes back from disk. */
      const find = Effect.fnUntraced(function* (name: string): Effect.fn.Return<OpenSession, NoSession | TooManySessions> {
        const session = open.get(name)
        if (session !== undefined) return session
        return yield* (yield* isStored(name)) ? get(name) : new NoSession({ name, open: names() })
      })

      const byName = Effect.sync(() => [...open.values()].sort((a, b) => (a.name < b.name ? -1 : 1)))

      const status = (name: string) =>
        Effect.suspend(
          () => open.get(name)?.status ?? Effect.scopedWith((own) => Effect.flatMap(makeIn(name, own), (session) => session.status)),
        )

      return Sessions.of({
        outputs: Context.get(parts, Outputs),
        get,
        history: Context.get(parts, History),
        crashes: Context.get(parts, CrashRecords),
        definitions,
        files,
        list: Effect.flatMap(
          byName,
          Effect.forEach((session) => session.status),
        ),
        status,
        create: (name, engine) => begin(name, { engine }),
        fork: Effect.fnUntraced(function* ({ from, snapshot, name }) {
          if (open.has(name) || (yield* isStored(name))) return yield* new NameTaken({ what: "session", name, taken: names() })
          const source = yield* find(from)
          const { contents, engine } = yield* source.state(snapshot)
          const begun = yield* begin(name, { engine, why: `forked from ${from}`, contents })
          const log = yield* Context.get(parts, History).of(name)
          const output = snapshot === undefined ? from : `snapshot ${snapshot} of ${from}`
          log.record({ at: yield* Clock.currentTimeMillis, code: "", output, ok: true, ms: 0, generation: begun.generation, event: "fork" })
          return begun
        }),
        close: Effect.fnUntraced(function* (name) {
          const session = open.get(name)
          const kept = (yield* stored).find((each) => each.name === name)
          if (session === undefined && kept === undefined) return yield* new NoSession({ name, open: names() })
          const was = yield* status(name)
          if (session !== undefined) yield* end(session)
          yield* Effect.andThen(forget(name), folder.remove(snapshotsFolder(name)))
          return kept === undefined ? was : { ...was, held: { variables: kept.variables, missed: 0, lost: [] } }
        }),
        disk: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const sessions = (yield* stored).map(({ name, engine, variables, savedAt }) => ({
            name,
            engine,
            variables,
            ageMs: since(savedAt, now),
          }))
          return { folder: folder.folder, trouble: yield* folder.trouble, stored: sessions }
        }),
        compare: yield* Effect.provide(sides.make(find), parts),
        resetAll: Effect.gen(function* () {
          const closed = new Set((yield* stored).map(({ name }) => name))
          yield* Effect.forEach(closed, forget, { discard: true })
          const reset = yield* Effect.forEach(
            yield* byName,
            (session) => Effect.map(session.reset, (done) => ({ name: session.name, ...done })),
            { concurrency: "unbounded" },
          )
          return [...reset, ...[...closed].map((name) => ({ name, how: "cleared" as const, generation: 0 }))]
        }),
      })
    }),
  )
}
