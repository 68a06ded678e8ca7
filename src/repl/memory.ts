/**
 * How much memory the interpreter of this thread holds, against a limit.
 *
 * Guarantees: near the limit, garbage is collected before anything is called full, so that a long loop over large vectors is not
 * mistaken for a large workspace; and the JavaScript engine keeps room to copy an array that grows, without which it would end the
 * thread. Does not: see memory of other threads, or what the engine needs for itself; K gets four fifths of what the process was allowed.
 */
import { KError } from "../k3/KError.ts"

const SHARE = 0.8
/** The heap that the engine must be given for each byte that K may hold: a growing array is there twice, the second half as long again. */
export const HEAP_FOR_BYTE = 2.5
/** Milliseconds between looks while an evaluation runs. */
const PAUSE = 20

let collector: (() => void) | undefined
/** The engine's full collection, which Node only gives to those who ask for it by flag. */
const collect = (): void => {
  if (collector === undefined) {
    process.getBuiltinModule("node:v8").setFlagsFromString("--expose-gc")
    collector = process.getBuiltinModule("node:vm").runInNewContext("gc") as () => void
  }
  collector()
}

export class Memory {
  /** Bytes that K may hold. */
  readonly limit: number
  /** What holds now: the limit, or less while a call has one of its own. */
  private ceiling: number
  private looked = 0
  /** What a byte of the heap counts: more than one where the engine's heap is too small for the limit. */
  private readonly weight: number

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

  /** Throws `wsfull` when more is held than allowed; cheap enough to be called all the time. */
  check(): void {
    if (this.ceiling === Infinity) return
    const now = performance.now()
    if (now - this.looked < PAUSE) return
    this.looked = now
    if (this.measure() > this.ceiling && this.used() > this.ceiling)
      throw new KError("wsfull", `more than ${Math.floor(this.ceiling)} bytes are held`)
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
