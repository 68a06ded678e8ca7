/**
 * How much memory the interpreter of this thread holds, against a limit.
 *
 * Guarantees: near the limit, garbage is collected before anything is called full, so that a long loop over large vectors is not
 * mistaken for a large workspace. Does not: see memory of other threads, or what the JavaScript engine needs for itself; K gets four
 * fifths of what the process was allowed.
 */
import { KError } from "../k3/KError.ts"

const SHARE = 0.8
/** Milliseconds between looks while an evaluation runs. */
const PAUSE = 20

const measure = (): number => {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

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
  private looked = 0

  /** `allowed` is what the process may use, in bytes. */
  constructor(allowed: number) {
    this.limit = allowed * SHARE
  }

  /** Bytes in use; without garbage when that is more than half of the limit. */
  used(): number {
    const used = measure()
    if (used < this.limit / 2) return used
    collect()
    return measure()
  }

  /** Throws `wsfull` when more is held than allowed; cheap enough to be called all the time. */
  check(): void {
    if (this.limit === Infinity) return
    const now = performance.now()
    if (now - this.looked < PAUSE) return
    this.looked = now
    if (measure() > this.limit && this.used() > this.limit) throw new KError("wsfull", `more than ${Math.floor(this.limit)} bytes are held`)
  }
}
