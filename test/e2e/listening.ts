/** A built server that listens, with the local person's token. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { type RawServer, scratchFolder, start } from "./server.ts"

export interface Listening {
  readonly own: RawServer
  readonly url: string
  readonly token: string
  readonly state: string
}

/** The address in the server's log. */
export const addressOf = async (own: RawServer): Promise<string> => {
  const said = (): string => /listening at (http:\S+\/mcp)/.exec(own.log())?.[1] ?? ""
  await expect.poll(said).not.toBe("")
  return said()
}

/** Starts a server on stdio and HTTP, with the embedded engine unless the arguments name another. */
export const listen = async (...more: readonly string[]): Promise<Listening> => {
  const given = more.lastIndexOf("--state-dir")
  const state = given < 0 ? join(scratchFolder(), "state") : more[given + 1]!
  const own = start(["--engine", "embedded", "--state-dir", state, "--listen", "127.0.0.1:0", ...more])
  if (!more.includes("--no-stdio")) {
    await own.initialize()
    await own.call("k_status")
  }
  return { own, url: await addressOf(own), state, token: readFileSync(join(state, "token"), "utf8").trim() }
}

/** Starts a server on HTTP alone. */
export const alone = (...more: readonly string[]): Promise<Listening> => listen("--no-stdio", ...more)

export const headersOf = ({ token }: Pick<Listening, "token">) => ({ authorization: `Bearer ${token}` })
