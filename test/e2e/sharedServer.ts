/** A server that the tests of a suite share. */
import { start, type RawServer } from "./server.ts"
import { shared } from "./shared.ts"

/** Tools without the argument `session`. */
const ofNoSession: ReadonlySet<string> = new Set(["k_help", "k_output", "k_session"])

/** Called in the body of a suite, with what `start` takes. Gives the server to a test; its calls name the test's own session. */
export const sharedServer = (...given: Parameters<typeof start>): ((session: string) => Promise<RawServer>) => {
  const server = shared(async () => {
    const own = start(...given)
    await own.initialize()
    return own
  })
  return async (session) => {
    const own = await server()
    return { ...own, call: (name, args) => own.call(name, ofNoSession.has(name) ? args : { session, ...args }) }
  }
}
