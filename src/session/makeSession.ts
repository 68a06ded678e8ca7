/**
 * Makes a session: a layer with services of its own, and the operations of `ManagedSession` over them.
 *
 * Later services use earlier ones: `Supervisor.ts` (the state and the child), `EvaluationQueue.ts` (one job at a time), `Usage.ts`,
 * `Persistence.ts` and `Captures.ts` (the workspace beyond the child), `Interruption.ts` and `Maintenance.ts`, `Evaluator.ts` (the
 * evaluations).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { elapsed } from "../elapsed.ts"
import { listingOf, mostEntries } from "../child/engines/Listing.ts"
import { translated } from "../child/engines/translated.ts"
import type { Contents } from "../child/Contents.ts"
import { Settings } from "../Settings.ts"
import { Store } from "../store/Store.ts"
import { makeReload } from "./builds/reload.ts"
import { Caller } from "./Caller.ts"
import { DryRun } from "./DryRun.ts"
import { EvaluationQueue } from "./EvaluationQueue.ts"
import { Evaluator } from "./Evaluator.ts"
import { EvaluationRecorder } from "./history/EvaluationRecorder.ts"
import { Interruption } from "./Interruption.ts"
import { Maintenance } from "./Maintenance.ts"
import type { ManagedSession, Origin } from "./ManagedSession.ts"
import { restoredIn } from "./notices.ts"
import { makeReset } from "./reset.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import { WouldOverwrite } from "./SessionError.ts"
import { liveOf } from "./state.ts"
import { makeStatus } from "./status.ts"
import { Supervisor } from "./Supervisor.ts"
import { Usage } from "./Usage.ts"
import { Captures } from "./variables/Captures.ts"
import { makeChangeTo } from "./variables/setVariables.ts"
import { makeRows } from "./variables/rows.ts"
import { findIn } from "./variables/find.ts"
import { planOf, takenOf } from "./variables/merge.ts"
import { makeSnapshots } from "./variables/makeSnapshots.ts"
import { Persistence } from "./variables/Persistence.ts"
import { scriptOf } from "./variables/workspaceScript.ts"
import { holdsAnything, summaryOf } from "./variables/Workspace.ts"

const services = Evaluator.layer.pipe(
  Layer.provideMerge(Layer.merge(Maintenance.layer, DryRun.layer)),
  Layer.provideMerge(Interruption.layer),
  Layer.provideMerge(Captures.layer),
  Layer.provideMerge(Persistence.layer),
  Layer.provideMerge(Layer.mergeAll(EvaluationQueue.layer, Usage.layer)),
  Layer.provideMerge(Supervisor.layer),
  Layer.provideMerge(EvaluationRecorder.layer),
)

/** `ended`: why an earlier session of this name ended in this server, if it held variables or snapshots. */
export const make = Effect.fnUntraced(function* (name: string, scope: Scope.Scope, origin: Origin = {}, ended?: string) {
  const { cwd } = yield* Settings
  const store = yield* Store
  const stored = yield* Scope.provide(store.workspace(name, cwd, origin.engine), scope)
  const identity = SessionIdentity.of({ name, origin, ended, stored, made: yield* elapsed })
  // Each session has services of its own: nothing is shared through the memo map of the layers around it.
  const built = Layer.buildWithMemoMap(
    Layer.provideMerge(services, Layer.succeed(SessionIdentity, identity)),
    yield* Layer.makeMemoMap,
    scope,
  )
  return yield* Effect.flatMap(built, (context) => Scope.provide(Effect.provide(assemble, context), scope))
})

/** Gives a new session its variables. They replace the stored ones of an earlier session of this name; its snapshots stay, as after a reset. */
const holdFirst = Effect.fnUntraced(function* (contents: Contents) {
  const { origin } = yield* SessionIdentity
  const { send } = yield* Supervisor
  yield* (yield* Persistence).forget
  send({ _tag: "Forgotten" })
  send({ _tag: "Held", contents, engine: origin.engine, isCurrent: true, at: yield* Clock.currentTimeMillis, by: "beginning" })
})

const makeMerge = Effect.gen(function* () {
  const { name: session } = yield* SessionIdentity
  const { state } = yield* Supervisor
  const maintenance = yield* Maintenance
  const changeTo = yield* makeChangeTo
  return ((chosen, from, overwrite) =>
    maintenance.run("merge", (live) =>
      Effect.gen(function* () {
        const { held } = state().workspace
        const engine = live.engine.kind
        const wanted = translated({ variables: chosen, settings: undefined }, from, engine)
        const plan = planOf(held.variables, wanted.variables)
        const would = (isPossible: boolean) => new WouldOverwrite({ session, variables: plan.overwritten, isPossible })
        if (plan.overwritten.length > 0 && !overwrite) return yield* would(true)
        const put = yield* changeTo({ ...held, variables: plan.goal }, live, "the merge")
        if (put === undefined) return yield* would(false)
        const { goal: _, ...outcome } = plan
        const lost = [...plan.lost, ...put.lost]
        return { ...outcome, engine, generation: live.generation, lost, taken: takenOf(plan, held.settings, put.lost) }
      }),
    )) satisfies ManagedSession["merge"]
})

const assemble = Effect.gen(function* () {
  const settings = yield* Settings
  const { name, origin } = yield* SessionIdentity
  const { state, send, pick, readStored, close } = yield* Supervisor
  const merge = yield* makeMerge
  const usage = yield* Usage
  const persistence = yield* Persistence
  const captures = yield* Captures
  const maintenance = yield* Maintenance
  const evaluator = yield* Evaluator
  const recorder = yield* EvaluationRecorder
  const { snapshots, get: getSnapshot, persist: persistSnapshots, any: anySnapshot } = yield* makeSnapshots
  const rows = yield* makeRows
  const reset = yield* makeReset
  const { reload, ...reloading } = yield* makeReload
  const status = yield* makeStatus(reloading)

  if (origin.contents !== undefined) yield* holdFirst(origin.contents)

  /** The reply reports the new workspace. Clears the caller's pending notices. */
  const answered = <A extends { readonly generation: number }, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tap(effect, ({ generation }) => Effect.map(Caller, ({ reader }) => send({ _tag: "Noticed", reader, generation })))
  const persist = (withinMs: number) =>
    Effect.zipWith(persistence.write(captures.last, withinMs), persistSnapshots, (isKept, areKept) => isKept && areKept)

  return {
    name,
    isEphemeral: origin.isEphemeral === true,
    merge,
    evaluate: evaluator.evaluate,
    interrupt: evaluator.stop,
    status,
    reset: answered(
      usage.during(
        maintenance.replace(
          "reset",
          Effect.tap(reset, ({ generation }) => recorder.event("reset", generation)),
        ),
      ),
    ),
    reload: (request) => answered(usage.during(reload(request))),
    inspect: captures.inspect,
    rows,
    find: (text, skip = 0) =>
      Effect.map(captures.names, ({ ageMs }) => {
        const { entries, unread } = findIn(state().workspace.held.variables, text)
        const listing = listingOf(".", entries.slice(skip, skip + mostEntries), entries.length, skip)
        return { ...listing, unread, generation: state().generation, ageMs: ageMs ?? 0, ...(ageMs === null && { unknown: true as const }) }
      }),
    names: captures.names,
    script: Effect.fnUntraced(function* (most) {
      // The held variables suffice for the script, so it is made even when no child can be launched.
      yield* Effect.catchTag(
        maintenance.ifIdle,
        ["LaunchFailed", "BreakerOpen", "BuildNotFound", "BuildUnusable", "FenceMissing"],
        () => Effect.void,
      )
      const engine = liveOf(state())?.engine ?? (yield* pick)
      yield* readStored(engine.kind)
      const { held, missed } = state().workspace
      return { ...scriptOf(engine.kind, held, most), missed }
    }),
    snapshots,
    persist: Effect.map(persist(settings.evalTimeout), (isKept) => isKept && summaryOf(state().workspace).lost.length === 0),
    persistWithin: persist,
    holds: () => holdsAnything(state().workspace) || anySnapshot(),
    idleMs: usage.idleMs,
    busy: usage.busy,
    touch: usage.touch,
    attend: (reader) => send({ _tag: "Attended", reader }),
    missing: (from, to) => send({ _tag: "Missing", from, to }),
    program: () => liveOf(state()),
    held: Effect.map(Effect.ignore(maintenance.ifIdle), () => state().workspace),
    begin: answered(
      maintenance.run("launch", ({ engine, generation }) =>
        Effect.sync(() => ({ engine: engine.kind, generation, variables: restoredIn(state().notices, generation) })),
      ),
    ),
    contents: (snapshot) =>
      snapshot === undefined
        ? maintenance.run("fork", ({ engine }) => Effect.sync(() => ({ contents: state().workspace.held, engine: engine.kind })))
        : Effect.map(getSnapshot(snapshot), (contents) => ({ contents, engine: contents.engine })),
    close,
  } satisfies ManagedSession
})
