/** The wall clock of the server is set a day forward and back: deadlines and idle times do not follow it, the expiry of tokens does. */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it } from "vitest"
import { addToken, ask, auto, connect, host, type Hosted, callTool } from "./hosted.ts"

const environment = { NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "../lib/movedClock.mjs")).href}` }
const loop = "while[1;z:1]"
const day = 86_400_000

/** Forward by a day, then back by two, then to where it was. */
const moved = async ({ own }: Hosted, by: number): Promise<void> => {
  own.process.kill("SIGUSR2")
  await expect.poll(() => own.log()).toContain(`the clock is moved by ${by} ms`)
}

it(
  "N11 S4 the clock moved: evaluations, deadlines and sessions go on, and a token expires by the wall clock",
  { timeout: 60_000 },
  async () => {
    const to = await host(["--session-ttl", "1h"], { environment })
    const token = addToken(to.state, "anna", "--expires", "2h")
    const forEver = addToken(to.state, "bob")
    const bob = await connect(to, forEver, auto)
    expect(await callTool(bob, "k_eval", { code: "kept:5" })).toMatchObject({ ok: true })
    expect((await ask(to, token, { method: "ping" })).status).not.toBe(401)

    // A deadline of minutes does not pass when the clock is set a day forward.
    const long = callTool(bob, "k_eval", { code: loop, timeout_ms: 200_000 })
    await expect.poll(async () => (await callTool(bob, "k_status")).running?.statement).toBe(loop)
    await moved(to, day)
    expect((await ask(to, token, { method: "ping" })).status).toBe(401)
    expect(await callTool(bob, "k_eval", { code: "1+1", session: "other" })).toMatchObject({ output: "2\n" })
    expect(await callTool(bob, "k_status")).toMatchObject({ running: { statement: loop } })
    expect(await callTool(bob, "k_session", { action: "interrupt" })).toMatchObject({ stopped: true })
    expect(await long).toMatchObject({ ok: false, error: { name: "interrupt" } })

    // A short deadline passes although the clock is set back meanwhile.
    const short = callTool(bob, "k_eval", { code: loop, timeout_ms: 3000 })
    await expect.poll(async () => (await callTool(bob, "k_status")).running?.statement).toBe(loop)
    await moved(to, -day)
    expect(await short).toMatchObject({ ok: false, error: { name: "deadline" } })
    expect((await ask(to, token, { method: "ping" })).status).not.toBe(401)

    // No session was idle for longer than `sessionTtl`.
    await moved(to, 0)
    expect((await callTool(bob, "k_session", { action: "list" })).sessions.map(({ name }: { name: string }) => name)).toEqual([
      "main",
      "other",
    ])
    const kept = await callTool(bob, "k_eval", { code: "kept" })
    expect(kept).toMatchObject({ ok: true, output: "5\n" })
    // A busy machine may have had to end one of the loops by force; no other notice is due.
    expect(kept.notice ?? "was ended by force").toContain("was ended by force")
    const { entries } = await callTool(bob, "k_history", { action: "list" })
    const first = entries.find(({ code }: { code: string }) => code === loop)
    const { content } = await bob.callTool({ name: "k_history", arguments: { action: "show", n: first.n } })
    expect(JSON.stringify(content)).toMatch(/interrupt/i)
    expect(JSON.stringify(content)).not.toMatch(/\d (min|h)\b/)
  },
)
