/**
 * The one place where promises, callbacks and AbortSignals meet fibers. Guarantees: a call runs as one fiber with the services of the
 * server; an aborted signal interrupts it; nothing is heard of a call that was interrupted; a defect becomes an ordinary `Exit`.
 * Does not: know messages or tools.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"

export interface Bridge<R> {
  /** Runs the effect; `onDone` hears its exit, interruption included. The function given back interrupts it. */
  readonly start: <A>(effect: Effect.Effect<A, never, R>, onDone: (exit: Exit.Exit<A>) => void) => () => void
  /** The same as a promise, interrupted by the signal; rejects then. */
  readonly promise: <A>(effect: Effect.Effect<A, never, R>, signal: AbortSignal) => Promise<A>
  /** Interrupts everything that still runs; waits for nothing. */
  readonly stop: () => void
}

export const make = <R>(context: Context.Context<R>): Bridge<R> => {
  const running = new Set<Fiber.Fiber<unknown>>()
  const fork = Effect.runForkWith(context)

  const start = <A>(effect: Effect.Effect<A, never, R>, onDone: (exit: Exit.Exit<A>) => void): (() => void) => {
    const fiber = fork(effect)
    running.add(fiber)
    fiber.addObserver((exit) => {
      running.delete(fiber)
      onDone(exit)
    })
    return () => fiber.interruptUnsafe()
  }

  const promise = <A>(effect: Effect.Effect<A, never, R>, signal: AbortSignal): Promise<A> =>
    new Promise((resolve, reject) => {
      // A fiber that has to wait for nothing is over before `start` returns, so the signal is watched from before it.
      const onAbort = (): void => interrupt()
      signal.addEventListener("abort", onAbort, { once: true })
      const interrupt = start(effect, (exit) => {
        signal.removeEventListener("abort", onAbort)
        if (exit._tag === "Success") resolve(exit.value)
        else reject(new Error("interrupted"))
      })
      if (signal.aborted) interrupt()
    })

  const stop = (): void => {
    for (const fiber of running) fiber.interruptUnsafe()
  }
  return { start, promise, stop }
}
