/**
 * Controls the JavaScript engine's garbage collector, so that it works in short steps: the thread cannot be interrupted during a step.
 *
 * Guarantees: this thread marks the heap in steps; `src/k3/run/roots.ts` keeps values that K is working on reachable.
 * Does not: shorten `collect`, which takes up to a second per gigabyte in use; shorten the copying of young values in Node 25 and later, which
 * copies none while it marks: with many survivors, 0.3 s in one step.
 */

/** Megabytes for young values, a quarter of the engine's default: survivors are copied in one step, 3 to 10 ms at this size. */
export const YOUNG_MB = 12

const set = (flag: string): void => {
  process.getBuiltinModule("node:v8").setFlagsFromString(flag)
}

/** The last version of Node that needs a flag to collect young values while it marks old ones. */
const LAST_SEPARATE = 24

/**
 * Makes this thread alone mark live values, in steps. With marking threads, the V8 of Node 20 takes marking for complete when only the threads'
 * part is left, and finishes that in one step of 60 to 300 ms. The total time is the same. The V8 of Node 24 also lets young values pile up
 * while it marks, 300 MB of them, and copies them in one step of 80 to 150 ms.
 */
export const markInSteps = (): void => {
  set("--no-concurrent-marking")
  if (Number.parseInt(process.versions.node) <= LAST_SEPARATE) set("--no-separate-gc-phases")
}

/** Makes the engine begin a collection in steps as soon as it can; with false, when it chooses to. */
export const hurry = (soon: boolean): void => {
  set(`--incremental-marking-hard-trigger=${soon ? 1 : 0}`)
}

let collector: (() => void) | undefined
/** Runs a whole collection in one step. Node offers it only behind a flag. */
export const collect = (): void => {
  if (collector === undefined) {
    set("--expose-gc")
    collector = process.getBuiltinModule("node:vm").runInNewContext("gc") as () => void
  }
  collector()
}
