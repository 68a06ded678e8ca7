/**
 * Places for the evaluations of one principal on a machine that it shares: as many as there are processors.
 *
 * Guarantees: of the evaluations of all its sessions no more than that run in their first second at once, so that a flood of short ones keeps
 * the processors from nobody; the others wait in the order in which they came, within their deadlines, and say what for. Who is alone on the machine waits for none. Does not: hold
 * back what takes longer, which gives its place to the next and goes on, since sessions do not wait for each other's long work; nor count what
 * runs beside sessions, such as a comparison.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Machine } from "../child/Machine.ts"
import { Settings } from "../Settings.ts"

const FIRST = "1 second"

export class Places extends Context.Service<
  Places,
  {
    /** Runs it when there is a place; `onWait` hears what it waits for until then. */
    readonly within: <A, E, R>(evaluation: Effect.Effect<A, E, R>, onWait: (what: string) => Effect.Effect<void>) => Effect.Effect<A, E, R>
  }
>()("k3-mcp/session/Places") {
  static readonly layer = Layer.effect(
    Places,
    Effect.gen(function* () {
      const { isHosted } = yield* Settings
      if (!isHosted) return Places.of({ within: (evaluation) => evaluation })
      const { processors } = yield* Machine
      const semaphore = yield* Semaphore.make(processors)
      let free = processors

      return Places.of({
        within: (evaluation, onWait) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              if (free === 0)
                yield* onWait(`a place: other evaluations of this principal, one a processor (${processors}), have just begun`)
              yield* restore(semaphore.take(1))
              free--
              let isHeld = true
              const give = Effect.suspend(() => {
                if (!isHeld) return Effect.void
                isHeld = false
                free++
                return Effect.asVoid(semaphore.release(1))
              })
              const first = yield* Effect.forkChild(restore(Effect.delay(give, FIRST)))
              return yield* Effect.ensuring(restore(evaluation), Effect.andThen(Fiber.interrupt(first), give))
            }),
          ),
      })
    }),
  )
}
