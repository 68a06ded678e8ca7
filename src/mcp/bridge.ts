/**
 * Runs effects from callbacks and promises of the SDK and the transport: the two run functions of a `FiberSet`, with the server's services.
 * Closing the scope of the set interrupts every running fiber, without an error.
 */
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

export interface Bridge<R> {
  readonly fork: <A>(effect: Effect.Effect<A, never, R>) => Fiber.Fiber<A>
  /** Rejects when the effect is interrupted, by the signal or otherwise. */
  readonly promise: <A>(effect: Effect.Effect<A, never, R>, options?: { readonly signal: AbortSignal }) => Promise<A>
}
