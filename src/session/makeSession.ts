/**
 * A session put together: whose variables it holds, what runs on its child in turn, and the looks that never wait.
 *
 * The parts know nothing of each other but what is handed to them here: `evaluations.ts` what an agent runs, `cutShort.ts` and `Replies.ts`
 * how that ends, `asides.ts` the server's own work, `captures.ts` what is looked at, `Lifecycle.ts` the child, `Keeper.ts` and
 * `Persistence.ts` what outlives it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Settings } from "../Settings.ts"
import { elapsedMs } from "../elapsed.ts"
import * as asides from "./asides.ts"
import { Baselines } from "./variables/Baselines.ts"
import * as cutShort from "./cutShort.ts"
import * as captures from "./variables/captures.ts"
import { CrashRecords } from "./history/CrashRecord.ts"
import { Engines } from "../child/engines/Engines.ts"
import * as evaluations from "./evaluations.ts"
import { recordOf } from "./history/Fall.ts"
import { History } from "./history/History.ts"
import { Keeper } from "./variables/Keeper.ts"
import * as Lifecycle from "./Lifecycle.ts"
import { makeMemoryWatch } from "../child/memoryWatch.ts"
import type { OpenSession, Origin } from "./OpenSession.ts"
import { Outputs } from "./output/Outputs.ts"
import * as Persistence from "./variables/Persistence.ts"
import { makeRecording } from "./history/recording.ts"
import * as reload from "./builds/reload.ts"
import { Replies } from "./Replies.ts"
import * as reset from "./reset.ts"
import { scriptOf } from "./variables/script.ts"
import type { Session } from "./Session.ts"
import { makeStored } from "./variables/snapshots.ts"
import { StaleWatch } from "./builds/staleness.ts"
import { liveOf } from "./state.ts"
import * as status from "./status.ts"
import { Store } from "../store/Store.ts"
import { Turn } from "./Turn.ts"
import { Usage } from "./Usage.ts"

/** `ended`: why an earlier life of the session in this server is over, when it held something. */
export const make = Effect.fnUntraced(function* (name: string, scope: Scope.Scope, origin: Origin = {}, ended?: string) {
  const settings = yield* Settings
  const engines = yield* Engines
  const crashes = yield* CrashRecords
  const store = yield* Store
  const outputs = yield* Outputs
  const clock = yield* Clock.Clock
  const { engine: chosen, why = "asked for" } = origin
  const keeper = new Keeper({ bytes: settings.captureTotal, batchTimeout: settings.launchTimeout })
  const persistence = yield* Persistence.make({ name, scope, keeper, madeWith: chosen, ended })
  const named = (kind: typeof chosen) => (kind === undefined ? engines.pick : Effect.sync(() => engines.named(kind, why)))
  const pick = Effect.flatMap(persistence.madeWith, named)
  const history = yield* History
  yield* history.using(name, scope)
  const recording = makeRecording(name, history, clock, () => life.generation())
  const life: Lifecycle.Lifecycle = yield* Lifecycle.make({
    name,
    scope,
    pick,
    giveBack: (launched) => Effect.andThen(persistence.load(launched.engine.kind), keeper.giveBack(launched)),
    fell: (fall) => crashes.note(recordOf(name, fall, keeper, recording, memory.last())),
  })
  const usage = yield* Usage.make(name, () => life.state()._tag === "Closed")
  const memory = yield* makeMemoryWatch(
    scope,
    () => liveOf(life.state())?.child.pid,
    () => usage.busy,
  )
  const turn = yield* Turn.make(scope)
  const made = elapsedMs(clock)
  const baselines = new Baselines(name, settings.captureTotal)
  if (origin.contents !== undefined) {
    // It takes the place of what an earlier session of that name left on disk.
    yield* Effect.andThen(persistence.forget, store.snapshots(name).clear)
    keeper.hold(origin.contents, clock.currentTimeMillisUnsafe())
    keeper.engine = chosen
  }
  const looks = captures.make({ keeper, life, turn, usage, persistence, clock, scope, pick })
  const evaluated = (): void => {
    keeper.evaluated()
    persistence.evaluated()
  }
  const cut = cutShort.make({ session: name, life, keeper, clock, captures: looks, evaluated })
  const replies = new Replies({ life, keeper, clock, persistence, store })
  const evaluate = evaluations.make({
    session: name,
    life,
    keeper,
    settings,
    clock,
    turn,
    usage,
    captures: looks,
    recording,
    outputs,
    stale: new StaleWatch(),
    memory,
    evaluated,
    cutShort: cut,
    replies,
  })
  let doing: string | null = null

  const persist = (withinMs: number) => persistence.now(looks.last, withinMs)

  const cleanUp = reset.make({ keeper, life, persistence, captures: looks })

  const takeUp = yield* reload.make({
    keeper,
    life,
    engine: { pick, fixed: chosen ?? (settings.engine === "auto" ? undefined : settings.engine) },
    capture: looks.all,
    inTurn: (effect) => turn.run(effect),
    doing: (what) => (doing = what),
    forget: persistence.forget,
    replaced: () => {
      looks.forgetSights()
      persistence.takeNews()
    },
  })

  const late = (doing: string) => cut.lateDoing(settings.evalTimeout, doing)
  const aside = asides.make({ session: name, keeper, life, deadline: settings.evalTimeout, late, turn, usage, capture: looks.all })

  const { snapshots, ready } = yield* makeStored(baselines, {
    session: name,
    keeper,
    life,
    ...aside,
    restored: persistence.evaluated,
    stored: store.snapshots(name),
  })

  const script: Session["script"] = (most) =>
    Effect.gen(function* () {
      // What is held can be written down when no child can be launched, too.
      yield* Effect.catchTag(aside.ifIdle, ["LaunchFailed", "BreakerOpen", "BuildNotFound", "BuildUnusable"], () => Effect.void)
      const engine = liveOf(life.state())?.engine ?? (yield* pick)
      yield* persistence.load(engine.kind)
      return { ...scriptOf(engine.kind, keeper.contents, most), missed: keeper.summary.missed }
    })

  const statusNow = status.make({
    name,
    life,
    keeper,
    turn,
    usage,
    persistence,
    memory,
    clock,
    made,
    engine: Effect.suspend(() => named(persistence.knownMadeWith())),
    evaluations: () => replies.count,
    doing: () => doing,
  })

  return {
    name,
    evaluate,
    status: statusNow,
    reset: usage.during(turn.run(Effect.tap(cleanUp, () => recording.event("reset")))),
    reload: (request) => usage.during(Effect.tap(takeUp(request), () => (request.preserveState ? Effect.void : recording.event("reload")))),
    inspect: looks.inspect,
    names: looks.names,
    persist: persist(settings.evalTimeout),
    persistWithin: persist,
    holds: () => keeper.holds,
    script,
    snapshots: {
      ...snapshots,
      restore: (snapshot) => Effect.tap(snapshots.restore(snapshot), () => recording.event("restore")),
    },
    idleMs: Effect.sync(() => usage.idleMs),
    busy: () => usage.busy,
    touch: () => usage.touch(),
    program: () => liveOf(life.state()),
    held: Effect.map(Effect.ignore(aside.ifIdle), () => keeper.copy()),
    ...asides.outward(aside, keeper, baselines, ready),
    close: life.close,
  } satisfies OpenSession
})
