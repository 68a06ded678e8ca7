/** A built server that serves principals over HTTP, and clients of principals. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import * as Result from "effect/Result"
import { onTestFinished } from "vitest"
import { readCommandLine } from "../../src/platform/commandLine.ts"
import * as tokens from "../../src/platform/tokenCommand.ts"
import { resolve } from "../../src/Settings.ts"
import { addressOf } from "./listening.ts"
import { type RawServer, scratchFolder, serverFile, start } from "./server.ts"

export interface Hosted {
  readonly own: RawServer
  readonly url: string
  readonly state: string
  /** The folder of the principals' roots. */
  readonly roots: string
}

/** Runs `k3-mcp token …` on that state folder. */
export const tokenCommand = (state: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [serverFile, "token", ...args, "--state-dir", state], {
    encoding: "utf8",
  })
  return { code: status, text: stdout, log: stderr }
}

const usable = <A>(read: Result.Result<A, readonly string[]>): A =>
  Result.getOrThrowWith(read, (problems) => new Error(problems.join("\n")))

/** Reads a command line as the program does, in this process: to start the program takes longer. Throws what the program prints. */
export const commandLine = (...args: readonly string[]) => usable(readCommandLine(args))

export const settings = (...args: readonly string[]) => usable(resolve(commandLine(...args).sources)).values

/** What `tokenCommand` does and prints, in this process. */
export const changeToken = (state: string, ...args: readonly string[]): string => {
  const given = ["token", ...args, "--state-dir", state]
  return tokens.tokenCommand(commandLine(...given).token!, settings(...given))
}

export const addToken = (state: string, ...args: readonly string[]): string => changeToken(state, "add", ...args).trim()

export const host = async (
  args: readonly string[] = [],
  {
    folder = scratchFolder(),
    listen = "127.0.0.1:0",
    environment,
    program = serverFile,
  }: { readonly folder?: string; readonly listen?: string; readonly environment?: NodeJS.ProcessEnv; readonly program?: string } = {},
): Promise<Hosted> => {
  const state = join(folder, "state")
  const roots = join(folder, "principals")
  const own = start(
    ["--engine", "embedded", "--state-dir", state, "--principals", roots, "--listen", listen, "--no-stdio", ...args],
    environment,
    [process.execPath, program],
  )
  return { own, url: await addressOf(own), state, roots }
}

export const connect = async ({ url }: Pick<Hosted, "url">, token: string, options: ClientOptions = {}): Promise<Client> => {
  const client = new Client({ name: "test", version: "1" }, options)
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }))
  onTestFinished(() => client.close().catch(() => {}))
  return client
}

/** Client options for the modern era. */
export const auto = { versionNegotiation: { mode: "auto" } } as const

/** Calls a tool; returns the structured content. */
export const callTool = async (client: Pick<Client, "callTool">, name: string, args: object = {}): Promise<any> =>
  (await client.callTool({ name, arguments: { ...args } })).structuredContent

/** Sends one message by `fetch`. */
export const ask = async ({ url }: Pick<Hosted, "url">, token: string | undefined, body: object | string, headers: object = {}) => {
  const reply = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
  })
  return { status: reply.status, text: await reply.text(), headers: reply.headers }
}

/** The first message of a client of the legacy era. */
export const opening = {
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
} as const
