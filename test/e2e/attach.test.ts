/** N10 on the built programs: a terminal with `k3 --attach` on the session of an agent on stdio. */
import { once } from "node:events"
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished } from "vitest"
import { openTerminal, pseudoTerminal } from "../lib/terminal.ts"
import { addToken, callTool, connect, host } from "./hosted.ts"
import { addressOf } from "./listening.ts"
import { begin, engines, evaluate, k3csharpBuild, scratchFolder } from "./server.ts"
import { shared } from "./shared.ts"
import { inSession } from "./sharedServer.ts"

const k3File = join(import.meta.dirname, "../../dist/k3.js")
const CTRL_C = "\x03"
const loop = "while[1;y:1]"

/** An agent on stdio, with a server that also listens. */
const agent = async (state: string, address = "127.0.0.1:0", engine: readonly string[] = ["--engine", "embedded"]) => {
  const own = await begin([...engine, "--state-dir", state, "--listen", address])
  await own.call("k_status")
  return { own, state, url: await addressOf(own) }
}

const open = (state: string, more: readonly string[] = [], environment: NodeJS.ProcessEnv = {}) =>
  openTerminal([process.execPath, k3File, "--attach", ...more], {
    K3_HISTORY: join(scratchFolder(), "history"),
    K3_STATE_DIR: state,
    NO_COLOR: "1",
    ...environment,
  })

const attach = async (...args: Parameters<typeof open>) => {
  const terminal = open(...args)
  await terminal.see("leaves")
  await terminal.see("  ")
  return terminal
}

const tokenOf = (state: string): string => readFileSync(join(state, "token"), "utf8").trim()

/**
 * A proxy before `url`. It holds the answer to the first request with `words` until `release`, and refuses requests with them while `refuses`.
 */
const proxyTo = async (url: string, words: string) => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const proxy = { url: "", answered: [] as string[], isHolding: false, refuses: false, refusals: 0, release }
  const server = createServer(async ({ method, headers, url: path }, to) => {
    const body = await text(to.req)
    if (proxy.refuses && body.includes(words)) {
      proxy.refusals++
      return to.writeHead(503).end()
    }
    const on = request(new URL(path!, url), { method, headers }, async (answer) => {
      if (!proxy.isHolding && body.includes(words)) {
        proxy.isHolding = true
        await released
      }
      to.writeHead(answer.statusCode!, answer.headers).flushHeaders()
      answer.pipe(to).once("finish", () => void proxy.answered.push(body))
    })
    on.on("error", () => to.destroy()).end(body)
    to.on("close", () => on.destroy())
  })
  server.listen(0, "127.0.0.1")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, "listening")
  return Object.assign(proxy, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })
}

/** The text of all history files in the state folder. */
const historyText = (state: string): string =>
  existsSync(state)
    ? readdirSync(state, { recursive: true, encoding: "utf8" })
        .filter((path) => path.includes("history") && statSync(join(state, path)).isFile())
        .map((path) => readFileSync(join(state, path), "utf8"))
        .join("")
    : ""

const counted = (text: string, what: string): number => text.split(what).length - 1

describe.skipIf(!pseudoTerminal)("N10 an attached console", () => {
  const began = shared(() => agent(join(scratchFolder(), "state")))
  /** The agent in a session of its own, and the flags of a console of it. */
  const agentIn = async (session: string) => {
    const { own, state, url } = await began()
    return { own: inSession(own, session), state, url, flags: ["--session", session] }
  }

  it.each(engines.filter(([name]) => name === "embedded" || k3csharpBuild !== undefined))(
    "on %s shows what the agent evaluates as it happens, and sets a variable that the agent reads",
    async (_, [flag, engine, ...rest]) => {
      const state = join(scratchFolder(), "state")
      const build = rest.includes("--build-dir") ? rest.slice(rest.indexOf("--build-dir")) : []
      const { own } = await agent(state, undefined, [flag!, engine!, ...build])
      await evaluate(own, "a:41")
      const { type, see, enter, all } = await attach(state)
      await see("agent> a:41")
      await evaluate(own, "a+1")
      await see("agent> a+1\r\n42\r\n")
      type("b:a+2\r")
      await enter("b", "\r\n43\r\n")
      expect(await evaluate(own, "b")).toMatchObject({ output: expect.stringMatching(/^43\n?$/) })
      await see("agent> b\r\n43\r\n")
      await enter("nosuch", "value")
      expect(counted(all(), "agent> a+1")).toBe(1)
      expect(all()).not.toContain("console> ")
    },
  )

  it("shows a plot by its title and its figures, once", async () => {
    const { own, state, flags } = await agentIn("plotted")
    const { see, all } = await attach(state, flags)
    await own.call("k_plot", { code: "3 1 2", title: "Three" })
    await see("agent> 3 1 2\r\n")
    await see("plot> Three\r\nLine of a vector of 3.\r\n")
    await evaluate(own, "`after")
    await see("agent> `after\r\n`after\r\n")
    expect(counted(all(), "plot> Three")).toBe(1)
    const later = await attach(state, flags)
    await later.see("agent> `after\r\n")
    await later.see("plot> Three\r\n")
  })

  it("keeps the text that is being typed, below the shown entries", async () => {
    const { own, state, flags } = await agentIn("typing")
    const { type, see, enter } = await attach(state, flags)
    type("10+2")
    await see("10+2")
    await evaluate(own, "1+1")
    await see("agent> 1+1\r\n2\r\n")
    await see("10+2")
    await enter("0", "\n30\r\n")
  })

  it("Ctrl-C stops its own evaluation, \\stop the agent's, and both go on", async () => {
    const { own, state, flags } = await agentIn("stopped")
    const { type, see, enter, all } = await attach(state, flags)
    type(`${loop}\r`)
    await expect.poll(async () => (await own.call("k_status")).structuredContent.running?.statement).toBe(loop)
    type(CTRL_C)
    await see("interrupted")
    // Apart from the loop: on a busy machine the stop may come before its first assignment.
    await evaluate(own, "x:5")
    const call = evaluate(own, "while[1;w:1]")
    await see("runs: while[1;w:1]")
    await enter("\\stop", "Stopped")
    expect(await call).toMatchObject({ ok: false })
    await see("agent> while[1;w:1]")
    await enter("x+1", "\n6\r\n")
    expect(all()).not.toContain(`> ${loop}`)
  })

  it("shows the reply to a statement that is typed while the history is read", async () => {
    const { own, state, url, flags } = await agentIn("early")
    await evaluate(own, "a:41")
    const proxy = await proxyTo(url, '"limit":200')
    const { type, see, all } = await attach("none", [proxy.url, ...flags], { K3_TOKEN: tokenOf(state) })
    await expect.poll(() => proxy.isHolding).toBe(true)
    type("a+1\r")
    await expect.poll(() => proxy.answered.some((body) => body.includes('"a+1"'))).toBe(true)
    proxy.release()
    await see("agent> a:41")
    await see("42\r\n")
    expect(all()).not.toContain("console> ")
  })

  it("shows an entry although the history could not be read at first", async () => {
    const { own, state, url, flags } = await agentIn("refused")
    const proxy = await proxyTo(url, '"limit":200')
    proxy.release()
    proxy.refuses = true
    await evaluate(own, "a:41")
    const { see } = await attach("none", [proxy.url, ...flags], { K3_TOKEN: tokenOf(state) })
    await expect.poll(() => proxy.refusals).toBeGreaterThan(1)
    proxy.refuses = false
    await see("agent> a:41")
    proxy.refuses = true
    proxy.refusals = 0
    await evaluate(own, "a+1")
    // More often than the entry is announced.
    await expect.poll(() => proxy.refusals).toBeGreaterThan(4)
    proxy.refuses = false
    await see("agent> a+1\r\n42\r\n")
  })

  it("completes names, scripts and system names, and answers \\help", async () => {
    const { own, state, flags } = await agentIn("completed")
    await evaluate(own, "weather:7")
    const { type, see, enter, all } = await attach(state, flags)
    await see("weather:7")
    type("weat\t")
    await see("weather")
    await enter("+1", "\n8\r\n")
    await see("  ")
    type("_dra\t")
    await see("_draw")
    type(CTRL_C)
    await enter("\\help _draw", "random")
    await enter("\\help sort up", "\r\n\\help and the name on the left opens one\r\n")
    await enter("\\help zzqq", "nothing is like zzqq\r\n")
    expect(all()).not.toContain("k_help")
  })

  it("writes no escape sequence to a terminal that understands none, and shows the begun line again", async () => {
    const state = join(scratchFolder(), "state")
    const { own } = await agent(state)
    const { type, see, all } = await attach(state, [], { TERM: "dumb" })
    type("1+")
    await see("1+")
    await evaluate(own, "weather:7")
    await see("agent> weather:7\r\n")
    await see("  1+")
    type("2\r")
    await see("3\r\n")
    expect(all()).not.toContain("\x1b")
  })

  it("takes keys although the server does not answer: Ctrl-C ends \\help, and a completion is given up", async () => {
    const state = join(scratchFolder(), "state")
    const { own } = await agent(state)
    const { type, see, enter } = await attach(state)
    own.process.kill("SIGSTOP")
    onTestFinished(() => void own.process.kill("SIGCONT"))
    await enter("\\help _sin", "_sin\r")
    type(CTRL_C)
    await see("interrupted")
    for (const begun of ["wea", "\\l scr"]) {
      type(`${begun}\t`)
      await see(begun)
      type("xyz")
      await see("xyz")
      type(CTRL_C)
      await see("\n")
    }
  })

  it("goes on when the server is killed and restarted at another address: no entry is shown twice or missed", async () => {
    const state = join(scratchFolder(), "state")
    const first = await agent(state)
    const { see, enter, all } = await attach(state)
    await evaluate(first.own, "a:1+1")
    await see("agent> a:1+1")
    // A killed server loses the history of its last second.
    await expect.poll(() => historyText(state)).toContain("a:1+1")
    first.own.process.kill("SIGKILL")
    await first.own.ended
    await see("The server is gone")
    await enter("1", "not there")
    const second = await agent(state)
    await evaluate(second.own, "c:3+4")
    await see("there again")
    await see("agent> c:3+4")
    await evaluate(second.own, "c")
    await see("agent> c\r\n7\r\n")
    await enter("c*2", "\n14\r\n")
    for (const what of ["agent> a:1+1", "agent> c:3+4", "agent> c\r"]) expect(counted(all(), what)).toBe(1)
  })

  it("shows the plot of a server that was started again, although the number of the plot is the same", async () => {
    const state = join(scratchFolder(), "state")
    const known = scratchFolder()
    /** Lets the console know the address of the server. */
    const tellAddress = () => ["address", "token"].forEach((name) => copyFileSync(join(state, name), join(known, name)))
    const first = await agent(state)
    tellAddress()
    const { see } = await attach(known)
    await first.own.call("k_plot", { code: "3 1 2", title: "One" })
    await see("plot> One\r\n")
    first.own.process.kill("SIGKILL")
    await first.own.ended
    await see("The server is gone")
    const second = await agent(state)
    await second.own.call("k_plot", { code: "3 1 2", title: "Two" })
    tellAddress()
    await see("plot> Two\r\n")
  })

  it("attaches to a URL with the token of the environment, and to another session by its name", async () => {
    const { own, state, url, flags } = await agentIn("other")
    const { type, see, enter } = await attach("none", [url, ...flags], { K3_TOKEN: tokenOf(state) })
    await evaluate(own, "q:9")
    await see("agent> q:9")
    await enter("q", "\n9\r\n")
    type("\\\\\r")
  })

  it.each(["anna", "agent"])("shows what the principal %s types at it once, and what its agent evaluates", async (name) => {
    const to = await host()
    const token = addToken(to.state, name)
    const { see, enter, all } = await attach("none", [to.url], { K3_TOKEN: token })
    await enter("x:40", "  ")
    await enter("x+2", "\n42\r\n")
    await callTool(await connect(to, token), "k_eval", { code: "x+3" })
    await see(`${name}> x+3\r\n43\r\n`)
    expect(all()).not.toMatch(new RegExp(`${name}> x[:+][42]`))
  })

  it("two consoles see each other's evaluations, each marked once", async () => {
    const { state, flags } = await agentIn("two")
    const one = await attach(state, flags)
    const two = await attach(state, flags)
    one.type("u:1\r")
    await two.see("> u:1")
    two.type("u:2\r")
    await one.see("> u:2")
    expect(counted(one.all(), "> u:1")).toBe(0)
    expect(counted(two.all(), "> u:2")).toBe(0)
  })
})

describe.skipIf(!pseudoTerminal)("N10 a failure to attach is reported with the next step:", () => {
  it("no server", async () => {
    const { ended, see } = open(join(scratchFolder(), "state"))
    await see("No server listens for")
    await see("k3-mcp --listen 127.0.0.1:0")
    expect(await ended).toBe(2)
  })

  it("one that was killed", async () => {
    const state = join(scratchFolder(), "state")
    const { own } = await agent(state)
    own.process.kill("SIGKILL")
    await own.ended
    const { ended, see } = open(state)
    await see(`process ${own.process.pid}) is gone`)
    expect(await ended).toBe(2)
  })

  it("a URL without a token, with a bad one, and without a server", async () => {
    const { url } = await agent(join(scratchFolder(), "state"))
    const cases = [
      [url, "", "K3_TOKEN is not set"],
      [url, "wrong", "does not take the token in K3_TOKEN"],
      ["http://127.0.0.1:1/mcp", "x", "No server answers at http://127.0.0.1:1/mcp"],
    ] as const
    for (const [where, token, words] of cases) {
      const { ended, see } = open("none", [where], { K3_TOKEN: token })
      await see(words)
      expect(await ended).toBe(2)
    }
  })
})

describe("N10 the address of a server", () => {
  const address = (state: string): any => JSON.parse(readFileSync(join(state, "address"), "utf8"))

  it("is in its state folder for its owner alone, while it listens", async () => {
    const state = join(scratchFolder(), "state")
    const { own, url } = await agent(state)
    expect(address(state)).toEqual({ url, pid: own.process.pid })
    expect(statSync(join(state, "address")).mode & 0o777).toBe(0o600)
    own.process.stdin!.end()
    await own.ended
    expect(() => address(state)).toThrow()
  })

  it("stays that of the server that began later when the other one ends", async () => {
    const state = join(scratchFolder(), "state")
    const { own } = await agent(state)
    const later = { url: "http://127.0.0.1:9/mcp", pid: 1 }
    writeFileSync(join(state, "address"), JSON.stringify(later))
    own.process.stdin!.end()
    await own.ended
    expect(address(state)).toEqual(later)
  })
})
