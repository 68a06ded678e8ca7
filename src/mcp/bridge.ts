/**
 * How callbacks and promises of the SDK and the transport run effects: `FiberSet`'s two ways, with the services of the server. Closing the
 * set's scope interrupts everything that still runs, without an error.
 */
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

export interface Bridge<R> {
  readonly fork: <A>(effect: Effect.Effect<A, never, R>) => Fiber.Fiber<A>
  /** Rejects when it was interrupted, by the signal or otherwise. */
  readonly promise: <A>(effect: Effect.Effect<A, never, R>, options: { readonly signal: AbortSignal }) => Promise<A>
}
