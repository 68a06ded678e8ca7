/**
 * Gives a session its children: the spare child, which is launched and empty, if it runs the wanted build; else a new one.
 *
 * Guarantees: there is at most one spare, of the build that was last requested. A spare that ends by itself is replaced, `retryMs` later at the
 * earliest. A dropped spare is ended; closing the scope ends the spare, too. Does not: restore variables in it, or count its end as a crash of
 * the session.
 */
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { FenceMissing, LaunchFailed } from "./ChildError.ts"
import { close, type Launched, type Launcher, type ChildProgram } from "./Launcher.ts"

export interface ChildPool {
  /** Gives the spare or launches a child. Called in an uninterruptible region, since the caller owns the child. */
  readonly obtain: (program: ChildProgram) => Effect.Effect<Launched, LaunchFailed | FenceMissing>
  /** Keeps a spare child of this program from now on. Undefined drops the spare. */
  readonly keep: (program: ChildProgram | undefined) => Effect.Effect<void>
  /** Whether a spare child of this program is ready. */
  readonly isReady: (program: ChildProgram | undefined) => boolean
  readonly pid: () => number | null
}

/** Delay before a spare is launched, in ms, so that the launch does not slow down the session's first evaluations. */
const launchDelay = 200

const sameBuild = (a: ChildProgram, b: ChildProgram): boolean =>
  a.engine.kind === b.engine.kind &&
  a.prepared.build !== null &&
  a.prepared.build.content === b.prepared.build?.content &&
  a.prepared.shadow === b.prepared.shadow

/** `isSpare`: whether a spare is kept at all. */
export const make = Effect.fnUntraced(function* (
  launch: Launcher,
  isSpare: boolean,
  retryMs: number,
): Effect.fn.Return<ChildPool, never, Scope.Scope> {
  const keeping = yield* FiberHandle.make<void>()
  let wanted: ChildProgram | undefined
  let ready: Launched | undefined

  /** Keeps a spare until it is taken. */
  const keepSpare = (program: ChildProgram) =>
    Effect.ignore(launchSpare(program)).pipe(
      Effect.repeat({ while: () => wanted === program, schedule: Schedule.spaced(retryMs) }),
      Effect.delay(launchDelay),
    )

  /** Launches a spare and waits until it ends. */
  const launchSpare = (program: ChildProgram) =>
    Effect.uninterruptible(
      Effect.flatMap(launch(program), (launched) => {
        ready = launched
        return Effect.onExit(Effect.interruptible(launched.child.ended), () => {
          if (ready !== launched) return Effect.void
          ready = undefined
          return close(launched)
        })
      }),
    )

  const isReady = (program: ChildProgram | undefined): boolean => program !== undefined && ready !== undefined && sameBuild(ready, program)

  return {
    obtain: (program) =>
      Effect.suspend(() => {
        const taken = isReady(program) ? ready : undefined
        if (taken === undefined) return launch(program)
        ready = wanted = undefined
        return Effect.succeed(taken)
      }),
    keep: Effect.fnUntraced(function* (program) {
      if (!isSpare || (program !== undefined && wanted !== undefined && sameBuild(wanted, program))) return
      wanted = program
      yield* FiberHandle.clear(keeping)
      // While the last spare ended, another call may have wanted another one, or none.
      if (program !== undefined && wanted === program) yield* FiberHandle.run(keeping, keepSpare(program))
    }),
    isReady,
    pid: () => ready?.child.pid ?? null,
  }
})
