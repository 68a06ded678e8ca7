/** Fetches whole the entries that are looked at, a few at a time, those that were asked for last. Does not: keep them. */
import type { Entry } from "./transcript.ts"

const atOnce = 4

export class Wholes {
  private wanted: readonly Entry[] = []
  private fetching = 0

  constructor(private readonly fetch: (entry: Entry) => Promise<void>) {}

  /** These are in view, and no others. */
  want(entries: readonly Entry[]): void {
    this.wanted = entries
    while (this.fetching < atOnce && this.wanted.length > 0) void this.next()
  }

  private async next(): Promise<void> {
    const [entry, ...rest] = this.wanted
    if (entry === undefined) return
    this.wanted = rest
    this.fetching++
    // One that fails is asked for again when it is looked at again.
    await this.fetch(entry).catch(() => {})
    this.fetching--
    void this.next()
  }
}
