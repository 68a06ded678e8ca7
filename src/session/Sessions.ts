/**
 * Named sessions: the open ones (`SessionPool.ts`), and those in the store, which are opened by their first use.
 *
 * Guarantees: closing a session removes it from memory and from the store; a fork takes no name that is in use. Does not: keep the variables of an
 * ended session without a store.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { Settings } from "../Settings.ts"
import { Builder } from "./builds/Build.ts"
import { type BackgroundEvaluation, type Backgrounds, make as makeBackgrounds } from "./Backgrounds.ts"
import { Caller } from "./Caller.ts"
import type { BadCaseFile } from "./builds/caseFile.ts"
import { CrashRecords } from "./history/CrashRecord.ts"
import { Definitions } from "./Definitions.ts"
import { Engines } from "../child/engines/Engines.ts"
import { make as makeSession } from "./makeSession.ts"
import type { EncodedContents, MadeSession, ManagedSession } from "./ManagedSession.ts"
import { Elsewhere } from "./Elsewhere.ts"
import { ephemeral } from "./ephemeral.ts"
import * as SessionPool from "./SessionPool.ts"
import { makeNewSessions, type Merge, type NewSession, type CopySource } from "./NewSessions.ts"
import type { Merged } from "./variables/merge.ts"
import { History, type HistoryView, recordEvent, type SessionHistory } from "./history/History.ts"
import type { EvaluateRequest } from "./Evaluation.ts"
import { Outputs } from "./output/Outputs.ts"
import type { Find, FoundLines, Page, PageRequest } from "./output/pages.ts"
import { Plots } from "./plots/Plots.ts"
import { Fence } from "../child/Fence.ts"
import { EvaluationPlaces } from "./EvaluationPlaces.ts"
import { Process } from "../child/Process.ts"
import { RootFiles } from "./RootFiles.ts"
import type { Reset, Session } from "./Session.ts"
import type { SessionStatus } from "./SessionStatus.ts"
import { make as makeSubscriptions, type Subscriptions } from "./Subscriptions.ts"
import {
  type EvaluationStopped,
  NoSession,
  type NotAllowed,
  type SessionError,
  type TooManyEvaluations,
  type TooManySessions,
} from "./SessionError.ts"
import { type Drift, drift, type DriftRequest } from "./builds/drift.ts"
import { type ComparedSides, type CompareRequest, compareSides, type NotComparable } from "./builds/sides.ts"
import { type Disk, makeStoredSessions } from "./storedSessions.ts"
import { Store } from "../store/Store.ts"

/** The same function, with the errors for a read-only caller and for a caller at its limit of evaluations. */
type Guarded<F> = F extends (...given: infer Given) => Effect.Effect<infer A, infer E>
  ? (...given: Given) => Effect.Effect<A, E | NotAllowed | TooManyEvaluations>
  : never

/** The services that a session needs. The layer's whole context must not be given: its scope would become the scope of each child. */
const parts = [
  Settings,
  Engines,
  Process,
  Fence,
  FileSystem.FileSystem,
  RootFiles,
  Builder,
  Store,
  History,
  Outputs,
  CrashRecords,
  EvaluationPlaces,
] as const
type Part = Context.Service.Identifier<(typeof parts)[number]>

/** Operations on sessions for a machine of a cluster, beside those for the tools. */
export class Relocation extends Context.Service<
  Relocation,
  {
    /** Ends an open session on this machine, after writing it for at most `withinMs`; 0 writes nothing. The store keeps it for another machine. */
    readonly leave: (name: string, withinMs: number) => Effect.Effect<void>
    /** The numbers of a session's history, which need not be open. */
    readonly history: (name: string) => Effect.Effect<Pick<SessionHistory, "last" | "reach">>
    /** The next replies of an open session report that these evaluations were not restored. */
    readonly missing: (name: string, from: number, to: number) => void
    /** The contents of a session or of a snapshot, for a session on another machine. */
    readonly contents: (name: string, snapshot: string | undefined) => Effect.Effect<EncodedContents, SessionError>
    /** Notes why a session left its machine. The next session of this name that is opened here reports it. */
    readonly noteEnd: (name: string, why: string) => Effect.Effect<void>
  }
>()("k3-mcp/session/Relocation") {}

export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * The session of that name. Makes it when there is none, without launching a child. `timeoutMs`: the deadline of the evaluation that the caller
     * asks for; a session that is on its way to another machine is awaited for as long.
     */
    readonly get: (name: string, timeoutMs?: number) => Effect.Effect<Session, SessionError>
    /** The session of that name if it is open. */
    readonly find: (name: string) => Effect.Effect<Session | undefined>
    /** Status of every open session, by name. */
    readonly list: Effect.Effect<readonly SessionStatus[]>
    /** Status of a session. For a name without a session: the status with which it would start; no session is made. */
    readonly status: (name: string) => Effect.Effect<SessionStatus>
    /** Makes a new session and launches its child, with the engine of the request if it names one. */
    readonly create: (request: NewSession) => Effect.Effect<MadeSession, SessionError>
    /** Makes a new session with the variables of another session, or of a snapshot of it; with the same engine unless the request names one. */
    readonly fork: (request: NewSession & CopySource) => Effect.Effect<MadeSession, SessionError>
    /** Copies variables of a session, or of a snapshot of it, into another session. Replaces existing ones only with `overwrite`. */
    readonly merge: (request: Merge) => Effect.Effect<Merged, SessionError>
    /** Stops the running evaluation of a session. Undefined when none runs; none runs in a session that is only stored. */
    readonly interrupt: (name: string) => Effect.Effect<EvaluationStopped | undefined, SessionError>
    /** Ends a session, fails its running and waiting calls, and removes it from the store. Gives its last status. */
    readonly close: (name: string) => Effect.Effect<SessionStatus, SessionError>
    /** Requests and replies of a session, which need not be open. */
    readonly history: { readonly of: (session: string) => Effect.Effect<HistoryView> }
    readonly crashes: Pick<CrashRecords["Service"], "all">
    /** Tools made of K functions. */
    readonly definitions: Omit<Definitions["Service"], "add" | "remove"> & {
      readonly add: Guarded<Definitions["Service"]["add"]>
      readonly remove: Guarded<Definitions["Service"]["remove"]>
    }
    /** Files named in calls. */
    readonly files: RootFiles["Service"]
    readonly disk: Effect.Effect<Disk>
    /** The long outputs of all sessions. */
    readonly outputs: {
      readonly page: (handle: string, request: PageRequest) => Effect.Effect<Page, SessionError>
      readonly find: (handle: string, request: Find) => Effect.Effect<FoundLines, SessionError>
    }
    /** Pictures of values of sessions. */
    readonly plots: Plots["Service"]
    /** Evaluations in the background. */
    readonly backgrounds: Omit<Backgrounds, "begin" | "find" | "stop"> & {
      readonly begin: (session: string, request: EvaluateRequest) => Effect.Effect<BackgroundEvaluation, SessionError>
      readonly find: (handle: string) => Effect.Effect<BackgroundEvaluation, SessionError>
      readonly stop: (handle: string) => Effect.Effect<EvaluationStopped | undefined, SessionError>
    }
    /** The addresses that clients watch over HTTP. */
    readonly subscriptions: Subscriptions
    /** Runs the same code on two sides; `sides.ts` lists the kinds of sides. */
    readonly compare: (request: CompareRequest) => Effect.Effect<ComparedSides, SessionError | BadCaseFile | NotComparable>
    /** The definitions of a script that differ from the session's. */
    readonly drift: (request: DriftRequest) => Effect.Effect<Drift, SessionError>
    /** Resets a session; of one that is only stored, removes the variables. Snapshots and history stay. */
    readonly reset: (name: string) => Effect.Effect<Reset, SessionError>
    /** Resets all sessions, open or stored. */
    readonly resetAll: Effect.Effect<readonly (Reset & { readonly name: string })[], SessionError>
  }
>()("k3-mcp/session/Sessions") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const context = Context.pick(...parts)(yield* Effect.context<Part>())
      const { cwd } = yield* Settings
      const store = yield* Store
      const history = yield* History
      const outputs = yield* Outputs
      const unarchived = Outputs.of({ ...outputs, open: (name) => outputs.open(name, true) })
      const forEphemeral = Context.add(Context.merge(context, ephemeral), Outputs, unarchived)
      const pool = yield* SessionPool.make((name, scope, origin, ended) =>
        Effect.provide(makeSession(name, scope, origin, ended), origin?.isEphemeral === true ? forEphemeral : context),
      )

      // Made after the sessions, so that background evaluations end before the last captures of the sessions.
      const backgrounds = yield* makeBackgrounds(pool.get)

      const none = (name: string) => new NoSession({ name, open: pool.all().map((each) => each.name) })

      const { storedOne, isStored, disk, named, resetAll } = makeStoredSessions(store, Effect.sync(pool.all), history.of)
      const forget = (name: string) =>
        Effect.suspend(() => {
          pool.forget(name)
          return Effect.scoped(Effect.flatMap(store.workspace(name, cwd), (workspace) => workspace.forget))
        })

      /** The session of this name, open or in the store. */
      const find = Effect.fnUntraced(function* (name: string): Effect.fn.Return<ManagedSession, NoSession | TooManySessions> {
        return yield* pool.find(name) !== undefined || (yield* isStored(name)) ? pool.get(name) : none(name)
      })

      const source = (yield* Elsewhere) ?? find
      const { create, fork, merge } = makeNewSessions({ pool, find, source, isStored, history, named })

      /** Records that the variables of a session were removed; a session without entries gets none. */
      const recordEnd = Effect.fnUntraced(function* (name: string, event: "close" | "reset", generation = 0) {
        const log = yield* history.of(name)
        if (log.last > 0) yield* recordEvent(log, { event, generation })
      })

      const close: Sessions["Service"]["close"] = Effect.fnUntraced(function* (name) {
        const kept = yield* storedOne(name)
        if (pool.find(name) === undefined && kept === undefined) return yield* none(name)
        const was = yield* pool.status(name)
        const session = pool.find(name)
        // The stored data of this name belongs to an earlier session, not to the ephemeral one.
        const last = was.isEphemeral
          ? Effect.sync(() => pool.forget(name))
          : Effect.andThen(Effect.andThen(forget(name), store.snapshots(name).clear), recordEnd(name, "close", was.generation))
        yield* session === undefined ? last : pool.end(session, last)
        return kept === undefined ? was : { ...was, held: { variables: kept.variables, missed: 0, lost: [] } }
      })

      const reset: Sessions["Service"]["reset"] = (name) =>
        Effect.suspend((): Effect.Effect<Reset, SessionError> => {
          const session = pool.find(name)
          if (session !== undefined) return session.reset
          return Effect.as(Effect.andThen(forget(name), recordEnd(name, "reset")), { how: "cleared", generation: 0 })
        })

      const sessions = Sessions.of({
        get: (name) =>
          Effect.withFiber((fiber) =>
            Effect.map(pool.get(name), (session) => {
              session.attend(fiber.getRef(Caller).reader)
              return session
            }),
          ),
        find: (name) => Effect.sync(() => pool.find(name)),
        list: Effect.suspend(() => Effect.forEach(pool.all(), (session) => session.status)),
        status: pool.status,
        create,
        fork,
        merge,
        interrupt: Effect.fnUntraced(function* (name) {
          const session = pool.find(name)
          if (session !== undefined) return yield* session.interrupt
          return (yield* isStored(name)) ? undefined : yield* none(name)
        }),
        close,
        history: { of: (name) => Effect.map(history.of(name), (log) => log.view()) },
        crashes: yield* CrashRecords,
        definitions: yield* Definitions,
        files: yield* RootFiles,
        disk,
        outputs,
        plots: yield* Plots,
        backgrounds,
        subscriptions: yield* makeSubscriptions,
        drift: (request) => Effect.provide(drift(find, request), context),
        compare: (request) => Effect.provide(compareSides({ find, source }, request), context),
        reset,
        resetAll: resetAll(reset),
      })
      const relocation = Relocation.of({
        leave: Effect.fnUntraced(function* (name, withinMs) {
          const session = pool.find(name)
          if (session !== undefined && withinMs > 0) yield* session.persistWithin(withinMs)
          if (session !== undefined) yield* pool.end(session)
          yield* history.leave(name, withinMs > 0)
        }),
        history: history.of,
        missing: (name, from, to) => pool.find(name)?.missing(from, to),
        contents: (name, snapshot) => Effect.flatMap(find(name), (session) => session.contents(snapshot)),
        noteEnd: (name, why) => Effect.sync(() => pool.noteEnd(name, why)),
      })
      return Context.add(Context.make(Sessions, sessions), Relocation, relocation)
    }),
  )
}
