/**
 * How much memory the interpreter of this thread holds, against a limit.
 *
 * Guarantees: the process stays within what it took at its start, the limit and 32 MiB, whatever the memory is for, as long as large pieces
 * are asked for beforehand. Garbage is collected before anything is called full, so that a long loop over large vectors is not mistaken
 * for a large workspace; most of it is collected in steps before that.
 * Does not: see a large piece that nobody asked for before it is there.
 *
 * K's values get four fifths of the limit. The rest is for the JavaScript engine: garbage, pages that are partly used, compiled code.
 */
import { collect, hurry } from "./collector.ts"

const MB = 1024 ** 2
const SHARE = 0.8
/** The heap that the engine must be given for each byte that K may hold: a growing array is there twice, the second half as long again. */
export const HEAP_FOR_BYTE = 2.5
/** Milliseconds between looks while an evaluation runs. */
const PAUSE = 20
/** Milliseconds after which a collection that was hurried counts as done. */
const HURRY = 1000
/** Bytes in use that become free between two looks only when old values were collected. */
const DROP = 48 * MB
/** Bytes beyond the limit that the system may have given while K's values are well within theirs. */
const BEYOND = 24 * MB
/** Bytes that the system gives after a collection until another one is worth its time. */
const GROWTH = 8 * MB

/** Bytes of the largest piece that may lie in memory which was freed and not given back: the C library keeps up to 64 MB of it. */
const REUSED = 32 * MB

interface Measured {
  /** Bytes that K's values take, garbage included. */
  readonly used: number
  /** Bytes that the system has given to the process. */
  readonly resident: number
}

export class Memory {
  /** Bytes that K's values may take. */
  readonly limit: number
  /** The limit, or less while a call has one of its own. */
  private ceiling: number
  /** Bytes that the system may give. */
  private readonly allowed: number
  private looked = 0
  /** How much a byte of the heap counts: more than one where the engine's heap is too small for the limit. */
  private readonly weight: number
  /** Bytes that were in use after the last collection, as far as it was noticed. */
  private live = 0
  /** Bytes that the system had given then. */
  private settled = 0
  /** Since when a collection is hurried, if one is, and the most that has been in use since. */
  private hurried = Infinity
  private most = 0

  /** `allowed` is what the process may use beyond what it uses now, in bytes. */
  constructor(allowed: number) {
    this.ceiling = this.limit = allowed * SHARE
    this.allowed = process.memoryUsage.rss() + allowed
    const { heap_size_limit: heap } = process.getBuiltinModule("node:v8").getHeapStatistics()
    this.weight = this.limit === Infinity ? 1 : Math.max(1, (this.limit * HEAP_FOR_BYTE) / heap)
  }

  private measure(): Measured {
    const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
    return { used: this.weight * heapUsed + arrayBuffers, resident: rss }
  }

  private collect(): Measured {
    collect()
    const measured = this.measure()
    this.settled = measured.resident
    return measured
  }

  /** Bytes that K's values take; without garbage when that is more than half of the limit. */
  used(): number {
    const { used } = this.measure()
    return used < this.ceiling / 2 ? used : this.collect().used
  }

  private fits({ used, resident }: Measured, bytes: number): boolean {
    const more = bytes > REUSED ? bytes : 0
    return used + bytes <= this.ceiling && resident + more <= this.allowed + BEYOND
  }

  /** May so many more bytes be held? */
  hasRoom(bytes: number): boolean {
    // A collection that ends one under way leaves what has become garbage since that began.
    return this.fits(this.measure(), bytes) || this.fits(this.collect(), bytes) || this.fits(this.collect(), bytes)
  }

  /** Is more held than may be? Cheap enough to be asked all the time. */
  isFull(): boolean {
    if (this.ceiling === Infinity) return false
    const now = performance.now()
    if (now - this.looked < PAUSE) return false
    this.looked = now
    const measured = this.measure()
    this.pace(measured.used, now)
    this.settled = Math.min(this.settled, measured.resident)
    const isGrown = measured.resident > this.allowed && measured.resident > this.settled + GROWTH
    return (isGrown || measured.used > this.ceiling) && !this.fits(this.collect(), 0) && !this.hasRoom(0)
  }

  /** Half way from what is held to the limit a collection begins, so that none is made in one go at the limit. */
  private pace(used: number, now: number): void {
    this.live = Math.min(this.live, used)
    this.most = Math.max(this.most, used)
    if (this.hurried < Infinity) {
      if (used > this.most - DROP && now - this.hurried < HURRY) return
      this.live = used
      this.hurried = Infinity
      hurry(false)
    } else if (used > (this.live + this.ceiling) / 2) {
      this.most = used
      this.hurried = now
      hurry(true)
    }
  }

  /** Bytes in all when `more` are held beyond what is held now. */
  ceilingFor(more: number): number {
    return Math.min(this.limit, this.collect().used + more)
  }

  /** Does work that may hold so many bytes in all. */
  below<A>(ceiling: number, work: () => A): A {
    this.ceiling = ceiling
    try {
      return work()
    } finally {
      this.ceiling = this.limit
    }
  }
}
