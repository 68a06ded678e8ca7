/**
 * Limits the calls of each credential by a token bucket: `perMinute` calls at once, refilled over a minute. Does not: remember more than
 * `most` credentials; the least recently used one is dropped, which gives it all its calls back.
 */
import { setLatest } from "../../session/setLatest.ts"

const most = 10_000

interface Left {
  calls: number
  at: number
}

export class Rates {
  private readonly all = new Map<string, Left>()

  /** `now`: monotonic time, ms. */
  constructor(private readonly now: () => number) {}

  /** Takes one call. Returns 0, or the seconds until the next call is possible. */
  take(credential: string, perMinute: number): number {
    if (perMinute === Infinity) return 0
    const at = this.now()
    const before = this.all.get(credential) ?? { calls: perMinute, at }
    const calls = Math.min(perMinute, before.calls + ((at - before.at) / 60_000) * perMinute)
    const isFree = calls >= 1
    setLatest(this.all, credential, { calls: isFree ? calls - 1 : calls, at }, most)
    return isFree ? 0 : Math.ceil(((1 - calls) / perMinute) * 60)
  }
}
