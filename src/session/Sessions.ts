/**
 * Named sessions, those that are open (`OpenSessions.ts`) and those that are on disk, which the first use of one brings back.
 *
 * Guarantees: closing one leaves nothing of it, wherever it was; a fork takes no name that is in use. Does not: keep what an ended session
 * held when there is no state folder.
 */
import * as Clock from "effect/Clock"
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
import { since } from "../elapsed.ts"
import { Engines } from "../child/engines/Engines.ts"
import { make as makeSession } from "./makeSession.ts"
import type { OpenSession } from "./OpenSession.ts"
import { ephemeral } from "./ephemeral.ts"
import type { Made } from "./Origin.ts"
import * as OpenSessions from "./OpenSessions.ts"
import { makeNewSessions, type Merge, type NewSession, type Source } from "./NewSessions.ts"
import type { Merged } from "./variables/merge.ts"
import { History, type HistoryView } from "./history/History.ts"
import type { EvaluateRequest } from "./Evaluation.ts"
import { Outputs } from "./output/Outputs.ts"
import type { Find, Found, Page, PageRequest } from "./output/pages.ts"
import { Plots } from "./plots/Plots.ts"
import { Fence } from "../child/Fence.ts"
import { Places } from "./Places.ts"
import { Process } from "../child/Process.ts"
import { RootFiles } from "./RootFiles.ts"
import type { Session } from "./Session.ts"
import type { SessionStatus } from "./SessionStatus.ts"
import {
  type EvaluationStopped,
  NoSession,
  type NotAllowed,
  type SessionError,
  type TooManyEvaluations,
  type TooManySessions,
} from "./SessionError.ts"
import { type Drift, type DriftRequest, makeDrift } from "./builds/drift.ts"
import { type Compared, type CompareRequest, makeCompare, type NotComparable } from "./builds/sides.ts"
import { Store, type StoredSession } from "../store/Store.ts"

/** The state folder, and whatever is wrong with it. */
export interface Disk {
  /** Null when nothing is to be kept on disk. */
  readonly folder: string | null
  readonly trouble: readonly string[]
  /** Sessions that are on disk and not open; the first use of one brings it back. */
  readonly stored: readonly (Omit<StoredSession, "savedAt"> & { readonly ageMs: number })[]
}

/** As it is, and refused to a caller that may only look, or has reached a limit. */
type Guarded<F> = F extends (...given: infer Given) => Effect.Effect<infer A, infer E>
  ? (...given: Given) => Effect.Effect<A, E | NotAllowed | TooManyEvaluations>
  : never

/** What a session is put together from: not the layer's whole context, whose scope would become that of each child. */
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
  Places,
] as const
type Part = Context.Service.Identifier<(typeof parts)[number]>

/** What a machine that is one of several does with its sessions, beyond what the tools ask. */
export class Residence extends Context.Service<
  Residence,
  {
    /** Ends one here if it is open, written first within that time, or as it is; what is kept of it stays, and another machine may go on with it. */
    readonly leave: (name: string, withinMs: number) => Effect.Effect<void>
  }
>()("k3-mcp/session/Residence") {}

export class Sessions extends Context.Service<
  Sessions,
  {
    /** The session of that name, made when there is none; making one launches nothing. */
    readonly get: (name: string) => Effect.Effect<Session, SessionError>
    /** The session of that name if it is open. */
    readonly find: (name: string) => Effect.Effect<Session | undefined>
    /** Status of every open session, by name. */
    readonly list: Effect.Effect<readonly SessionStatus[]>
    /** Status of one; a session that was never used is described as it would start, and is not made. */
    readonly status: (name: string) => Effect.Effect<SessionStatus>
    /** Makes one that there is not yet and launches its child, of that engine if one is named. */
    readonly create: (request: NewSession) => Effect.Effect<Made, SessionError>
    /** Makes one, of the same engine unless another is named, that is given what another holds now, or what a snapshot of it does. */
    readonly fork: (request: NewSession & Source) => Effect.Effect<Made, SessionError>
    /** Variables of one, or of a snapshot of it, put among those of another; those there are only with `overwrite`. */
    readonly merge: (request: Merge) => Effect.Effect<Merged, SessionError>
    /** Ends the evaluation that runs in one; undefined when none does. */
    readonly interrupt: (name: string) => Effect.Effect<EvaluationStopped | undefined, SessionError>
    /** Ends one, with whatever runs or waits in it and what is on disk of it; tells what it was. */
    readonly close: (name: string) => Effect.Effect<SessionStatus, SessionError>
    /** What was asked and answered, of open sessions and others. */
    readonly history: { readonly of: (session: string) => Effect.Effect<HistoryView> }
    readonly crashes: Pick<CrashRecords["Service"], "all">
    /** Tools made of K functions. */
    readonly definitions: Omit<Definitions["Service"], "add" | "remove"> & {
      readonly add: Guarded<Definitions["Service"]["add"]>
      readonly remove: Guarded<Definitions["Service"]["remove"]>
    }
    /** Files that calls name. */
    readonly files: RootFiles["Service"]
    readonly disk: Effect.Effect<Disk>
    /** The long outputs of all sessions. */
    readonly outputs: {
      readonly page: (handle: string, request: PageRequest) => Effect.Effect<Page, SessionError>
      readonly find: (handle: string, request: Find) => Effect.Effect<Found, SessionError>
    }
    /** Pictures of values of sessions. */
    readonly plots: Plots["Service"]
    /** Evaluations that nobody waits for. */
    readonly backgrounds: Omit<Backgrounds, "begin" | "find" | "stop"> & {
      readonly begin: (session: string, request: EvaluateRequest) => Effect.Effect<BackgroundEvaluation, SessionError>
      readonly find: (handle: string) => Effect.Effect<BackgroundEvaluation, SessionError>
      readonly stop: (handle: string) => Effect.Effect<EvaluationStopped | undefined, SessionError>
    }
    /** The same code on two sides; see `sides.ts` for what a side may be. */
    readonly compare: (request: CompareRequest) => Effect.Effect<Compared, SessionError | BadCaseFile | NotComparable>
    /** Which definitions of a script differ from the session's. */
    readonly drift: (request: DriftRequest) => Effect.Effect<Drift, SessionError>
    /** Every session, those on disk too. */
    readonly resetAll: Effect.Effect<
      readonly { readonly name: string; readonly how: "cleared" | "relaunched"; readonly generation: number }[],
      SessionError
    >
  }
>()("k3-mcp/session/Sessions") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const context = Context.pick(...parts)(yield* Effect.context<Part>())
      const { cwd } = yield* Settings
      const store = yield* Store
      const history = yield* History
      const forEphemeral = Context.merge(context, ephemeral)
      const open = yield* OpenSessions.make((name, scope, origin, ended) =>
        Effect.provide(makeSession(name, scope, origin, ended), origin?.isEphemeral === true ? forEphemeral : context),
      )

      // Behind the sessions, so that these end before what the sessions hold is captured for the last time.
      const backgrounds = yield* makeBackgrounds(open.get)

      const none = (name: string) => new NoSession({ name, open: open.all().map((each) => each.name) })

      const stored = Effect.map(store.sessions, (all) =>
        all.filter(({ name, variables }) => variables > 0 && open.find(name) === undefined),
      )
      const isStored = (name: string) => Effect.map(stored, (all) => all.some((each) => each.name === name))
      const forget = (name: string) =>
        Effect.suspend(() => {
          open.forget(name)
          return Effect.scoped(Effect.flatMap(store.workspace(name, cwd), (workspace) => workspace.forget))
        })

      /** One that is open, or comes back from disk. */
      const find = Effect.fnUntraced(function* (name: string): Effect.fn.Return<OpenSession, NoSession | TooManySessions> {
        const session = open.find(name)
        if (session !== undefined) return session
        return yield* (yield* isStored(name)) ? open.get(name) : none(name)
      })

      const { create, fork, merge } = makeNewSessions({ open, find, isStored, history })

      const close: Sessions["Service"]["close"] = Effect.fnUntraced(function* (name) {
        const session = open.find(name)
        const kept = (yield* stored).find((each) => each.name === name)
        if (session === undefined && kept === undefined) return yield* none(name)
        const was = yield* open.status(name)
        if (session !== undefined) yield* open.end(session)
        // What an earlier session of that name left on disk is none of an ephemeral one's.
        if (was.isEphemeral) open.forget(name)
        else yield* Effect.andThen(forget(name), store.snapshots(name).clear)
        return kept === undefined ? was : { ...was, held: { variables: kept.variables, missed: 0, lost: [] } }
      })

      const resetAll: Sessions["Service"]["resetAll"] = Effect.gen(function* () {
        const closed = new Set((yield* stored).map(({ name }) => name))
        yield* Effect.forEach(closed, forget, { discard: true })
        const reset = yield* Effect.forEach(
          open.all(),
          (session) => Effect.map(session.reset, (done) => ({ name: session.name, ...done })),
          { concurrency: "unbounded" },
        )
        return [...reset, ...[...closed].map((name) => ({ name, how: "cleared" as const, generation: 0 }))]
      })

      const disk: Sessions["Service"]["disk"] = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const sessions = (yield* stored).map(({ name, engine, variables, savedAt }) => ({
          name,
          engine,
          variables,
          ageMs: since(savedAt, now),
        }))
        return { folder: store.place, trouble: yield* store.trouble, stored: sessions }
      })

      const sessions = Sessions.of({
        get: (name) =>
          Effect.zipWith(open.get(name), Caller, (session, { reader }) => {
            session.attend(reader)
            return session
          }),
        find: (name) => Effect.sync(() => open.find(name)),
        list: Effect.suspend(() => Effect.forEach(open.all(), (session) => session.status)),
        status: open.status,
        create,
        fork,
        merge,
        interrupt: (name) => Effect.suspend(() => open.find(name)?.interrupt ?? none(name)),
        close,
        history: { of: (name) => Effect.map(history.of(name), ({ view }) => view()) },
        crashes: yield* CrashRecords,
        definitions: yield* Definitions,
        files: yield* RootFiles,
        disk,
        outputs: yield* Outputs,
        plots: yield* Plots,
        backgrounds,
        drift: yield* Effect.provide(makeDrift(find), context),
        compare: yield* Effect.provide(makeCompare(find), context),
        resetAll,
      })
      const leave = Effect.fnUntraced(function* (name: string, withinMs: number) {
        const session = open.find(name)
        if (session === undefined) return
        if (withinMs > 0) yield* session.persistWithin(withinMs)
        yield* open.end(session)
      })
      return Context.make(Sessions, sessions).pipe(Context.add(Residence, Residence.of({ leave })))
    }),
  )
}
