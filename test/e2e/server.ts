/**
 * The built server as a process, used over raw pipes, so that tests see details that a client library would hide. `start` makes a server
 * that is ended, by its own pid, at the end of the test, or of the suite that shares it (`shared.ts`).
 */
import { spawn, type ChildProcess } from "node:child_process"
import { cpSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect } from "vitest"
import { isAlive } from "../lib/processes.ts"
import { makeScratch } from "../lib/scratchFolder.ts"
import { atEnd } from "./shared.ts"

const root = join(import.meta.dirname, "../..")
export const serverFile = join(root, "dist/k3-mcp.js")

export interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: unknown
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

export interface RawServer {
  readonly process: ChildProcess
  /** Everything the server has sent, in order. */
  readonly messages: readonly Message[]
  /** All of standard error so far. */
  readonly log: () => string
  readonly write: (text: string | Uint8Array) => void
  readonly send: (message: object) => void
  readonly request: (method: string, params?: object) => Promise<Message>
  /** Waits for the first message, past or future, that satisfies the condition. */
  readonly message: (holds: (message: Message) => boolean) => Promise<Message>
  readonly initialize: () => Promise<Message>
  readonly call: (name: string, args?: object) => Promise<any>
  /** Resolves with code and signal when the process has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

export const scratchFolder = (): string => {
  const folder = makeScratch()
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A copy of the server and its interpreter in a folder of the test; gives the server's file. */
export const copiedServer = (): string => {
  const folder = scratchFolder()
  for (const name of ["k3-mcp.js", "k3-mcp", "k3.js", "k3", "package.json"])
    cpSync(join(dirname(serverFile), name), join(folder, name), { recursive: true })
  return join(folder, "k3-mcp.js")
}

export const start = (
  args: readonly string[] = ["--engine", "embedded"],
  environment: NodeJS.ProcessEnv = {},
  [command, ...first]: readonly [string, ...string[]] = [process.execPath, serverFile],
): RawServer => {
  const child = spawn(command, [...first, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...environment },
    cwd: scratchFolder(),
  })
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  let held = ""
  let log = ""
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (log += chunk))
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    held += chunk
    for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
      messages.push(JSON.parse(held.slice(0, end)) as Message)
      held = held.slice(end + 1)
    }
    for (const look of waiting) look()
  })
  child.stdin.on("error", () => {})
  child.setMaxListeners(0)
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  )
  atEnd(async () => {
    child.kill("SIGKILL")
    await ended
  })
  const message = (holds: (message: Message) => boolean): Promise<Message> => {
    const heard = new Promise<Message>((resolve, reject) => {
      child.once("close", () => reject(new Error(`the server ended and had not said it: ${log}`)))
      let next = 0
      const look = (): void => {
        while (next < messages.length && !holds(messages[next]!)) next++
        if (next === messages.length) return
        waiting.delete(look)
        resolve(messages[next]!)
      }
      waiting.add(look)
      look()
    })
    // A test may send a request without waiting for the reply.
    heard.catch(() => {})
    return heard
  }
  const write = (text: string | Uint8Array): void => void child.stdin.write(text)
  const send = (each: object): void => write(`${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`)
  let next = 1
  const request = (method: string, params: object = {}): Promise<Message> => {
    const id = next++
    send({ id, method, params })
    return message((each) => each.id === id)
  }
  return {
    process: child,
    messages,
    log: () => log,
    write,
    send,
    request,
    message,
    initialize: async () => {
      const reply = await request("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      })
      send({ method: "notifications/initialized" })
      return reply
    },
    call: (name, args = {}) => {
      const result = request("tools/call", { name, arguments: args }).then((reply) => reply.result)
      result.catch(() => {})
      return result
    },
    ended,
  }
}

/** Starts a server that takes calls. */
export const begin = async (...given: Parameters<typeof start>): Promise<RawServer> => {
  const server = start(...given)
  await server.initialize()
  return server
}

/** The structured content of a `k_eval`. */
export const evaluate = async (from: RawServer, code: string, rest: object = {}): Promise<any> =>
  (await from.call("k_eval", { code, ...rest })).structuredContent

export const statusOf = async (from: RawServer): Promise<any> => (await from.call("k_status")).structuredContent

/** Checks that the server answers a call, after a fault. */
export const goesOn = async (from: RawServer): Promise<void> => {
  expect(await evaluate(from, "1+1")).toMatchObject({ ok: true, output: expect.stringMatching(/^2/) })
}

/** Resolves when the process and its group are gone; only the test's own deadline limits it. */
export const gone = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** The K3CSharp build for tests, if `K3_BUILD_DIR` names one. */
export const k3csharpBuild = process.env["K3_BUILD_DIR"]

/** The engines, as arguments of the server. The SDKs' clients do not pass on the environment, so the build's folder is an argument too. */
export const engines: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["embedded", ["--engine", "embedded", "--state-dir", "none"]],
  ["k3csharp", ["--engine", "k3csharp", "--state-dir", "none", ...(k3csharpBuild === undefined ? [] : ["--build-dir", k3csharpBuild])]],
]
