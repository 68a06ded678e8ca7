/**
 * Measures the memory that the interpreter of this thread uses, and compares it with a limit.
 *
 * Guarantees: the process uses at most its memory at the start plus the limit plus 32 MiB, if `hasRoom` is asked before each large allocation.
 * Garbage is collected before the memory counts as full, so that a long loop over large vectors is not mistaken for a large workspace; most
 * garbage is collected earlier, in steps.
 * Does not: foresee a large allocation for which `hasRoom` was not asked.
 *
 * K's values get four fifths of the limit. The rest is for the JavaScript engine: garbage, partly used pages, compiled code.
 */
import { collect, hurry } from "./collector.ts"

const MB = 1024 ** 2
const SHARE = 0.8
/** Bytes of JavaScript heap per byte that K may hold: while an array grows, its old copy and a new one half as long again exist together. */
export const HEAP_FOR_BYTE = 2.5
/** Milliseconds between two measurements while an evaluation runs. */
const PAUSE = 20
/** Milliseconds after which a hurried collection counts as done. */
const HURRY = 1000
/** A drop in used bytes between two measurements that shows that old values were collected. */
const DROP = 48 * MB
/** Resident bytes above the limit that are tolerated while K's values are within theirs. */
const BEYOND = 24 * MB
/** Growth of the resident bytes after a collection that makes another one worth its time. */
const GROWTH = 8 * MB

/** Bytes of new arrays after which a small heap is collected: the arrays that follow get memory whose pages are there already. */
const RENEWED = 64 * MB
/** Collecting a heap of at most so many bytes takes some milliseconds. */
const SMALL = 12 * MB

/** An allocation of at most so many bytes may reuse freed memory, of which the C library keeps up to 64 MB. */
const REUSED = 32 * MB

interface Measured {
  /** Bytes of K's values, garbage included. */
  readonly used: number
  /** Bytes of the heap, and of arrays beside it. */
  readonly heap: number
  readonly arrays: number
  /** The process's resident bytes. */
  readonly resident: number
}

export class Memory {
  /** The most bytes of K's values. */
  readonly limit: number
  /** The limit that holds now: `limit`, or less during an evaluation with a memory limit of its own. */
  private ceiling: number
  /** The most resident bytes. */
  private readonly allowed: number
  private looked = 0
  /** The weight of a heap byte: more than 1 if the engine's heap is too small for the limit. */
  private readonly weight: number
  /** The used bytes after the last collection that was noticed. */
  private live = 0
  /** The least resident bytes measured since the last `collect`; 0 before the first. */
  private settled = 0
  /** The least bytes of arrays measured since the last collection. */
  private kept = 0
  /** The start of a hurried collection, and the most used bytes since then; `Infinity` when none is hurried. */
  private hurried = Infinity
  private most = 0

  /** `allowed`: bytes that the process may use in addition to its memory now. */
  constructor(allowed: number) {
    this.ceiling = this.limit = allowed * SHARE
    this.allowed = process.memoryUsage.rss() + allowed
    const { heap_size_limit: heap } = process.getBuiltinModule("node:v8").getHeapStatistics()
    this.weight = this.limit === Infinity ? 1 : Math.max(1, (this.limit * HEAP_FOR_BYTE) / heap)
  }

  private measure(): Measured {
    const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
    this.kept = Math.min(this.kept, arrayBuffers)
    return { used: this.weight * heapUsed + arrayBuffers, heap: heapUsed, arrays: arrayBuffers, resident: rss }
  }

  private collect(): Measured {
    collect()
    const measured = this.measure()
    this.settled = measured.resident
    this.kept = measured.arrays
    return measured
  }

  /** Bytes of K's values. Above half of the limit, garbage is collected first. */
  used(): number {
    const { used } = this.measure()
    return used < this.ceiling / 2 ? used : this.collect().used
  }

  private fits({ used, resident }: Measured, bytes: number): boolean {
    const more = bytes > REUSED ? bytes : 0
    return used + bytes <= this.ceiling && resident + more <= this.allowed + BEYOND
  }

  /** Can `bytes` more be allocated within the limit? */
  hasRoom(bytes: number): boolean {
    const measured = this.measure()
    const isDue = measured.arrays - this.kept > RENEWED && measured.heap < SMALL
    // Twice: a collection that completes one under way leaves garbage that arose since that one began.
    return this.fits(isDue ? this.collect() : measured, bytes) || this.fits(this.collect(), bytes) || this.fits(this.collect(), bytes)
  }

  /** Is the limit exceeded, even without garbage? Measures at most every `PAUSE` ms, so it can be called often. */
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

  /** Hurries a collection half way between the live bytes and the limit, so that it ends in steps before the limit is reached. */
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

  /** The ceiling for `more` bytes in addition to K's values now. */
  ceilingFor(more: number): number {
    return Math.min(this.limit, this.collect().used + more)
  }

  /** Runs `work` with `ceiling` as the limit. */
  below<A>(ceiling: number, work: () => A): A {
    this.ceiling = ceiling
    try {
      return work()
    } finally {
      this.ceiling = this.limit
    }
  }
}
