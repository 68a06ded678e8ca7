/**
 * How the JavaScript engine's garbage collector is driven where an interrupt must be heard: it stops everything while it works, so its
 * work is to be done in small steps.
 *
 * Guarantees: what the heap reaches is marked in steps of this thread; `src/k3/run/roots.ts` sees to it that a value under way is reached.
 * Does not: make `collect` itself short; it takes up to a second for each gigabyte held. Nor for the engine of Node 25 and later, which
 * copies no young values while it marks: where many live on, 0.3 s in one go.
 */

/** Megabytes for young values, a quarter of what the engine would take: those that live on are copied in one go, 3 to 10 ms at this size. */
export const YOUNG_MB = 12

const set = (flag: string): void => {
  process.getBuiltinModule("node:v8").setFlagsFromString(flag)
}

/** The last Node that knows how to collect young values while old ones are marked only when it is told to. */
const LAST_SEPARATE = 24

/**
 * Has this thread alone mark what lives, in steps to the end. Beside marking threads the engine takes its marking for done when all that
 * is left is theirs, and does it in one go (V8 of Node 20): 60 to 300 ms. It costs no more time in all. And that of Node 24 lets young
 * values pile up meanwhile, 300 MB of them, to be copied in one go: 80 to 150 ms.
 */
export const markInSteps = (): void => {
  set("--no-concurrent-marking")
  if (Number.parseInt(process.versions.node) <= LAST_SEPARATE) set("--no-separate-gc-phases")
}

/** Has the engine begin a collection as soon as it can, in steps, or when it thinks fit. */
export const hurry = (soon: boolean): void => {
  set(`--incremental-marking-hard-trigger=${soon ? 1 : 0}`)
}

let collector: (() => void) | undefined
/** A whole collection at once, which Node only gives to those who ask for it by flag. */
export const collect = (): void => {
  if (collector === undefined) {
    set("--expose-gc")
    collector = process.getBuiltinModule("node:vm").runInNewContext("gc") as () => void
  }
  collector()
}
