/**
 * How much memory the interpreter of this thread holds, against a limit.
 *
 * Guarantees: near the limit, garbage is collected before anything is called full, so that a long loop over large vectors is not
 * mistaken for a large workspace; most of it is collected in steps before that; and the JavaScript engine keeps room to copy an array
 * that grows, without which it would end the thread. Does not: see memory of other threads, or what the engine needs for itself; K gets
 * four fifths of what the process was allowed.
 */
import { KError } from "../k3/k3.ts"
import { collect, hurry } from "./collector.ts"

const SHARE = 0.8
/** The heap that the engine must be given for each byte that K may hold: a growing array is there twice, the second half as long again. */
export const HEAP_FOR_BYTE = 2.5
/** Milliseconds between looks while an evaluation runs. */
const PAUSE = 20
/** Milliseconds after which a collection that was hurried counts as done. */
const HURRY = 1000
/** Bytes in use that become free between two looks only when old values were collected. */
const DROP = 48 * 1024 ** 2

export class Memory {
  /** Bytes that K may hold. */
  readonly limit: number
  /** What holds now: the limit, or less while a call has one of its own. */
  private ceiling: number
  private looked = 0
  /** What a byte of the heap counts: more than one where the engine's heap is too small for the limit. */
  private readonly weight: number
  /** Bytes that were in use after the last collection, as far as it was noticed. */
  private live = 0
  /** Since when a collection is hurried, if one is, and the most that has been in use since. */
  private hurried = Infinity
  private most = 0

  /** `allowed` is what the process may use, in bytes. */
  constructor(allowed: number) {
    this.ceiling = this.limit = allowed * SHARE
    const { heap_size_limit: heap } = process.getBuiltinModule("node:v8").getHeapStatistics()
    this.weight = this.limit === Infinity ? 1 : Math.max(1, (this.limit * HEAP_FOR_BYTE) / heap)
  }

  private measure(): number {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return this.weight * heapUsed + arrayBuffers
  }

  /** Bytes in use; without garbage when that is more than half of the limit. */
  used(): number {
    const used = this.measure()
    if (used < this.ceiling / 2) return used
    collect()
    return this.measure()
  }

  /** May so many more bytes be held? */
  hasRoom(bytes: number): boolean {
    // A collection that ends one under way leaves what has become garbage since that began.
    for (let collections = 0; collections <= 2; collections++) {
      if (collections > 0) collect()
      if (this.measure() + bytes <= this.ceiling) return true
    }
    return false
  }

  /** Throws `wsfull` when more is held than allowed; cheap enough to be called all the time. */
  check(): void {
    if (this.ceiling === Infinity) return
    const now = performance.now()
    if (now - this.looked < PAUSE) return
    this.looked = now
    const used = this.measure()
    this.pace(used, now)
    if (used > this.ceiling && !this.hasRoom(0)) throw new KError("wsfull", { what: "held", most: Math.floor(this.ceiling) })
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

  /** Does work that may hold `more` bytes beyond what is held when it begins; it is told how many that makes in all. */
  within<A>(more: number, work: (ceiling: number) => A): A {
    collect()
    this.ceiling = Math.min(this.limit, this.measure() + more)
    try {
      return work(this.ceiling)
    } finally {
      this.ceiling = this.limit
    }
  }
}
