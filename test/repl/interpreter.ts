/** The built `k3` as a process, used as a server uses it. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { keptMemory } from "../../src/child/environment.ts"
import { atEnd } from "../e2e/shared.ts"
import { makeScratch } from "../lib/scratchFolder.ts"
import { ReplySplitter, type ChildReply } from "../../src/repl/frame.ts"

export const k3File = join(import.meta.dirname, "../../dist/k3.js")

export const scratchFolder = (): string => {
  const folder = makeScratch()
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs `k3` to its end. */
export const run = (args: readonly string[], options: { input?: string; cwd?: string; env?: NodeJS.ProcessEnv } = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [k3File, ...args], {
    encoding: "utf8",
    input: options.input ?? "",
    cwd: options.cwd ?? scratchFolder(),
    env: { ...process.env, NO_COLOR: "", ...options.env },
  })
  return { status, stdout, stderr }
}

export interface Child {
  readonly process: ChildProcess
  readonly write: (text: string) => void
  /** Waits for the next reply: its text, or the report of its error. */
  readonly reply: () => Promise<{ readonly text: string; readonly report: any; readonly bytes: number }>
  readonly ask: (line: string) => ReturnType<Child["reply"]>
  /** Resolves when this text has appeared on standard output. */
  readonly printed: (text: string) => Promise<void>
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/** Launches a child as a server does, waits until it is ready, and ends it with the test or suite. `under`: a command to run it with. */
export const startChild = async (flags: readonly string[] = [], cwd = scratchFolder(), under: readonly string[] = []): Promise<Child> => {
  const [command, ...args] = [...under, process.execPath, k3File, "--mcp", ...flags]
  const child = spawn(command!, args, { stdio: ["pipe", "pipe", "inherit"], cwd, env: { ...process.env, ...keptMemory } })
  const splitter = new ReplySplitter({ head: 1 << 20, tail: 1 << 20, reports: true })
  const replies: ChildReply[] = []
  const waiting = new Set<() => void>()
  let seen = ""
  child.stdin.on("error", () => {})
  child.stdout.on("data", (chunk: Buffer) => {
    replies.push(...splitter.feed(chunk))
    seen = (seen + chunk.toString("latin1")).slice(-100_000)
    for (const look of waiting) look()
  })
  const until = <A>(found: () => A | undefined): Promise<A> =>
    new Promise((resolve) => {
      const look = (): void => {
        const it = found()
        if (it === undefined) return
        waiting.delete(look)
        resolve(it)
      }
      waiting.add(look)
      look()
    })
  const ended = new Promise<Awaited<Child["ended"]>>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })))
  atEnd(async () => {
    child.kill("SIGKILL")
    await ended
  })
  const decoder = new TextDecoder()
  const write = (text: string): void => void child.stdin.write(text)
  const reply: Child["reply"] = async () => {
    const { head, tail, report, bytes } = await until(() => replies.shift())
    return { text: decoder.decode(head) + decoder.decode(tail), report: report === undefined ? undefined : JSON.parse(report), bytes }
  }
  await reply()
  return {
    process: child,
    write,
    reply,
    ask: (line) => {
      write(`${line}\n`)
      return reply()
    },
    printed: async (text) => void (await until(() => (seen.includes(text) ? true : undefined))),
    ended,
  }
}
