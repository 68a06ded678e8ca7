/**
 * Where the children of one session come from: the one that stands by, else a launch.
 *
 * Guarantees: a relaunch runs what ran before, not what was built meanwhile; only when that does not run is a program picked anew. A
 * launch that fails is told as a fall. Does not: launch again after a failure (`Lifecycle.ts`), or count generations.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Settings } from "../Settings.ts"
import type { Engine } from "../child/engines/Engine.ts"
import type { Fall } from "./history/Fall.ts"
import type { LaunchFailed } from "../child/ChildError.ts"
import type { LaunchError } from "./state.ts"
import type { ChildEnded } from "../child/Child.ts"
import * as Launcher from "../child/Launcher.ts"
import * as Spare from "../child/Spare.ts"

export interface Supply {
  /** One for a session that has none. */
  readonly next: Effect.Effect<Launcher.Launched, LaunchError>
  /** What is launched when nothing ran before. */
  readonly picked: Effect.Effect<Launcher.Program, LaunchError>
  /** One of this program that did a sum and holds what is held; one that ends by that is followed by another. */
  readonly filled: (program: Launcher.Program) => Effect.Effect<Launcher.Launched, LaunchError>
  /** The latest that ran; none when it does not run any more. */
  readonly lastRun: () => Launcher.Program | undefined
  /** Another one of this program stands by from now on, if any is to. */
  readonly adopted: (program: Launcher.Program) => Effect.Effect<void>
  /** The next one is there already. */
  readonly isReady: () => boolean
  /** None stands by any more. */
  readonly drop: Effect.Effect<void>
  readonly sparePid: () => number | null
}

export interface Parts {
  readonly scope: Scope.Scope
  /** The engine of a child when nothing ran before. */
  readonly pick: Effect.Effect<Engine>
  /** Done to each new child before anyone else has it; when the child ends by it, the next one is tried. */
  readonly giveBack: (launched: Launcher.Launched) => Effect.Effect<void, ChildEnded>
  /** Hears of an end of a child that nobody asked for. */
  readonly fell: (fall: Fall) => void
}

export const close = (launched: Launcher.Launched): Effect.Effect<void> => Scope.close(launched.scope, Exit.void)

/** `generation`: of the child that is launched next. */
export const make = Effect.fnUntraced(function* ({ scope, pick, giveBack, fell }: Parts, generation: () => number) {
  const settings = yield* Settings
  const launch = yield* Launcher.make(scope)
  const spare = settings.spare ? Spare.make(launch, scope, settings.restartMaxDelay) : Spare.none
  let lastRun: Launcher.Program | undefined

  const picked: Supply["picked"] = Effect.flatMap(pick, (engine) =>
    Effect.map(engine.prepare, (prepared): Launcher.Program => ({ engine, prepared })),
  )

  const obtain = (program: Launcher.Program): Effect.Effect<Launcher.Launched, LaunchFailed> =>
    Effect.suspend(() => {
      const ready = spare.take(program)
      return ready === undefined ? launch(program) : Effect.succeed(ready)
    }).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => fell({ kind: "launch", error, program, generation: generation(), statement: undefined })),
      ),
    )

  return {
    picked,
    next: Effect.gen(function* () {
      const program = lastRun ?? (yield* picked)
      lastRun = undefined
      return (lastRun = yield* obtain(program))
    }),
    filled: Effect.fnUntraced(function* (program): Effect.fn.Return<Launcher.Launched, LaunchError> {
      for (;;) {
        const launched = yield* obtain(program)
        const filled = yield* Launcher.doSum(launched, settings.launchTimeout).pipe(
          Effect.andThen(Effect.result(giveBack(launched))),
          Effect.onError(() => close(launched)),
        )
        if (filled._tag === "Success") return launched
        yield* close(launched)
      }
    }),
    lastRun: () => lastRun,
    adopted: (program) =>
      Effect.suspend(() => {
        lastRun = program
        return spare.keep(program)
      }),
    isReady: () => lastRun !== undefined && spare.isReady(lastRun),
    drop: spare.drop,
    sparePid: spare.pid,
  } satisfies Supply
})
