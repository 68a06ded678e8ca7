/**
 * Fair order of HTTP requests among principals. The server has one thread, which each request occupies for a moment until its evaluation runs.
 *
 * Guarantees: one request begins in each turn of the event loop, so that answers are written and requests are read in between; the requests of
 * several principals begin alternately, however many one principal has sent. Does not: wait for the end of a request, or share the processor among
 * evaluations.
 */
import * as Effect from "effect/Effect"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"

export class FairQueue {
  private readonly semaphore = PartitionedSemaphore.makeUnsafe<string>({ permits: 1 })

  /** Resolves when a request of this principal may begin. */
  async take(principal: string): Promise<void> {
    await Effect.runPromise(this.semaphore.take(principal, 1))
    setImmediate(() => Effect.runSync(this.semaphore.release(1)))
  }
}
