/**
 * Launches children. Each has a scope of its own, under one shared scope.
 *
 * Guarantees: a launch that fails or is interrupted leaves no process behind. A launch is given only its own scope and the process port: with
 * the layer's whole context it would use the layer's scope, and closing its own would kill nothing. Does not: own a launched child. The caller
 * owns it, and calls in an uninterruptible region.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Settings } from "../Settings.ts"
import { type Child, launch, launchFailed } from "./Child.ts"
import { FenceMissing, type LaunchFailed } from "./ChildError.ts"
import type { Engine, Prepared } from "./engines/Engine.ts"
import type { WrittenForms } from "./engines/k3csharpWritten.ts"
import { text } from "./engines/ownRequests.ts"
import type { Tracker } from "./engines/Tracker.ts"
import { Fence } from "./Fence.ts"
import { Process } from "./Process.ts"

/** The engine and the prepared build that a child runs. */
export interface ChildProgram {
  readonly engine: Engine
  readonly prepared: Prepared
}

export const programOf = (engine: Engine): Effect.Effect<ChildProgram, Effect.Error<Engine["prepare"]>> =>
  Effect.map(engine.prepare, (prepared) => ({ engine, prepared }))

/** A ready child. Closing its scope ends this child only. */
export interface Launched extends ChildProgram {
  readonly child: Child
  readonly tracker: Tracker
  readonly scope: Scope.Closeable
}

export type Launcher = (program: ChildProgram) => Effect.Effect<Launched, LaunchFailed | FenceMissing>

/** `written`: original texts of functions, shared by the trackers of all children. */
export const make = Effect.fnUntraced(function* (scope: Scope.Scope, written: WrittenForms) {
  const settings = yield* Settings
  const process = yield* Process
  const fence = yield* Fence
  return Effect.fnUntraced(function* ({ engine, prepared }: ChildProgram): Effect.fn.Return<Launched, LaunchFailed | FenceMissing> {
    if (settings.isHosted && engine.kind === "k3csharp" && settings.fence !== "required")
      return yield* new FenceMissing({ why: "K3CSharp runs for a principal only where K3_FENCE is required." })
    const fenced = yield* fence.around(prepared.process)
    const own = yield* Scope.fork(scope)
    const plan = {
      engine: engine.kind,
      process: fenced.spec,
      // Principals share the machine, so evaluations leave the processor to the server.
      yields: settings.isHosted,
      reports: engine.reports,
      warm: engine.warm,
      timeoutMs: settings.launchTimeout,
      keep: settings.outputKept,
    }
    const child = yield* Effect.andThen(prepared.hold, Effect.interruptible(launch(plan))).pipe(
      Effect.tap(({ pid }) => fenced.check(pid)),
      Effect.provideService(Process, process),
      Scope.provide(own),
      Effect.onError(() => Effect.forkIn(Scope.close(own, Exit.void), scope)),
    )
    return { engine, prepared, child, tracker: engine.track(child, written), scope: own }
  }, Effect.uninterruptible)
})

/** Ends a child, and waits until its process group is gone. */
export const close = (launched: Launched): Effect.Effect<void> =>
  Effect.suspend(() => {
    launched.child.kill()
    return Scope.close(launched.scope, Exit.void)
  })

/** Fails unless the child knows that 1+1 is 2. */
export const doSum = Effect.fnUntraced(function* (
  { child, engine, prepared }: Launched,
  timeoutMs: number,
): Effect.fn.Return<void, LaunchFailed> {
  const plan = { engine: engine.kind, process: prepared.process, timeoutMs }
  const reply = yield* text(child, "1+1").pipe(
    Effect.mapError(({ exit, stderr }) => launchFailed(plan, "exit", stderr, { exit })),
    Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => launchFailed(plan, "timeout", child.stderr()) }),
  )
  const answer = reply.trim()
  if (answer !== "2") return yield* launchFailed(plan, "answer", child.stderr(), { answer: answer.slice(0, 200) })
})
