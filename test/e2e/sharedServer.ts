/** A server that the tests of a suite share. Each test uses a session of its own on it. */
import { begin, type RawServer } from "./server.ts"
import { shared } from "./shared.ts"

/** Tools without the argument `session`. */
const ofNoSession: ReadonlySet<string> = new Set(["k_help", "k_output", "k_session"])

/** The same server; its calls name this session. */
export const inSession = (server: RawServer, session: string): RawServer => ({
  ...server,
  call: (name, args) => server.call(name, ofNoSession.has(name) ? args : { session, ...args }),
})

/** Called in the body of a suite, with the arguments of `start`. */
export const sharedServer = (...given: Parameters<typeof begin>): ((session: string) => Promise<RawServer>) => {
  const server = shared(() => begin(...given))
  return async (session) => inSession(await server(), session)
}
