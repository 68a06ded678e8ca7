/** Makes the status of a session from its services. Waits only for checks of the build on disk, of the fence and of memory. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Fence } from "../child/Fence.ts"
import { elapsed, since } from "../elapsed.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { Store } from "../store/Store.ts"
import type { makeReload } from "./builds/reload.ts"
import { isStale } from "./builds/staleness.ts"
import { DryRun } from "./DryRun.ts"
import { EvaluationQueue } from "./EvaluationQueue.ts"
import { Evaluator } from "./Evaluator.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import type { SessionStatus } from "./SessionStatus.ts"
import { generationOf, liveOf, phaseOf, workOf } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"
import { Usage } from "./Usage.ts"
import { summaryOf } from "./variables/Workspace.ts"

export const makeStatus = Effect.fnUntraced(function* (reloading: Omit<Effect.Success<typeof makeReload>, "reload">) {
  const supervisor = yield* Supervisor
  const { name, origin, made } = yield* SessionIdentity
  const queue = yield* EvaluationQueue
  const usage = yield* Usage
  const evaluator = yield* Evaluator
  const dryRun = yield* DryRun
  const { buildDirWhy } = yield* Settings
  const fence = yield* Fence
  const store = yield* Store

  return Effect.gen(function* () {
    const now = yield* elapsed
    const state = supervisor.state()
    const live = liveOf(state)
    const work = workOf(state)
    const { savedAt, behind } = state.kept
    const spare = supervisor.sparePid()
    const engine = live?.engine ?? (yield* supervisor.likely)
    const build = yield* engine.onDisk
    const refused = build === null ? undefined : reloading.refused(build)
    const stale = build === null ? null : live !== undefined && isStale(live, build)
    return {
      name,
      phase: phaseOf(state),
      isEphemeral: origin.isEphemeral === true,
      engine: engine.kind,
      engineWhy: engine.why,
      pid: live?.child.pid ?? null,
      generation: generationOf(state),
      fence: yield* fence.state,
      shadow: live?.prepared.shadow ?? null,
      buildFolder: engine.buildFolder,
      buildFolderWhy: engine.buildFolder === null ? null : buildDirWhy,
      runningHash: live?.prepared.build?.hash ?? null,
      buildHash: build?.hash ?? null,
      stale,
      ...(refused !== undefined && { refused }),
      engineVersion: yield* engine.version(live?.prepared),
      uptimeMs: live === undefined ? null : now - live.since,
      evaluations: evaluator.count(),
      doing: reloading.doing() ?? dryRun.doing(),
      running:
        work === undefined
          ? null
          : { statement: shortened(work.statement), nth: work.nth, forMs: now - work.since, waiting: queue.waiting() },
      lastCrash: state.lastCrash,
      ageMs: now - made,
      idleMs: usage.idleMs(),
      held: summaryOf(state.workspace),
      onDisk: savedAt === undefined ? null : { ageMs: since(savedAt, yield* Clock.currentTimeMillis), behind },
      spare: spare === null ? null : { pid: spare, memoryBytes: yield* supervisor.residentBytes(spare) },
      memoryBytes: live === undefined ? null : yield* supervisor.residentBytes(live.child.pid),
      trouble: yield* store.trouble,
    } satisfies SessionStatus
  })
})
