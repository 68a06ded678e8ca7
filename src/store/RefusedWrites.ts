/** The things whose latest write a store refused. While there are some, a problem of the store goes on, although other writes succeed. */
import { longestPause } from "./Store.ts"

/** The time after which a refused write counts as given up, ms. A writer tries again within `longestPause`, unless it writes another thing instead. */
const patience = 2 * longestPause

export class RefusedWrites {
  /** The time of each refusal, by thing. */
  private readonly refusals = new Map<string, number>()
  private readonly now: () => number

  /** `now`: the monotonic clock. */
  constructor(now: () => number) {
    this.now = now
  }

  add(thing: string): void {
    this.refusals.set(thing, this.now())
  }

  /** Forgets the things that were written, or that nobody writes again, and those given up. True when none is left. */
  forget(isDone: (thing: string) => boolean): boolean {
    for (const [each, at] of this.refusals) if (isDone(each) || this.now() - at > patience) this.refusals.delete(each)
    return this.refusals.size === 0
  }
}
