/** Makes the place where attempts are made, runs them on a server of its own, and tells which of them happened. Cleans up behind itself. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer, type Server } from "node:net"
import { dirname, join } from "node:path"
import { expect } from "vitest"
import { isAlive } from "../lib/processes.ts"
import type { Attempt, Scene, Sight } from "./attempts.ts"

export interface Column {
  readonly engine: "embedded" | "k3csharp"
  readonly fenced: boolean
  /** `0` is root. */
  readonly user: number
}

export type Verdict = "happened" | "refused" | "not run" | ""

const DESCRIPTOR = 30
const library = join(import.meta.dirname, "attacker")
const dist = join(import.meta.dirname, "../../dist")

/** The library for `2:`, built where there is an SDK of .NET; undefined where not. */
export const buildLibrary = (): string | undefined => {
  const folder = mkdtempSync("/var/tmp/k3-attacker-")
  cpSync(library, folder, { recursive: true })
  try {
    execFileSync("dotnet", ["build", "-v", "q", "--nologo"], { cwd: folder, stdio: "pipe", timeout: 240_000 })
    return join(folder, "bin/Attacker.dll")
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
}

/** Of the abstract socket. */
const nameOf = (base: string): string => base.replaceAll("/", "")

const listening = (server: Server, place: object): Promise<Server> =>
  new Promise((resolve, reject) => void server.once("error", reject).listen(place, () => resolve(server)))

const pidsOf = (mark: string): readonly number[] =>
  readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1").includes(mark) ? [Number(name)] : []
    } catch {
      return []
    }
  })

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const asUser = (user: number, command: readonly string[]): readonly string[] =>
  user === process.getuid!() ? command : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", ...command]

const start = (user: number, command: readonly string[], cwd: string, env: NodeJS.ProcessEnv, secretFile?: string): ChildProcess => {
  const [program, ...args] = asUser(user, command)
  const stdio = ["pipe", "pipe", "ignore"] as ("pipe" | "ignore" | number)[]
  if (secretFile !== undefined) {
    for (let n = 3; n < DESCRIPTOR; n++) stdio.push("ignore")
    stdio.push(openSync(secretFile, "r"))
  }
  return spawn(program!, args, { cwd, env, stdio })
}

/** Calls of the server's one tool that matters here. */
const client = (server: ChildProcess) => {
  const waiting = new Map<number, (message: any) => void>()
  let held = ""
  server.stdout!.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (held + chunk).split("\n")
    held = lines.pop()!
    for (const line of lines) {
      const message = JSON.parse(line)
      waiting.get(message.id)?.(message)
    }
  })
  let id = 0
  const request = (method: string, params: object): Promise<any> =>
    new Promise((resolve) => {
      waiting.set(++id, resolve)
      server.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    })
  const evaluate = async (code: string, session = "main"): Promise<string> => {
    const { result } = await request("tools/call", { name: "k_eval", arguments: { code, session, timeout_ms: 40_000 } })
    return JSON.stringify(result.structuredContent).replaceAll(String.raw`\n`, "\n")
  }
  return { request, evaluate }
}

const setUp = async (base: string, secret: string, build: string | undefined, net: string | undefined) => {
  const [root, outside, program] = ["root", "outside", "program"].map((name) => join(base, name)) as [string, string, string]
  for (const [path, text] of [
    [`${outside}/secret`, secret],
    [`${outside}/data`, secret],
    [`${outside}/script.k`, `x:"${secret}"\nx\n`],
    [`${root}/own/state/token`, secret],
    [`${root}/inner/data`, ""],
    [`${root}/.git/config`, ""],
    [`${root}/.mcp.json`, "{}"],
    [`${root}/node_modules/.bin/none`, ""],
    [`${root}/K3CSharp/K3CSharp.csproj`, "<Project/>"],
    [`${root}/K3CSharp/Program.cs`, "// none"],
  ] as const)
    write(path, text)
  symlinkSync(`${outside}/secret`, `${root}/planted`)
  for (const name of ["k3-mcp.js", "k3-mcp", "k3.js", "k3", "package.json"])
    cpSync(join(dist, name), join(program, name), { recursive: true })
  cpSync(build ?? dist, join(root, "K3CSharp/bin"), { recursive: true })
  if (net !== undefined) cpSync(net, join(root, "Attacker.dll"))
  chmodSync(join(root, "own/state"), 0o700)
  const say = (): Server => createServer((socket) => socket.on("error", () => {}).end(`${secret}\n`))
  const listeners = [
    await listening(say(), { port: 0, host: "127.0.0.1" }),
    await listening(say(), { path: `${outside}/socket` }),
    await listening(say(), { path: `${root}/socket` }),
    await listening(say(), { path: `\0${nameOf(base)}` }),
  ]
  const { port } = listeners[0]!.address() as { port: number }
  return { root, outside, program, port, listeners }
}

const sightOf = (said: string): Sight => ({
  said,
  exists: existsSync,
  text: (path) => (existsSync(path) ? readFileSync(path, "utf8") : ""),
  isAlive,
  count: (mark) => pidsOf(mark).length,
})

/** What each attempt came to. `net`: the library; `build`: of K3CSharp. */
export const run = async (column: Column, attempts: readonly Attempt[], build: string | undefined, net: string | undefined) => {
  const { engine, fenced, user } = column
  const base = mkdtempSync("/var/tmp/k3-fence-")
  const secret = `s3cret${Math.random().toString(36).slice(2)}`
  const { root, outside, program, port, listeners } = await setUp(base, secret, build, net)
  chmodSync(base, 0o755)
  execFileSync("chown", ["-R", `${user}:${user}`, base])
  const env = { PATH: `${root}/node_modules/.bin:${root}/tools/bin:/usr/bin:/bin`, HOME: join(base, "home"), K3_TEST_SECRET: secret }
  const victim = start(user, [process.execPath, "-e", "setInterval(()=>{},1e9)", `victim-${secret}`], base, env)
  const flags = [
    "--engine",
    engine,
    "--build-dir",
    `${root}/K3CSharp/bin`,
    "--state-dir",
    `${root}/own/state`,
    "--shell",
    "allow",
    "--roots",
    `${root}:${root}/inner`,
  ]
  const command = [process.execPath, `${program}/k3-mcp.js`, ...flags, "--fence", fenced ? "required" : "off"]
  const server = start(user, command, root, env, `${outside}/secret`)
  const ended = new Promise((resolve) => server.once("exit", resolve))
  const { request, evaluate } = client(server)
  const scene: Scene = {
    root,
    outside,
    secret,
    port,
    program,
    abstract: nameOf(base),
    serverPid: server.pid!,
    victimPid: victim.pid!,
    descriptor: DESCRIPTOR,
    node: process.execPath,
  }
  const verdicts = new Map<string, Verdict>()
  const later: Attempt[] = []
  const judge = (attempt: Attempt, said: string): void => {
    verdicts.set(attempt.tries, attempt.happened(sightOf(said), scene) ? "happened" : "refused")
  }
  const make = async (attempt: Attempt): Promise<string> => {
    if ("k" in attempt) return await evaluate(attempt.k(scene))
    if ("net" in attempt) {
      rmSync(`${root}/result`, { force: true })
      await evaluate(`._dotnet.Fence.Attacker.Run "${attempt.net(scene)}"`)
      return existsSync(`${root}/result`) ? readFileSync(`${root}/result`, "utf8") : ""
    }
    return await script(attempt.sh(scene))
  }
  const script = async (text: string, session?: string): Promise<string> => {
    writeFileSync(`${root}/attempt.sh`, text)
    return await evaluate(engine === "k3csharp" ? '\\"sh attempt.sh"' : "\\sh attempt.sh", session)
  }
  const generation = async (): Promise<number> =>
    (await request("tools/call", { name: "k_status", arguments: {} })).result.structuredContent.generation
  /** With what goes on behind the evaluation: again, when the interpreter ended before that was done. */
  const makeWhole = async (attempt: Attempt): Promise<string> => {
    const { sessions, until } = attempt
    // Before the attempt: the interpreter may end as soon as it has answered.
    const began = until === undefined ? 0 : await generation()
    let said = await make(attempt)
    for (let i = 0; i < (sessions?.count ?? 0); i++) {
      said += await script(sessions!.sh, `other${i}`)
      await request("tools/call", { name: "k_session", arguments: { action: "close", name: `other${i}` } })
    }
    if (until === undefined) return said
    const isDone = (): boolean => existsSync(join(root, until))
    await expect.poll(async () => isDone() || (await generation()) !== began, { timeout: 60_000, message: attempt.tries }).toBe(true)
    return isDone() ? said : said + (await makeWhole(attempt))
  }
  try {
    await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } })
    await evaluate(engine === "k3csharp" && net !== undefined ? `"${root}/Attacker.dll" 2: \`Attacker` : "1+1")
    const answered = await evaluate("20+2")
    if (!answered.includes("22")) throw new Error(`no session to attempt anything in: ${answered}`)
    for (const attempt of attempts) {
      const isFor = !("net" in attempt) || (engine === "k3csharp" && net !== undefined)
      if (!isFor) verdicts.set(attempt.tries, "")
      else if (attempt.destructive === true && !fenced) verdicts.set(attempt.tries, "not run")
      else {
        const said = await makeWhole(attempt)
        // What appears in the root is moved out of it a moment after it is heard of.
        if (fenced && attempt.mustNot === "it stays")
          await expect
            .poll(() => attempt.happened(sightOf(said), scene), { timeout: 30_000 })
            .toBe(false)
            .catch(() => {})
        if (attempt.afterwards === true) later.push(attempt)
        else judge(attempt, said)
      }
    }
    server.kill("SIGKILL")
    await ended
    for (const attempt of later) {
      // The kernel needs a moment to end the processes that die with the server.
      if (fenced) while (attempt.happened(sightOf(""), scene)) await new Promise(setImmediate)
      judge(attempt, "")
    }
    return verdicts
  } finally {
    server.kill("SIGKILL")
    victim.kill("SIGKILL")
    for (const pid of pidsOf(secret)) if (pid !== process.pid) process.kill(pid, "SIGKILL")
    for (const listener of listeners) listener.close()
    rmSync(base, { recursive: true, force: true })
  }
}
