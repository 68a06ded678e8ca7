/**
 * A child of the same build that stands by for a session: launched, warmed, empty, and taken at once when the session's child is gone.
 *
 * Guarantees: at most one stands by, of the build that was last asked for; one that ends by itself is followed by another, no sooner than
 * after `retryMs`; nothing of it is left when it is dropped or the scope is closed. Does not: give it variables, or count its end as a
 * crash of the session.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Launched, Launcher, Program } from "./Launcher.ts"

export interface Spare {
  /** From now on one of this build stands by. */
  readonly keep: (program: Program) => Effect.Effect<void>
  /** The one that stands by, given away; undefined when none of that build is ready. */
  readonly take: (program: Program) => Launched | undefined
  readonly isReady: (program: Program) => boolean
  /** None stands by any more. */
  readonly drop: Effect.Effect<void>
  readonly pid: () => number | null
}

/** A launch costs the processor what the first answers of the session need, so it waits for so long; ms. */
const launchDelay = 200

/** What is used when no spare is wanted. */
export const none: Spare = { keep: () => Effect.void, take: () => undefined, isReady: () => false, drop: Effect.void, pid: () => null }

const sameBuild = (a: Program, b: Program): boolean =>
  a.engine.kind === b.engine.kind &&
  a.prepared.build !== null &&
  a.prepared.build.content === b.prepared.build?.content &&
  a.prepared.shadow === b.prepared.shadow

export const make = (launch: Launcher, scope: Scope.Scope, retryMs: number): Spare => {
  let ready: Launched | undefined
  let tended: { readonly program: Program; readonly fiber: Fiber.Fiber<void> } | undefined

  const close = (launched: Launched) => Scope.close(launched.scope, Exit.void)

  const tend = Effect.fnUntraced(function* (program: Program) {
    yield* Effect.sleep(launchDelay)
    for (;;) {
      const launched = Option.getOrUndefined(yield* Effect.option(launch(program)))
      if (launched !== undefined) {
        ready = launched
        yield* Effect.onInterrupt(launched.child.ended, () => (ready === launched ? close(launched) : Effect.void))
        if (ready !== launched) return
        ready = undefined
        yield* close(launched)
      }
      yield* Effect.sleep(retryMs)
    }
  })

  const drop = Effect.suspend(() => {
    const before = tended
    tended = undefined
    return before === undefined
      ? Effect.void
      : Effect.andThen(
          Fiber.interrupt(before.fiber),
          Effect.sync(() => void (ready = undefined)),
        )
  })

  const isReady = (program: Program): boolean => ready !== undefined && sameBuild(ready, program)

  return {
    keep: Effect.fnUntraced(function* (program) {
      if (tended !== undefined && sameBuild(tended.program, program)) return
      yield* drop
      tended = { program, fiber: yield* Effect.forkIn(tend(program), scope) }
    }),
    take: (program) => {
      if (!isReady(program)) return undefined
      const taken = ready
      ready = tended = undefined
      return taken
    },
    isReady,
    drop,
    pid: () => ready?.child.pid ?? null,
  }
}
