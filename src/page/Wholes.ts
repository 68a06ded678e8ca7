/** Fetches the full text of entries in view, a few at a time. Does not: keep it. */
import type { HistoryReplyEntry } from "./transcript.ts"

const atOnce = 4

export class Wholes {
  private wanted: readonly HistoryReplyEntry[] = []
  private fetching = 0

  constructor(private readonly fetch: (entry: HistoryReplyEntry) => Promise<void>) {}

  /** Replaces the list of entries to fetch, most wanted first. A fetch that is under way goes on. */
  want(entries: readonly HistoryReplyEntry[]): void {
    this.wanted = entries
    while (this.fetching < atOnce && this.wanted.length > 0) void this.next()
  }

  private async next(): Promise<void> {
    const [entry, ...rest] = this.wanted
    if (entry === undefined) return
    this.wanted = rest
    this.fetching++
    // An entry that fails is requested again when it is next in view.
    await this.fetch(entry).catch(() => {})
    this.fetching--
    void this.next()
  }
}
