/**
 * How long the fuzz tests run. In the suite each makes a few thousand tries; `FUZZ=500 npx vitest run test/fuzz --testTimeout 36000000`
 * makes a thousand times as many (10^6 frames and more, 2·10^6 sources) and ends with a table of each; `FUZZ_SEED=…` begins at a seed that
 * a table or a failure printed.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Parameters } from "fast-check"
import { seed } from "../lib/seed.ts"

const factor = Number(process.env["FUZZ"] ?? 0.5)

/** As many tries as the scale asks for, from a seed of their own. */
export const runs = (few: number): { readonly numRuns: number } => ({ numRuns: Math.ceil(few * factor) })

/** Said beforehand: a try that never ends says nothing afterwards. */
export const tries = <A>(few: number): Parameters<A> => {
  process.stdout.write(`FUZZ_SEED=${seed}\n`)
  return { numRuns: Math.ceil(few * factor), seed }
}

let collect: (() => void) | undefined
/** Heap in use after a collection, MiB. */
export const heapUsed = (): number => {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc")
    collect = runInNewContext("gc") as () => void
  }
  collect()
  return Math.round(process.memoryUsage().heapUsed / 1024 ** 2)
}

/** Printed when more than the suite's few were made. */
export const report = (what: string, facts: Readonly<Record<string, number>>): void => {
  if (factor <= 1) return
  const rows = Object.entries({ seed, ...facts }).map(([name, value]) => `${`${what}: ${name}`.padEnd(46)} ${value}`)
  process.stdout.write(`${rows.join("\n")}\n`)
}
