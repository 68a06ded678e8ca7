/**
 * The short way of an evaluation, without a fiber: for one that has only its child to wait for, which is what agents send all day. Each
 * effect costs about as much as reading the reply does, and the whole way would be as long again as the child's.
 *
 * Guarantees: it has the turn from the first statement to the end; the moment anything but the next reply is to be waited for, because
 * the child ended, the deadline passed or the client cancelled, a fiber takes over with the same effects of `cutShort.ts` that end any other, once.
 * Does not: decide whether an evaluation is one of those.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { encode } from "../repl/frame.ts"
import type { Statement } from "../k3/text/statements.ts"
import { ChildEnded } from "../child/Child.ts"
import { begin, type Ground, type Progress, take } from "./evaluate.ts"
import type { KFailure } from "../child/engines/Engine.ts"
import type { Live } from "./state.ts"
import type { Turn } from "./Turn.ts"

interface AtOnce<A, E> {
  readonly live: Live
  readonly list: readonly Statement[]
  readonly progress: Progress
  /** It is free. */
  readonly turn: Turn
  readonly ms: number
  readonly now: () => number
  /** What it comes to when all statements ran, or one failed. */
  readonly answered: (failed: KFailure | undefined) => A
  readonly died: (how: ChildEnded) => Effect.Effect<never, E>
  /** Ends what the child does. */
  readonly stop: Effect.Effect<void>
  readonly late: Effect.Effect<never, E>
  /** Hears of the end before who asked does. */
  readonly ended: (exit: Exit.Exit<A, E>) => void
}

export const evaluateAtOnce = <A, E>(
  ground: Ground,
  { live, list, progress, turn, ms, now, answered, died, stop, late, ended }: AtOnce<A, E>,
): Effect.Effect<A, E> =>
  Effect.withFiber((caller) =>
    Effect.callback<A, E>((resume) => {
      const { child, engine } = live
      let following: Fiber.Fiber<A, E> | undefined

      const end = (exit: Exit.Exit<A, E>): void => {
        ground.life.done(live)
        turn.giveBack(() => {
          ended(exit)
          resume(exit)
        })
      }
      const follow = (effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> => {
        child.forget()
        following = Effect.runForkWith(caller.context)(effect)
        following.addObserver(end)
        return following
      }
      const ask = (index: number): void => {
        const statement = list[index]
        if (statement === undefined) return end(Exit.succeed(answered(undefined)))
        begin(ground, live, list, index, progress, now())
        child.tell(encode(statement, engine.newline), progress.output.spill, (answer) => {
          if (answer instanceof ChildEnded) return void follow(died(answer))
          const failed = take(ground, live, statement, answer, progress)
          if (failed === undefined) ask(index + 1)
          else end(Exit.succeed(answered(failed)))
        })
      }

      turn.take(ms, () => {
        if (following === undefined) follow(Effect.andThen(stop, late))
      })
      ask(0)
      return Effect.suspend(() => Fiber.await(following ?? follow(Effect.andThen(stop, Effect.interrupt))))
    }),
  )
