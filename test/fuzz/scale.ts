/**
 * How long the fuzz tests run. In the suite each makes a few thousand tries; `FUZZ=200 npx vitest run test/fuzz --testTimeout 3600000`
 * makes two hundred times as many, and `FUZZ_SEED=…` begins at a seed that a failure printed.
 */
import type { Parameters } from "fast-check"

const factor = Number(process.env["FUZZ"] ?? 1)
const seed = process.env["FUZZ_SEED"]

export const tries = <A>(few: number): Parameters<A> => ({
  numRuns: Math.ceil(few * factor),
  ...(seed !== undefined && { seed: Number(seed) }),
})

/** Heap in use after a collection where one can be asked for, bytes. */
export const heapUsed = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
