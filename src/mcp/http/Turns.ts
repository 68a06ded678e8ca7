/**
 * Requests over HTTP, begun in turns: the server has one thread, which each takes for a moment until its evaluation is under way.
 *
 * Guarantees: one request begins in each turn of the event loop, so that answers leave and other requests are heard in between; while several
 * principals ask, they begin theirs alternately, however many one of them has sent. Does not: wait for what has begun, or share the processor among
 * evaluations.
 */
import * as Effect from "effect/Effect"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"

export class Turns {
  private readonly semaphore = PartitionedSemaphore.makeUnsafe<string>({ permits: 1 })

  /** It is this principal's turn. */
  async take(principal: string): Promise<void> {
    await Effect.runPromise(this.semaphore.take(principal, 1))
    setImmediate(() => Effect.runSync(this.semaphore.release(1)))
  }
}
