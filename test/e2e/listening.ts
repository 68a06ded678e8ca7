/** A built server that listens, with the local person's token. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { saidByFront } from "../lib/localCluster.ts"
import { type RawServer, scratchFolder, start } from "./server.ts"

export interface Listening {
  readonly own: RawServer
  readonly url: string
  readonly token: string
  readonly state: string
}

/** Waits for what `find` finds in the server's log. Only the test's own deadline limits the wait. */
export const saidBy = async <A>(own: RawServer, find: (log: string) => A | undefined): Promise<A> => {
  for (;;) {
    const said = find(own.log())
    if (said !== undefined) return said
    if ((own.process.exitCode ?? own.process.signalCode) !== null) throw new Error(`the server ended before it listened: ${own.log()}`)
    await wait(10)
  }
}

/** The local person's token. */
export const localToken = (state: string): string => readFileSync(join(state, "token"), "utf8").trim()

/** The address in the server's log. */
export const addressOf = (own: RawServer): Promise<string> => saidBy(own, (log) => saidByFront.exec(log)?.[1])

/** Starts a server on stdio and HTTP, with the embedded engine unless the arguments name another. */
export const listen = async (...more: readonly string[]): Promise<Listening> => {
  const given = more.lastIndexOf("--state-dir")
  const state = given < 0 ? join(scratchFolder(), "state") : more[given + 1]!
  const own = start(["--engine", "embedded", "--state-dir", state, "--listen", "127.0.0.1:0", ...more])
  if (!more.includes("--no-stdio")) {
    await own.initialize()
    await own.call("k_status")
  }
  return { own, url: await addressOf(own), state, token: localToken(state) }
}

/** Starts a server on HTTP alone. */
export const alone = (...more: readonly string[]): Promise<Listening> => listen("--no-stdio", ...more)

export const headersOf = ({ token }: Pick<Listening, "token">) => ({ authorization: `Bearer ${token}` })
