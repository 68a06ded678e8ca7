/**
 * Sessions over several machines, on real processes and a real PostgreSQL. Skipped by name without PostgreSQL, and without a Node that
 * members of a cluster run on.
 */
import { existsSync, readFileSync } from "node:fs"
import { once } from "node:events"
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { join } from "node:path"
import { spawnSync } from "node:child_process"
import { describe, expect, it, onTestFinished } from "vitest"
import { gone, serverFile } from "../e2e/server.ts"
import { CuttingProxy } from "../lib/cuttingProxy.ts"
import { isAlive } from "../lib/processes.ts"
import { front, runner, statusOf } from "./machines.ts"
import { cluster, perTest, postgres } from "./perTest.ts"
import { node, skipped, why } from "./prerequisites.ts"

perTest()

const wait = 150_000

/** How another machine connects. */
const asMember = (secret: Buffer) => ({
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  maxVersion: "TLSv1.2" as const,
  pskCallback: () => ({ psk: secret, identity: "k3-mcp" }),
  checkServerIdentity: () => undefined,
})
const isHeard = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const tell = (is: boolean): void => {
      socket.destroy()
      resolve(is)
    }
    socket.once("connect", () => tell(true)).once("error", () => tell(false))
  })

describe(`a cluster${why}`, () => {
  it.skipIf(skipped)(
    "X1 X2 a machine that is killed at work: told, not run again, and the variables are elsewhere",
    { timeout: wait },
    async () => {
      const runners = [await runner(cluster), await runner(cluster)]
      const { call } = await front(cluster)
      expect((await call("k_eval", { code: "b:42\nb" })).text).toBe("42\n")
      await expect.poll(async () => (await call("k_status")).text).toContain("On disk: as of")
      const before = await statusOf(call)
      const owner = runners.find(({ address }) => String(before.machine).startsWith(`${address}#`))!
      const file = join(cluster.shared, "log.l")
      const lost = call("k_eval", { code: `"${file}" 5:,"started"\nwhile[1;1]`, timeout_ms: 60_000 })
      await expect.poll(() => existsSync(file)).toBe(true)
      owner.process.kill("SIGKILL")
      const during = await call("k_status")
      expect(during.isError).toBe(false)
      expect((await call("k_history", { action: "list" })).text).toContain("b:42")
      const told = await lost
      expect(told.isError).toBe(true)
      expect(told.text).toContain("The machine that ran this was lost; it may have run in part, and is not run again")
      const next = await call("k_eval", { code: "b" })
      expect(next.text).toContain("42")
      expect(next.text).toContain("1 variable is back from disk")
      const after = await statusOf(call)
      expect(after.machine).not.toBe(before.machine)
      expect(after.epoch).toBeGreaterThan(before.epoch)
      expect(readFileSync(file, "latin1").split("started").length - 1).toBe(1)
      await gone(before.pid)
    },
  )

  it.skipIf(skipped)("X3 a machine that leaves hands over what it has, and any front end answers for it", { timeout: wait }, async () => {
    const first = await runner(cluster)
    const one = await front(cluster)
    expect((await one.call("k_eval", { code: "b:!5" })).isError).toBe(false)
    expect((await one.call("k_snapshot", { action: "save", name: "a" })).isError).toBe(false)
    expect((await one.call("k_eval", { code: "b:7" })).isError).toBe(false)
    const second = await runner(cluster)
    const other = await front(cluster)
    first.process.kill("SIGTERM")
    expect((await first.ended).code).toBe(0)
    expect((await other.call("k_session", { action: "interrupt" })).structured).toMatchObject({ ok: true, stopped: false })
    const asked = await other.call("k_eval", { code: "b" })
    expect(asked.text).toContain("7")
    expect(asked.text).toContain("Note: a machine of the cluster opened the session again. 1 variable is back from disk")
    expect((await other.call("k_status")).structured.machine).toContain(second.address)
    expect((await other.call("k_snapshot", { action: "list" })).text).toContain("a: 1 variable")
    expect((await one.call("k_history", { action: "list" })).text).toContain("b:7")
  })

  it.skipIf(skipped)(
    "X4 a machine that stood still writes nothing when it goes on, and its interpreter has ended",
    { timeout: wait },
    async () => {
      const runners = [await runner(cluster), await runner(cluster)]
      const { call } = await front(cluster)
      expect((await call("k_eval", { code: "b:1" })).isError).toBe(false)
      await expect.poll(async () => (await call("k_status")).text).toContain("On disk: as of")
      const before = await statusOf(call)
      const owner = runners.find(({ address }) => String(before.machine).startsWith(`${address}#`))!
      owner.process.kill("SIGSTOP")
      await expect.poll(() => isAlive(before.pid), { timeout: 20_000 }).toBe(false)
      await expect.poll(async () => (await call("k_eval", { code: "b" })).isError, { timeout: 100_000 }).toBe(false)
      expect((await call("k_eval", { code: "b:2" })).isError).toBe(false)
      const meanwhile = await statusOf(call)
      expect(meanwhile.machine).not.toBe(before.machine)
      expect(meanwhile.epoch).toBeGreaterThan(before.epoch)
      owner.process.kill("SIGCONT")
      // It rejoins, and gets back the sessions that it had before, each under a later epoch.
      const rejoined = async (): Promise<boolean> => {
        const { machine, epoch } = (await call("k_status")).structured
        return machine === before.machine && epoch > meanwhile.epoch
      }
      await expect.poll(rejoined, { timeout: 60_000 }).toBe(true)
      expect((await call("k_eval", { code: "b" })).text).toContain("2")
    },
  )

  it.skipIf(skipped)("S11 a call waits within its own deadline for a session that no machine gives", { timeout: wait }, async () => {
    const { process: machine } = await runner(cluster)
    const { call } = await front(cluster)
    expect((await call("k_eval", { code: "b:1" })).isError).toBe(false)
    machine.kill("SIGSTOP")
    const waited = await call("k_eval", { code: "b", timeout_ms: 2000 })
    expect(waited).toMatchObject({ isError: true, text: expect.stringContaining("none answered for it within 2 s") })
  })

  it.skipIf(skipped)("X3 a machine that is told to end waits for nobody who is just connecting", { timeout: wait }, async () => {
    const { address, process: machine, ended } = await runner(cluster)
    const secret = Buffer.from(await postgres.run("SELECT encode(secret, 'hex') FROM k3_cluster"), "hex")
    const port = Number(address.split(":")[1])
    const socket = connect(port, "127.0.0.1").on("error", () => {})
    await once(socket, "connect")
    machine.kill("SIGTERM")
    // It hears nobody new when it has begun to close.
    await expect.poll(() => isHeard(port)).toBe(false)
    connectTls({ ...asMember(secret), socket }).on("error", () => {})
    expect((await ended).code).toBe(0)
  })

  it.skipIf(skipped)("X5 a database that restarts ends no session", { timeout: wait }, async () => {
    await runner(cluster)
    const { call } = await front(cluster)
    expect((await call("k_eval", { code: "b:1" })).isError).toBe(false)
    const before = await statusOf(call)
    await postgres.end("fast")
    const during = call("k_eval", { code: "b:b+1;b" })
    await postgres.begin()
    expect((await during).text).toContain("2")
    expect((await call("k_eval", { code: "b" })).text).toContain("2")
    const after = await statusOf(call)
    expect([after.pid, after.epoch]).toEqual([before.pid, before.epoch])
  })

  it.skipIf(skipped)("X5 connections to the database that end without a word end no session", { timeout: wait }, async () => {
    const proxy = await CuttingProxy.before(postgres.port)
    onTestFinished(() => proxy.close())
    const { log } = await runner({ ...cluster, database: cluster.database.replace(String(postgres.port), String(proxy.port)) })
    const { call } = await front(cluster)
    expect((await call("k_eval", { code: "b:1" })).isError).toBe(false)
    const before = await statusOf(call)
    proxy.silence()
    const silentSince = await postgres.run("SELECT clock_timestamp()")
    const isRefreshed = () => postgres.run(`SELECT coalesce(min(acquired_at) > '${silentSince}', false) FROM cluster_locks`)
    await expect.poll(isRefreshed).toBe("t")
    expect((await call("k_eval", { code: "b:b+1;b" })).text).toContain("2")
    const after = await statusOf(call)
    expect([after.pid, after.epoch]).toEqual([before.pid, before.epoch])
    expect(log()).not.toContain("unhealthy")
  })

  it.skipIf(skipped)(
    "X5 a database that turns read only is named, by a front end and in the log of a runner",
    { timeout: wait },
    async () => {
      const { log } = await runner({ ...cluster, env: { K3_EVAL_TIMEOUT: "2s" } })
      const { call } = await front({ ...cluster, env: { K3_EVAL_TIMEOUT: "2s" } })
      expect((await call("k_eval", { code: "b:1" })).isError).toBe(false)
      await postgres.run("ALTER SYSTEM SET default_transaction_read_only = on")
      await postgres.run("SELECT pg_reload_conf()")
      const named = "it is read only, as a standby is"
      await expect.poll(log, { timeout: 60_000 }).toMatch(new RegExp(`Shard lock storage is still unhealthy.*${named}`))
      await expect.poll(async () => (await call("k_eval", { code: "b" })).isError, { timeout: 60_000 }).toBe(true)
      expect((await call("k_eval", { code: "b" })).text).toContain(named)
      expect((await call("k_status")).text).toContain(named)
    },
  )

  it.skipIf(skipped)(
    "X5 a database that stands still holds up neither /readyz nor the end of a runner for long",
    { timeout: wait },
    async () => {
      const { process: machine, ended } = await runner(cluster)
      const { call, url } = await front(cluster)
      expect((await call("k_eval", { code: "b:1" })).isError).toBe(false)
      const { pid } = await statusOf(call)
      postgres.standStill()
      try {
        for (let i = 0; i < 3; i++) expect(await (await fetch(new URL("/readyz", url))).text()).toContain("runners: unknown")
        // The lease has not run out yet.
        expect(isAlive(pid)).toBe(true)
        // The front end waits for its query as long as any operation may take.
        const queried = call("k_history", { action: "list" })
        machine.kill("SIGTERM")
        expect(await Promise.race([ended, queried])).toEqual({ code: 0, signal: null })
        await gone(pid)
        await queried
      } finally {
        postgres.goOn()
      }
    },
  )

  it.skipIf(skipped)(
    "X6 nobody without the cluster's secret speaks to a runner, and no log holds the password",
    { timeout: wait },
    async () => {
      const { address, log } = await runner(cluster)
      const attempt = (secret: Buffer): Promise<string> =>
        new Promise((resolve) => {
          const socket = connectTls({
            ...asMember(secret),
            host: "127.0.0.1",
            port: Number(address.split(":")[1]),
          })
          socket.once("secureConnect", () => resolve("in")).once("error", () => resolve("out"))
        })
      expect(await attempt(Buffer.alloc(32, 1))).toBe("out")
      const secret = await postgres.run("SELECT encode(secret, 'hex') FROM k3_cluster")
      expect(await attempt(Buffer.from(secret, "hex"))).toBe("in")
      expect(log()).not.toContain(postgres.password)
      const asked = spawnSync(node!, [serverFile, "--print-config"], {
        encoding: "utf8",
        env: { ...process.env, K3_CLUSTER: postgres.url },
      })
      expect(asked.stdout).toContain("cluster")
      expect(asked.stdout).not.toContain(postgres.password)
    },
  )
})
