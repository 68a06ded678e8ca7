/**
 * PostgreSQL for tests, from Debian's package `postgresql`: each server has its own data folder, port and password.
 *
 * Programs that are no tests run this file with plain Node.
 * Guarantees: nothing outside a scratch folder is written; a server whose folder is removed ends by itself. Tests that need PostgreSQL are skipped by
 * name when `isInstalled` is false. Does not: survive a loss of power, since it does not flush.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { inTime, longestWait } from "./inTime.ts"
import { makeScratch } from "./scratchFolder.ts"

const versions = "/usr/lib/postgresql"
const programs = existsSync(versions)
  ? readdirSync(versions)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(versions, version, "bin"))
      .find((folder) => existsSync(join(folder, "initdb")))
  : undefined

/** PostgreSQL refuses to run as root. */
const numberOf = (flag: string): number => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout)
const owner = process.getuid?.() === 0 ? { uid: numberOf("-u"), gid: numberOf("-g") } : undefined

export const isInstalled: boolean = programs !== undefined && (owner === undefined || owner.uid > 0)
/** The end of the title of a test that needs PostgreSQL. */
export const orSkipped: string = isInstalled ? "" : ": skipped, PostgreSQL is not installed"

/** A free port of this machine. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

export class Postgres {
  private server: ChildProcess | undefined
  private readonly folder: string
  private readonly options: readonly string[]
  readonly port: number
  readonly password: string
  private constructor(folder: string, options: readonly string[], port: number, password: string) {
    this.folder = folder
    this.options = options
    this.port = port
    this.password = password
  }

  /** Starts a server; `options` as for `postgres -c`: `max_connections=10`. */
  static async start(...options: readonly string[]): Promise<Postgres> {
    const folder = makeScratch()
    chmodSync(folder, 0o711)
    const data = join(folder, "data")
    mkdirSync(data, { mode: 0o700 })
    if (owner !== undefined) chownSync(data, owner.uid, owner.gid)
    const password = randomBytes(12).toString("hex")
    writeFileSync(join(folder, "password"), password, { mode: 0o644 })
    const initdb = ["-D", data, "-U", "k3", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "-N", `--pwfile=${join(folder, "password")}`]
    await promisify(execFile)(join(programs!, "initdb"), initdb, { ...owner, cwd: "/", timeout: longestWait })
    const postgres = new Postgres(folder, options, await freePort(), password)
    await postgres.begin()
    return postgres
  }

  get url(): string {
    return `postgres://k3:${this.password}@127.0.0.1:${this.port}/postgres`
  }

  /** Starts the stopped server; resolves when it accepts connections. */
  async begin(): Promise<void> {
    const data = join(this.folder, "data")
    const given = ["fsync=off", "shared_buffers=16MB", "listen_addresses=127.0.0.1", `unix_socket_directories=${data}`, ...this.options]
    const flags = ["-D", data, "-p", String(this.port), ...given.flatMap((each) => ["-c", each])]
    // A process group of its own, so that a terminal's Ctrl-C ends the clients first.
    const server = spawn(join(programs!, "postgres"), flags, { ...owner, cwd: "/", stdio: ["ignore", "ignore", "pipe"], detached: true })
    this.server = server
    const said: string[] = []
    const lines = createInterface(server.stderr)
    const ready = new Promise<void>((resolve, reject) => {
      lines.on("line", (line) => {
        said.push(line)
        if (line.includes("ready to accept connections")) resolve()
      })
      server.once("exit", () => reject(new Error(`PostgreSQL ended:\n${said.join("\n")}`)))
    })
    await inTime(ready, () => `PostgreSQL starts\n${said.join("\n")}`)
  }

  /** Stops the server. `immediate` is like a crash; `fast` closes the connections and writes all data. */
  async end(how: "immediate" | "fast" = "fast"): Promise<void> {
    const { server } = this
    if (server === undefined) return
    this.server = undefined
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, "exit")
    server.kill(how === "fast" ? "SIGINT" : "SIGQUIT")
    await inTime(ended, () => `PostgreSQL, process ${server.pid}, ends (${how})`)
  }

  /** Stops all processes of the server (SIGSTOP), until `goOn`. */
  standStill(): void {
    this.signal("SIGSTOP")
  }

  goOn(): void {
    this.signal("SIGCONT")
  }

  private signal(name: "SIGSTOP" | "SIGCONT"): void {
    const parent = this.server!.pid!
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ").map(Number)
    for (const pid of [parent, ...children]) process.kill(pid, name)
  }

  /** The output of psql, without column names. */
  async run(sql: string, database = "postgres"): Promise<string> {
    const connection = { PGHOST: "127.0.0.1", PGPORT: String(this.port), PGUSER: "k3", PGPASSWORD: this.password, PGDATABASE: database }
    const env = { ...process.env, ...connection }
    const done = promisify(execFile)(join(programs!, "psql"), ["-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql], { env })
    return (await done).stdout.trim()
  }

  async remove(): Promise<void> {
    await this.end("immediate")
    rmSync(this.folder, { recursive: true, force: true })
  }
}
