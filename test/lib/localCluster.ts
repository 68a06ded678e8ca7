/**
 * A cluster on this machine: runners and front ends, each a process of the built server, over one PostgreSQL. `npm run cluster`, the chaos run and
 * the benchmark use this file; Node 22 runs it without a build.
 *
 * Guarantees: `runner` and `front` resolve when the machine can be reached; `end` leaves no process and no folder. Does not: end
 * the machines when this process itself is killed.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { inTime } from "./inTime.ts"
import { freePort, Postgres } from "./postgres.ts"
import { makeScratch } from "./scratchFolder.ts"

export const builtServer = join(import.meta.dirname, "../../dist/k3-mcp.js")

/** The flags of every machine; `shared`: the folder that all machines use. */
export const machineFlags = (shared: string): readonly string[] => {
  const state = join(shared, "state")
  return ["--engine", "embedded", "--no-stdio", "--state-dir", state, "--roots", shared]
}
export const asRunner = (address: string): NodeJS.ProcessEnv => ({ K3_ROLE: "runner", K3_RUNNER_ADDRESS: address })
export const asFront = (listen: string): NodeJS.ProcessEnv => ({ K3_ROLE: "front", K3_LISTEN: listen })
/** The text in a machine's log when the machine can be reached. */
export const saidByRunner = (address: string): string => `Listening on: ${address}`
export const saidByFront = /listening at (http:\S+\/mcp)/

/** The process of a machine, from its start. */
interface Running {
  readonly name: string
  readonly process: ChildProcess
  readonly log: () => string
  /** Resolves with exit code and signal. */
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>
}

/** A machine that was reached. */
export interface Machine extends Running {
  readonly role: "runner" | "front"
  /** ADDRESS:PORT of a runner, the URL of a front end. */
  readonly address: string
}

interface Given {
  readonly env?: NodeJS.ProcessEnv
  /** Flags of the database, as `postgres -c` takes them. */
  readonly database?: readonly string[]
}

export class LocalCluster {
  readonly postgres: Postgres
  /** The working folder of all machines. K code may read and write in it. */
  readonly shared: string
  /** The machines that were reached and have not ended. */
  readonly machines = new Set<Machine>()
  /** The processes that have not ended. */
  readonly running = new Set<Running>()
  /** The built server that the next machine runs. */
  server: string = builtServer
  private readonly env: NodeJS.ProcessEnv
  private begun = 0
  private constructor(postgres: Postgres, env: NodeJS.ProcessEnv) {
    this.postgres = postgres
    this.shared = makeScratch()
    this.env = env
    mkdirSync(join(this.shared, "logs"))
  }

  static async start({ env = {}, database = [] }: Given = {}): Promise<LocalCluster> {
    return new LocalCluster(await Postgres.start(...database), env)
  }

  get token(): string {
    return readFileSync(this.tokenFile, "utf8").trim()
  }
  get tokenFile(): string {
    return join(this.shared, "state", "token")
  }

  async runner(): Promise<Machine> {
    const address = `127.0.0.1:${await freePort()}`
    return this.begin("runner", asRunner(address), (log) => (log.includes(saidByRunner(address)) ? address : undefined))
  }

  /** `port`: 0 for a free port. */
  front(port = 0): Promise<Machine> {
    return this.begin("front", asFront(`127.0.0.1:${port}`), (log) => saidByFront.exec(log)?.[1])
  }

  private async begin(role: Machine["role"], more: NodeJS.ProcessEnv, reachable: (log: string) => string | undefined): Promise<Machine> {
    const name = `${role}-${++this.begun}`
    const file = join(this.shared, "logs", `${name}.log`)
    const output = openSync(file, "a")
    const child = spawn(process.execPath, [this.server, ...machineFlags(this.shared)], {
      cwd: this.shared,
      env: { ...process.env, ...this.env, ...more, K3_CLUSTER: this.postgres.url },
      stdio: ["ignore", output, output],
      detached: true,
    })
    closeSync(output)
    const log = () => readFileSync(file, "utf8")
    const ended = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) =>
      child.once("exit", (code, signal) => resolve([code, signal])),
    )
    const running = { name, process: child, log, ended }
    this.running.add(running)
    void ended.then(() => this.running.delete(running))
    const reached = async (): Promise<Machine> => {
      for (; this.running.has(running); await pause(20)) {
        const address = reachable(log())
        if (address === undefined) continue
        const machine = { ...running, role, address }
        this.machines.add(machine)
        void ended.then(() => this.machines.delete(machine))
        return machine
      }
      throw new Error(`${name} ended before it could be reached:\n${log()}`)
    }
    return inTime(reached(), () => `${name} starts\n${log()}`)
  }

  /** Sends SIGTERM to all machines, as a supervisor does, and waits for their end. Wakes stopped machines first. */
  async stop(): Promise<void> {
    const all = [...this.running]
    for (const { process: child } of all) {
      child.kill("SIGCONT")
      child.kill("SIGTERM")
    }
    await Promise.all(all.map(({ name, ended, log }) => inTime(ended, () => `${name} ends\n${log().slice(-2000)}`)))
  }

  /** Kills the machines that have not ended. */
  kill(): void {
    for (const { process: child } of this.running) child.kill("SIGKILL")
  }

  /** Ends the machines, which write their sessions; then removes the database and the shared folder. */
  async end(): Promise<void> {
    try {
      await this.stop()
    } finally {
      this.kill()
      await this.postgres.remove()
      rmSync(this.shared, { recursive: true, force: true })
    }
  }
}

/** Resolves at SIGINT, SIGTERM or SIGHUP. */
export const toldToEnd = (): Promise<unknown> => Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)))
