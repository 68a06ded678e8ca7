/**
 * How often each credential may ask: as many calls as its limit at once, and as many again over each minute. Does not: remember more than
 * `most` credentials; the one that asked longest ago is forgotten, which gives it its calls back.
 */
const most = 10_000

interface Left {
  calls: number
  at: number
}

export class Rates {
  private readonly all = new Map<string, Left>()

  /** `now` is in ms. */
  constructor(private readonly now: () => number) {}

  /** Takes one call; 0, or the seconds until there is one again. */
  take(credential: string, perMinute: number): number {
    if (perMinute === Infinity) return 0
    const at = this.now()
    const before = this.all.get(credential) ?? { calls: perMinute, at }
    const calls = Math.min(perMinute, before.calls + ((at - before.at) / 60_000) * perMinute)
    const isFree = calls >= 1
    this.all.delete(credential)
    this.all.set(credential, { calls: isFree ? calls - 1 : calls, at })
    const [oldest] = this.all.keys()
    if (this.all.size > most) this.all.delete(oldest!)
    return isFree ? 0 : Math.ceil(((1 - calls) / perMinute) * 60)
  }
}
