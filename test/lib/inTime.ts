/** Guarantees: a wait for a process ends, and its error names the fact that did not come. Does not: end the process. */
import { setTimeout as pause } from "node:timers/promises"

/** The longest wait, ms: many times longer than a busy machine needs. */
export const longestWait = 240_000

/** The result of `done`; fails with the text of `why` after `longestWait`. */
export const inTime = <A>(done: Promise<A>, why: () => string): Promise<A> => {
  const late = async (): Promise<never> => {
    await pause(longestWait, undefined, { ref: false })
    throw new Error(`Not done after ${longestWait / 1000} s: ${why()}`)
  }
  return Promise.race([done, late()])
}
