/** Things that the tests of a suite share, mostly a server: begun before the first test, and ended by its own pid after the last. */
import { afterAll, beforeAll, onTestFinished } from "vitest"

type End = () => void | Promise<void>

/** The ends of the suite that begins at this moment. */
let suite: End[] | undefined

/** Calls `end` at the end of the test, or of the suite that begins. */
export const atEnd = (end: End): void => void (suite === undefined ? onTestFinished(end) : suite.push(end))

/** Called in the body of a suite. Each test takes a session name of its own, so that it does not depend on the others. */
export const shared = <A>(begin: () => Promise<A>): (() => Promise<A>) => {
  const ends: End[] = []
  let begun: Promise<A>
  beforeAll(async () => {
    suite = ends
    begun = begin()
    await begun.finally(() => (suite = undefined))
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return () => begun
}
