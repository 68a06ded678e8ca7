/** Guarantees: work whose time grows with the square of a long text is stopped where the runner would stop a test. Does not: measure. */
import { runInThisContext } from "node:vm"

/** The result of work that takes hours in quadratic time. */
export const linearly = <A>(work: () => A): A => {
  Object.assign(globalThis, { work })
  return runInThisContext("globalThis.work()", { timeout: 60_000 }) as A
}
