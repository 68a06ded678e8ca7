/**
 * Places for the evaluations and pictures of one principal on a machine that it shares: as many as there are processors.
 *
 * Guarantees: at most that many of them are in their first second at the same time, so that many short ones do not take the processors from other
 * principals. The others wait, first come, first served, within their deadlines, and report the reason. A server without principals has no
 * places, and its evaluations do not wait. Does not: hold back long evaluations, which release their place after a second and go on, since
 * sessions must not wait for each other's long work.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Machine } from "../child/Machine.ts"
import { Settings } from "../Settings.ts"
import { Announce } from "./Announce.ts"

const FIRST = "1 second"

export class EvaluationPlaces extends Context.Service<
  EvaluationPlaces,
  {
    /**
     * Runs an evaluation as soon as there is a place. When it has to wait, `onWait` is called with the reason, and with undefined when the wait is
     * over; both are announced too.
     */
    readonly within: <A, E, R>(evaluation: Effect.Effect<A, E, R>, onWait: (what: string | undefined) => void) => Effect.Effect<A, E, R>
  }
>()("k3-mcp/session/EvaluationPlaces") {
  static readonly layer = Layer.effect(
    EvaluationPlaces,
    Effect.gen(function* () {
      const { isHosted } = yield* Settings
      if (!isHosted) return EvaluationPlaces.of({ within: (evaluation) => evaluation })
      const { processors } = yield* Machine
      const semaphore = yield* Semaphore.make(processors)

      return EvaluationPlaces.of({
        within: (evaluation, onWait) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              if (!(yield* semaphore.takeIfAvailable(1))) {
                const tell = yield* Announce
                const report = (what: string | undefined): void => {
                  onWait(what)
                  tell(what && `waits for ${what}`)
                }
                report(`a place: other evaluations of this principal, one a processor (${processors}), have just begun`)
                yield* restore(semaphore.take(1))
                report(undefined)
              }
              // Released once: after a second, or at an earlier end.
              const give = yield* Effect.cached(semaphore.release(1))
              const first = yield* Effect.forkChild(restore(Effect.delay(give, FIRST)))
              return yield* Effect.ensuring(restore(evaluation), Effect.andThen(Fiber.interrupt(first), give))
            }),
          ),
      })
    }),
  )
}
