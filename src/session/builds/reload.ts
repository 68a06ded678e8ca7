/**
 * Reloads the build on disk: builds it, launches it beside the running one, checks it, and switches to it.
 *
 * Guarantees: the session keeps its child and variables unless the new build starts, adds two numbers, and survives every check that the old
 * one survives. The build command runs before the session's queue is taken, so evaluations go on meanwhile. Checks run on children beside the
 * session. Does not: undo changes that a check made to files.
 */
import * as Effect from "effect/Effect"
import { stopwatch } from "../../elapsed.ts"
import type { Build } from "../../child/builds/buildFiles.ts"
import type { ChildProgram } from "../../child/Launcher.ts"
import type { Fence } from "../../child/Fence.ts"
import type { Process } from "../../child/Process.ts"
import { Settings } from "../../Settings.ts"
import { Announce } from "../Announce.ts"
import { EvaluationRecorder } from "../history/EvaluationRecorder.ts"
import type { EvaluationPlaces } from "../EvaluationPlaces.ts"
import type { RootFiles } from "../RootFiles.ts"
import { SessionIdentity } from "../SessionIdentity.ts"
import { CheckFailed, type ReloadRequest, type Session } from "../Session.ts"
import { liveOf } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { Maintenance } from "../Maintenance.ts"
import { Captures } from "../variables/Captures.ts"
import { Persistence } from "../variables/Persistence.ts"
import type { Workspace } from "../variables/Workspace.ts"
import { Builder, BuildFailed } from "./Build.ts"
import { type RunItem, itemOf, itemsOf } from "./caseFile.ts"
import { compare, type Comparison } from "./compare.ts"
import * as Scratch from "./Scratch.ts"

export const makeReload = Effect.gen(function* () {
  const context = yield* Effect.context<Settings | Process | Fence | EvaluationPlaces | RootFiles>()
  const settings = yield* Settings
  const builder = yield* Builder
  const { origin } = yield* SessionIdentity
  const { state, pick, connect, replace } = yield* Supervisor
  const captures = yield* Captures
  const persistence = yield* Persistence
  const recorder = yield* EvaluationRecorder
  const maintenance = yield* Maintenance
  /** The engine of every launch, when the session or the settings fix one. */
  const fixed = origin.engine ?? (settings.engine === "auto" ? undefined : settings.engine)
  /** The present step of each reload that runs or waits, the first to begin first. */
  const doing = new Map<object, string>()
  /** The latest build that a reload refused, and why. */
  let refused: { readonly content: string | undefined; readonly why: "launch" | "check" } | undefined

  const buildNow = Effect.gen(function* () {
    const tell = yield* Announce
    const useless = (why: string, ms: number) =>
      new BuildFailed({
        reason: "useless",
        command: settings.buildCommand,
        exit: { code: 0, signal: null },
        errors: [],
        errorCount: 0,
        warningCount: 0,
        tail: [why],
        ms,
      })
    if (fixed === "embedded" && !settings.isHosted) return yield* useless("the engine is set to embedded, which has no build of its own", 0)
    tell(`building: ${settings.buildCommand}`)
    const built = yield* builder.build((line) => tell(`building: ${line.trim().slice(0, 200)}`))
    const engine = yield* pick
    if (engine.kind === "embedded") return yield* useless(engine.why, built.ms)
    return built
  })

  /** Runs the items on children of both builds, which begin with the variables of `workspace`. */
  const compareBuilds = (
    [old, next]: readonly [ChildProgram, ChildProgram],
    items: readonly RunItem[],
    workspace: Workspace | undefined,
    { changes = false, timeoutMs }: ReloadRequest,
  ) => {
    const children = Effect.all([Scratch.make(old, workspace, timeoutMs, changes), Scratch.make(next, workspace, timeoutMs, changes)])
    const options = { withinMs: settings.evalTimeoutMax, all: false, what: "check", changes }
    return Effect.provide(Effect.scoped(Effect.flatMap(children, ([a, b]) => compare(items, a, b, options))), context)
  }

  const switchTo = Effect.fnUntraced(function* (request: ReloadRequest, items: readonly RunItem[] | undefined) {
    const { preserveState, checkFile } = request
    const old = liveOf(state())
    if (preserveState && old !== undefined) yield* captures.all(old)
    let tookMs = yield* stopwatch
    let check: Comparison | null | undefined
    let tried: string | undefined
    const vet = Effect.fnUntraced(function* (next: ChildProgram, present: ChildProgram | undefined) {
      tried = next.prepared.build?.content
      if (items === undefined) return
      const given = checkFile === undefined && preserveState ? state().workspace : undefined
      check = present === undefined ? null : yield* compareBuilds([present, next], items, given, request)
      tookMs = yield* stopwatch
      if (check !== null && check.fallen > 0) return yield* new CheckFailed({ check })
    })
    const { before, live, restored } = yield* Effect.tapError(replace({ fresh: !preserveState, vet }), (error) =>
      Effect.sync(() => {
        if (error._tag === "CheckFailed") refused = { content: tried, why: "check" }
        // A process that the system did not start says nothing about the build.
        if (error._tag === "LaunchFailed" && error.reason !== "spawn") refused = { content: tried, why: "launch" }
      }),
    )
    if (!preserveState) {
      yield* persistence.forget
      yield* recorder.event("reload", live.generation)
    }
    return {
      engine: live.engine.kind,
      oldHash: before?.prepared.build?.hash ?? null,
      newHash: live.prepared.build?.hash ?? null,
      generation: live.generation,
      ms: tookMs(),
      variables: preserveState ? (restored ?? { restored: 0, lost: [], missed: 0 }) : null,
      ...(check !== undefined && { check }),
    }
  })

  const reload: Session["reload"] = Effect.fnUntraced(function* (request) {
    const tell = yield* Announce
    const own = {}
    const { build = false, check, checkFile } = request
    const fromFile = checkFile === undefined ? [] : yield* Effect.provide(itemsOf(checkFile), context)
    const items =
      check === undefined && checkFile === undefined ? undefined : [...(check ?? []).map((code) => itemOf(code, false)), ...fromFile]
    const work = Effect.gen(function* () {
      // The comparison needs a child of the old build, whose files the build command may replace. Outside the queue, which may be held for long.
      if (items !== undefined) yield* Effect.ignore(connect)
      const built = build ? yield* buildNow : undefined
      const done = yield* maintenance.replace("reload", switchTo(request, items))
      return { ...done, ...(built !== undefined && { built }) }
    })
    return yield* work.pipe(
      Effect.provideService(Announce, (what, isInterruptible) => {
        if (what !== undefined) doing.set(own, what)
        tell(what, isInterruptible)
      }),
      Effect.ensuring(Effect.sync(() => doing.delete(own))),
    )
  })
  return {
    reload,
    /** The name of the present step, in words; null when no reload runs. */
    doing: () => [...doing.values()][0] ?? null,
    /** Why a reload refused this build; undefined when the latest refused one is another. */
    refused: ({ content }: Build) => (refused?.content === content ? refused.why : undefined),
  }
})
