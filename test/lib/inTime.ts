/** Guarantees: a wait for a process ends, and says what it waited for. Does not: end the process. */

/** The longest wait, ms: many times longer than a busy machine needs. */
export const longestWait = 240_000

/** The result of `done`; fails with the text of `why` after `longestWait`. */
export const inTime = async <A>(done: Promise<A>, why: () => string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not done after ${longestWait / 1000} s: ${why()}`)), longestWait)
  })
  try {
    return await Promise.race([done, late])
  } finally {
    clearTimeout(timer)
  }
}
