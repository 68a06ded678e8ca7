/**
 * Gives a session its children: the spare child of the same build, which is launched, warmed and empty; else a new launch.
 *
 * Guarantees: there is at most one spare, of the build that was last asked for. One that ends by itself is replaced, `retryMs` later at the
 * earliest. Nothing of it is left when it is dropped or the scope is closed. Does not: give it variables, or count its end as a crash of the
 * session.
 */
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import type * as Scope from "effect/Scope"
import type { FenceMissing, LaunchFailed } from "./ChildError.ts"
import { close, type Launched, type Launcher, type Program } from "./Launcher.ts"

export interface ChildPool {
  /** To be called in an uninterruptible region: the child is the caller's. */
  readonly obtain: (program: Program) => Effect.Effect<Launched, LaunchFailed | FenceMissing>
  /** From now on one of this program stands by; none when undefined. */
  readonly standBy: (program: Program | undefined) => Effect.Effect<void>
  /** One of this program stands by. */
  readonly isReady: (program: Program | undefined) => boolean
  readonly pid: () => number | null
}

/** A launch costs the processor what the first answers of the session need, so it waits for so long; ms. */
const launchDelay = 200

const sameBuild = (a: Program, b: Program): boolean =>
  a.engine.kind === b.engine.kind &&
  a.prepared.build !== null &&
  a.prepared.build.content === b.prepared.build?.content &&
  a.prepared.shadow === b.prepared.shadow

/** `isSpare`: one is to stand by. */
export const make = Effect.fnUntraced(function* (
  launch: Launcher,
  isSpare: boolean,
  retryMs: number,
): Effect.fn.Return<ChildPool, never, Scope.Scope> {
  const tending = yield* FiberHandle.make<void>()
  let tended: Program | undefined
  let ready: Launched | undefined

  const tend = Effect.fnUntraced(function* (program: Program) {
    yield* Effect.sleep(launchDelay)
    for (;;) {
      yield* Effect.ignore(standing(program))
      // It was taken.
      if (tended !== program) return
      yield* Effect.sleep(retryMs)
    }
  })

  /** Until it ends, or is taken and another one is to stand by. */
  const standing = (program: Program) =>
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

  const isReady = (program: Program | undefined): boolean => program !== undefined && ready !== undefined && sameBuild(ready, program)

  return {
    obtain: (program) =>
      Effect.suspend(() => {
        const taken = isReady(program) ? ready : undefined
        if (taken === undefined) return launch(program)
        ready = tended = undefined
        return Effect.succeed(taken)
      }),
    standBy: Effect.fnUntraced(function* (program) {
      if (!isSpare || (program !== undefined && tended !== undefined && sameBuild(tended, program))) return
      tended = program
      yield* FiberHandle.clear(tending)
      if (program !== undefined) yield* FiberHandle.run(tending, tend(program))
    }),
    isReady,
    pid: () => ready?.child.pid ?? null,
  }
})
