/**
 * N11 principals and their tokens, on the built server. N12 a principal cannot see or change another principal's data, and a read-only token
 * cannot change any.
 */
import type { Client } from "@modelcontextprotocol/client"
import * as fc from "fast-check"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { registration } from "../../src/platform/registration.ts"
import { headOf } from "../lib/modernRequest.ts"
import { addToken, ask, auto, callTool, changeToken, connect, host, type Hosted, opening, tokenCommand } from "./hosted.ts"
import { addressOf, localToken } from "./listening.ts"
import { k3csharpBuild, scratchFolder, start } from "./server.ts"
import { shared } from "./shared.ts"
import { modern } from "./sockets.ts"

const loop = "while[1;y:1]"

/** The server of the tests that need no other; each of them has principals of its own. */
const server = shared(() => host(["--max-sessions", "50"]))

describe("N11 a token", () => {
  it("is shown once, kept as a hash for its owner alone, listed with its limits, and removed", () => {
    const state = join(scratchFolder(), "state")
    const added = (...args: readonly string[]): string => {
      const { code, text, log } = tokenCommand(state, "add", ...args)
      expect([code, log]).toEqual([0, ""])
      return text.trim()
    }
    const token = added("anna", "--sessions", "3", "--memory", "1GiB", "--evaluations", "2", "--calls", "90", "--expires", "30d")
    const viewer = added("anna-view", "--as", "anna", "--read-only", "--calls", "50")
    added("mine", "--as", "local")
    expect(token).toMatch(/^k3\.[\w-]{43}\.anna$/)
    const file = join(state, "tokens", "anna.json")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(state, "tokens")).mode & 0o777).toBe(0o700)
    const secret = token.split(".")[1]!
    expect(readFileSync(file, "utf8")).not.toContain(secret)
    const { text } = tokenCommand(state, "list")
    expect(text).toMatch(/^anna, expires \d{4}-.*, 3 sessions, 1GiB of memory, 2 evaluations at once, 90 calls a minute\n/)
    expect(text).toMatch(
      /\nanna-view, as anna, read-only, does not expire, 3 sessions, 1GiB of memory, 2 evaluations at once, 50 calls a minute\n/,
    )
    expect(text).toMatch(/\nmine, as local, does not expire, 600 calls a minute\n$/)
    expect(text).not.toContain(secret)
    expect(text).not.toContain(viewer.split(".")[1])
    expect(tokenCommand(state, "add", "anna")).toMatchObject({
      code: 2,
      text: "",
      log: expect.stringContaining("there is a token anna already"),
    })
    expect(tokenCommand(state, "remove", "anna")).toMatchObject({ code: 0 })
    expect(tokenCommand(state, "remove", "anna")).toMatchObject({ code: 2, log: expect.stringContaining("there is no token anna") })
    expect(readdirSync(join(state, "tokens"))).toEqual(["anna-view.json", "mine.json"])
    expect(tokenCommand(state, "list").text).toMatch(
      /^anna-view, as anna, .*, not valid without the token anna, which is gone or has expired\n/,
    )
  })

  it.each([
    ["cut short", (text: string) => text.slice(0, 40)],
    ["empty", () => ""],
    ["of a time that no calendar has", (text: string) => text.replace('"until":null', '"until":1e300')],
  ])("whose file is %s is listed as damaged, and can be removed and added anew", (_, damage) => {
    const state = join(scratchFolder(), "state")
    addToken(state, "anna")
    addToken(state, "bert")
    const file = join(state, "tokens/anna.json")
    writeFileSync(file, damage(readFileSync(file, "utf8")))
    expect(changeToken(state, "list")).toMatch(
      /^bert, does not expire[^\n]*\nanna, damaged: it admits nobody; k3-mcp token remove anna, then add it anew\n$/,
    )
    changeToken(state, "remove", "anna")
    addToken(state, "anna")
    expect(changeToken(state, "list")).toMatch(/^anna, does not expire[^\n]*\nbert, does not expire[^\n]*\n$/)
  })

  it.each([
    [["add"], "takes a name"],
    [["add", "Anna"], "a small letter"],
    [["add", "../x"], "a small letter"],
    [["add", "jwt-1"], "jwt-"],
    [["add", "local"], "local"],
    [["add", "a", "--as", "nobody"], "no principal of that name"],
    [["add", "a", "--expires", "soon"], "such as 90m, 12h or 30d"],
    [["add", "a", "--calls", "0"], "a whole number"],
    [["add", "a", "--memory", "64MiB"], "less than 32MiB for each of 16 sessions"],
    [["add", "a", "--as", "local", "--memory", "2GiB"], "--memory does not go with --as local"],
    [["list", "--read-only"], "goes with k3-mcp token add"],
    [["hide", "a"], "one of show, add NAME, list and remove NAME is expected"],
  ])("%j is refused in words", (args, words) => {
    expect(() => changeToken(join(scratchFolder(), "state"), ...args)).toThrow(words)
  })

  it.each([
    ["sessions", "3"],
    ["memory", "3GiB"],
    ["evaluations", "3"],
  ])("for another one's space takes no --%s: the limits are that one's", (limit, value) => {
    const state = join(scratchFolder(), "state")
    addToken(state, "b", "--sessions", "5")
    expect(() => addToken(state, "d", "--as", "b", `--${limit}`, value)).toThrow(
      `--${limit} does not go with --as b, whose limits hold for both tokens, except --calls: leave it out, or remove b and add it anew with --${limit}`,
    )
    expect(changeToken(state, "list")).toMatch(/^b, [^\n]*\n$/)
    addToken(state, "own", "--as", "own", `--${limit}`, value)
  })

  it("is valid from the next request on, until it is removed or expires; its streams end with it", async () => {
    const to = await server()
    const token = addToken(to.state, "valid")
    const client = await connect(to, token)
    expect(await callTool(client, "k_eval", { code: "x:5\nx" })).toMatchObject({ output: "5\n" })
    const gone = new Promise<void>((resolve) => (client.onerror = () => resolve()))
    const stream = await fetch(to.url, {
      headers: {
        authorization: `Bearer ${token}`,
        accept: "text/event-stream",
        "mcp-session-id": (await ask(to, token, opening)).headers.get("mcp-session-id")!,
      },
    })
    expect(stream.status).toBe(200)
    changeToken(to.state, "remove", "valid")
    await expect(callTool(client, "k_eval", { code: "x" })).rejects.toThrow()
    await expect(stream.text()).rejects.toThrow()
    await gone
    expect(await ask(to, token, opening)).toMatchObject({ status: 401, text: expect.stringContaining("not right, or has expired") })
    const again = addToken(to.state, "valid")
    expect(await ask(to, token, opening)).toMatchObject({ status: 401 })
    // The principal's data is accessible again.
    expect(await callTool(await connect(to, again), "k_eval", { code: "x" })).toMatchObject({ output: "5\n" })
    const file = join(to.state, "tokens", "valid.json")
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), until: Date.now() }))
    expect(await ask(to, again, opening)).toMatchObject({ status: 401 })
    for (const each of [token, again]) {
      expect(to.own.log()).not.toContain(each.split(".")[1])
      expect(readFileSync(`/proc/${to.own.process.pid}/cmdline`, "utf8")).not.toContain(each.split(".")[1])
    }
  })

  it.each(["older", "later"])("that is removed ends its evaluations: the %s era", async (era) => {
    const to = await server()
    const client = await connect(to, addToken(to.state, era))
    const token = addToken(to.state, `${era}-too`, "--as", era)
    const endless = { timeout_ms: 600_000 }
    const answer =
      era === "later"
        ? ask(to, token, modern(loop, endless), headOf("tools/call", "k_eval"))
        : ask(
            to,
            token,
            { id: 2, method: "tools/call", params: { name: "k_eval", arguments: { code: loop, ...endless } } },
            { "mcp-session-id": (await ask(to, token, opening)).headers.get("mcp-session-id") },
          )
    const ended = expect(answer).rejects.toThrow()
    await expect.poll(async () => (await callTool(client, "k_status")).running?.statement).toBe(loop)
    changeToken(to.state, "remove", `${era}-too`)
    await ended
    expect(await callTool(client, "k_eval", { code: "1+1" })).toMatchObject({ output: "2\n" })
  })

  it("in a malformed file is not valid", async () => {
    const to = await server()
    const token = addToken(to.state, "malformed")
    const file = join(to.state, "tokens", "malformed.json")
    const kept = JSON.parse(readFileSync(file, "utf8"))
    for (const wrong of [{ space: "../.." }, { hash: "" }, { limits: {} }, { name: "else" }, { readOnly: 1 }]) {
      writeFileSync(file, JSON.stringify({ ...kept, ...wrong }))
      expect((await ask(to, token, opening)).status).toBe(401)
    }
    writeFileSync(file, "{")
    expect((await ask(to, token, opening)).status).toBe(401)
  })
})

describe("N11 limits of a token", () => {
  it("calls a minute: 429 that names the limit and the time to wait", async () => {
    const to = await server()
    const token = addToken(to.state, "caller", "--calls", "3")
    const other = addToken(to.state, "other-caller")
    const replies = []
    for (let i = 0; i < 5; i++) replies.push(await ask(to, token, opening))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429])
    expect(replies[4]!.text).toMatch(/3 calls a minute \(calls\). Ask again in \d+ s/)
    expect(Number(replies[4]!.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await ask(to, other, opening)).status).toBe(200)
  })

  it("calls a minute of a token for the local person's space too; the person has no limit", async () => {
    const to = await server()
    const token = addToken(to.state, "mine", "--as", "local", "--calls", "2")
    const statuses = async (by: string) => {
      const replies = []
      for (let i = 0; i < 4; i++) replies.push((await ask(to, by, opening)).status)
      return replies
    }
    expect(await statuses(token)).toEqual([200, 200, 429, 429])
    expect(await statuses(localToken(to.state))).toEqual([200, 200, 200, 200])
  })

  it("sessions, and evaluations at once, background ones too: an error that names the limit", async () => {
    const to = await server()
    const client = await connect(to, addToken(to.state, "busy", "--sessions", "2", "--evaluations", "2"), auto)
    for (const session of ["a", "b"]) await callTool(client, "k_eval", { code: "1", session })
    expect((await callTool(client, "k_eval", { code: "1", session: "c" })).error.text).toContain(
      "The limit is reached: 2 open sessions (K3_MAX_SESSIONS, or sessions of the token)",
    )
    const running = await Promise.all(["a", "b"].map((session) => callTool(client, "k_eval", { code: loop, session, background: true })))
    expect((await callTool(client, "k_eval", { code: "1", session: "a" })).error.text).toContain(
      "The limit of this token is reached: 2 evaluations at once (evaluations)",
    )
    expect((await callTool(client, "k_eval", { code: "1", session: "a", background: true })).error.name).toBe("evaluations")
    expect((await callTool(client, "k_compare", { code: "1", between: ["embedded", "running"] })).error?.name).toBe("evaluations")
    await callTool(client, "k_session", { action: "interrupt", name: "a" })
    await expect.poll(async () => (await callTool(client, "k_output", { handle: running[0].handle })).phase).not.toBe("running")
    expect(await callTool(client, "k_eval", { code: "1+1", session: "a" })).toMatchObject({ output: "2\n" })
    await callTool(client, "k_session", { action: "interrupt", name: "b" })
  })

  it("memory is divided among the sessions", async () => {
    const to = await server()
    const client = await connect(to, addToken(to.state, "small", "--sessions", "2", "--memory", "128MiB"))
    const { error } = await callTool(client, "k_eval", { code: "x:!20000000" })
    expect(error.name).toBe("wsfull")
    const other = await connect(to, addToken(to.state, "large"))
    expect(await callTool(other, "k_eval", { code: "x:!20000000" })).toMatchObject({ ok: true })
    expect(await callTool(client, "k_eval", { code: "1+1" })).toMatchObject({ output: "2\n" })
  })

  it("new limits hold when the token is made anew, and the sessions are kept", async () => {
    const to = await server()
    const before = await connect(to, addToken(to.state, "renewed", "--sessions", "1"))
    await callTool(before, "k_eval", { code: "x:7" })
    changeToken(to.state, "remove", "renewed")
    const client = await connect(to, addToken(to.state, "renewed", "--sessions", "2"))
    expect(await callTool(client, "k_eval", { code: "x" })).toMatchObject({ output: "7\n" })
    expect(await callTool(client, "k_eval", { code: "1", session: "b" })).toMatchObject({ ok: true })
  })
})

describe("N11 a principal's space", () => {
  it("has a root of its own, and cannot read another principal's root or the server's files", async () => {
    const to = await server()
    const [anna, bert] = await Promise.all(["anna", "bert"].map((name) => connect(to, addToken(to.state, name))))
    await callTool(anna!, "k_eval", { code: '`"secret.txt" 0:,"of anna"' })
    expect(existsSync(join(to.roots, "anna", "secret.txt"))).toBe(true)
    expect(statSync(join(to.roots, "bert")).mode & 0o777).toBe(0o700)
    for (const file of ["../anna/secret.txt", join(to.roots, "anna", "secret.txt"), join(to.state, "token"), "../../state/token"]) {
      expect((await callTool(bert!, "k_eval", { code: `0:\`"${file}"` })).error.name).toBe("access")
      expect((await callTool(bert!, "k_history", { action: "script", file: `${file}.k` })).ok).toBe(false)
    }
    expect(await callTool(anna!, "k_eval", { code: '0:`"secret.txt"' })).toMatchObject({ output: ',"of anna"\n' })
  })

  it("runs no shell, no build command, and K3CSharp only with K3_FENCE=required", async () => {
    const to = await host(["--shell", "allow", "--fence", "off", ...(k3csharpBuild === undefined ? [] : ["--build-dir", k3csharpBuild])], {
      environment: { K3_BUILD_COMMAND: "touch built" },
    })
    const client = await connect(to, addToken(to.state, "anna"))
    expect((await callTool(client, "k_eval", { code: "\\ls" })).ok).toBe(false)
    const refused = { name: "build", text: expect.stringMatching(/^The build command is the operator's, .*\n.*without build\.$/s) }
    expect(await callTool(client, "k_reload", { build: true })).toMatchObject({ ok: false, error: refused })
    expect(existsSync(join(to.roots, "anna", "built"))).toBe(false)
    const other = await callTool(client, "k_session", { action: "create", name: "c", engine: "k3csharp" })
    expect(other.error.name).toBe(k3csharpBuild === undefined ? "no-build" : "fence")
    if (k3csharpBuild !== undefined) expect(other.error.text).toContain("only where K3_FENCE is required")
  })

  it("is not served without K3_PRINCIPALS; the local person is", async () => {
    const state = join(scratchFolder(), "state")
    const token = addToken(state, "anna")
    const own = start(["--engine", "embedded", "--state-dir", state, "--listen", "127.0.0.1:0", "--no-stdio"])
    const url = await addressOf(own)
    expect(await ask({ url }, token, opening)).toMatchObject({ status: 403, text: expect.stringContaining("K3_PRINCIPALS") })
    expect((await ask({ url }, localToken(state), opening)).status).toBe(200)
  })

  it("names the principal in the history, whatever its client's name, and tells the client that name", async () => {
    const to = await server()
    const client = await connect(to, addToken(to.state, "named"))
    await callTool(client, "k_eval", { code: "1" })
    expect((await callTool(client, "k_history", { action: "list" })).entries).toMatchObject([{ by: "named" }])
    expect((await callTool(client, "k_status")).caller).toBe("named")
  })
})

describe("N7 the end", () => {
  it("SIGTERM lets a principal's running and waiting calls end, and writes the state", async () => {
    const folder = scratchFolder()
    const to = await host(["--drain", "60s"], { folder })
    const token = addToken(to.state, "anna")
    const [client, other] = await Promise.all([connect(to, token, auto), connect(to, token, auto)])
    await callTool(client, "k_eval", { code: '"release" 6: ""' })
    const running = callTool(client, "k_eval", { code: 'while[0=#6:"release"]\nx:7\n1+1', timeout_ms: 60_000 })
    await expect.poll(async () => (await callTool(other, "k_status")).running?.statement).toBe('while[0=#6:"release"]')
    const waiting = callTool(client, "k_eval", { code: "x+1", timeout_ms: 60_000 })
    await expect.poll(async () => (await callTool(other, "k_status")).running.waiting).toBe(1)
    to.own.process.kill("SIGTERM")
    const ready = to.url.replace("/mcp", "/readyz")
    // A server that does not wait is gone, and does not answer.
    await expect.poll(() => fetch(ready).then(({ status }) => status, String)).not.toBe(200)
    writeFileSync(join(to.roots, "anna", "release"), "now")
    expect(await running).toMatchObject({ ok: true, output: "2\n" })
    expect(await waiting).toMatchObject({ ok: true, output: "8\n" })
    expect(await to.own.ended).toEqual({ code: 0, signal: null })
    const again = await connect(await host([], { folder }), token)
    expect(await callTool(again, "k_eval", { code: "x" })).toMatchObject({ output: "7\n" })
  })
})

describe("N4 beyond loopback", () => {
  it("a server without a principal's token, or without K3_PRINCIPALS, refuses to listen and says why", async () => {
    const state = join(scratchFolder(), "state")
    const refused = async (...args: readonly string[]) => {
      const own = start(["--state-dir", state, "--listen", "0.0.0.0:0", ...args])
      expect(await own.ended).toEqual({ code: 2, signal: null })
      return own.log()
    }
    expect(await refused("--principals", scratchFolder())).toMatch(
      /--listen is 0\.0\.0\.0:0, beyond loopback, and nobody could say who they are.*k3-mcp token add/,
    )
    addToken(state, "anna")
    expect(await refused()).toMatch(/set K3_PRINCIPALS to a folder/)
    expect(await refused("--principals", join(state, ".."))).toMatch(/--principals \(.*\) holds the state folder/)
  })

  it("the local person's token is refused; a principal is served under the address and the public name only", async () => {
    const folder = scratchFolder()
    const token = addToken(join(folder, "state"), "anna")
    const to = await host(["--public-url", "https://k3.example.com"], { folder, listen: "0.0.0.0:0" })
    const url = to.url.replace("0.0.0.0", "127.0.0.1")
    const refused = await ask({ url }, localToken(to.state), opening)
    expect([refused.status, refused.text]).toEqual([
      401,
      expect.stringMatching(/k3-mcp token add NAME, on the server's machine, makes one/),
    ])
    expect(refused.text).not.toContain("token show")
    const client = await connect({ url }, token)
    expect(await callTool(client, "k_eval", { code: "1+1" })).toMatchObject({ output: "2\n" })
  })
})

describe("N3 a registration", () => {
  const beyond = { host: "0.0.0.0", port: 7333 }

  it("of a server beyond loopback takes a principal's token", () => {
    expect(registration(beyond, null)).toContain("http://0.0.0.0:7333/mcp")
    expect(registration(beyond, null)).toContain("export K3_TOKEN=TOKEN   where TOKEN is what k3-mcp token add NAME printed")
    expect(registration(beyond, null)).not.toContain("token show")
    expect(registration({ host: "::", port: 7333 }, null)).toContain("http://[::]:7333/mcp")
  })

  it.each(["https://k3.example.com", "https://k3.example.com/", "https://k3.example.com/mcp"])(
    "of a server behind %s names that address",
    (publicUrl) => {
      for (const place of [beyond, { host: "127.0.0.1", port: 7333 }]) {
        const text = registration(place, publicUrl)
        expect(text).toContain("claude mcp add --transport http k3 https://k3.example.com/mcp --header")
        expect(text).not.toContain("7333")
      }
    },
  )
})

/** Makes data for a principal, with one text in every value and another one in every name. */
const NAME = "qznamed"
const VALUE = "qzvalued"

interface Handles {
  readonly texts: readonly string[]
  readonly addresses: readonly string[]
}

const furnish = async (client: Client): Promise<Handles> => {
  const session = `${NAME}-s`
  for (const [name, args] of [
    ["k_eval", { code: `${NAME}v:"${VALUE}"\n${NAME}f:{"${VALUE}"}`, session }],
    ["k_eval", { code: `v:"${VALUE}"\n\`"${NAME}.k" 0:,"w:\\"${VALUE}\\""` }],
    ["k_snapshot", { action: "save", name: `${NAME}-n`, session }],
    ["k_snapshot", { action: "save", name: `${NAME}-n` }],
    ["k_define", { action: "define", name: NAME, description: VALUE, code: `{[a] "${VALUE}"}`, parameters: { a: "int" }, session }],
    ["k_eval", { code: `4000#,"${VALUE}"` }],
    ["k_eval", { code: `"${VALUE}"`, background: true }],
  ] as const)
    expect(await callTool(client, name, args)).toMatchObject({ ok: true })
  const { handle } = await callTool(client, "k_eval", { code: `4000#,"${VALUE}"`, background: true })
  await callTool(client, "k_output", { handle, wait_ms: 10_000 })
  const addresses = [
    `k3://sessions/${session}/state`,
    `k3://sessions/${session}/history`,
    `k3://sessions/main/state`,
    `k3://sessions/main/history`,
    `k3://sessions/main/snapshots/${NAME}-n`,
    `k3://sessions/${session}/variables/${NAME}v`,
    `k3://tools/${NAME}`,
    `k3://crashes`,
    `k3://status`,
    `k3://scripts`,
  ]
  return {
    texts: [session, "main", `${NAME}-n`, NAME, `kf_${NAME}`, `${NAME}v`, "v", "o1", "e1", "e2", `${NAME}.k`, "v:1", "x"],
    addresses,
  }
}

/** All data of a principal that another principal could have changed. */
const stateOf = async (client: Client): Promise<unknown> => {
  const all = []
  for (const session of [`${NAME}-s`, "main"])
    for (const [name, args] of [
      ["k_inspect", { path: ".", depth: 2, session }],
      ["k_snapshot", { action: "list", session }],
      ["k_history", { action: "list", limit: 200, session }],
    ] as const) {
      // Maintenance after an evaluation may still hold the session's queue.
      const { age_ms: _, ...rest } = await vi.waitUntil(
        async () => {
          const found = await callTool(client, name, args)
          return found.notice === undefined && found
        },
        { timeout: 30_000 },
      )
      all.push(JSON.parse(JSON.stringify(rest, (key, value: unknown) => (/^age|^ms$/.test(key) ? undefined : value))))
    }
  const { sessions, stored } = await callTool(client, "k_session", { action: "list" })
  return [
    all,
    sessions.map(({ name, generation }: any) => [name, generation]),
    stored,
    (await client.listTools()).tools.map(({ name }) => name),
  ]
}

/** Random calls of every tool with arguments of the schema's types, among them the other principal's names. */
const callsOf = (tools: Awaited<ReturnType<Client["listTools"]>>["tools"], { texts }: Handles) => {
  const argument = (schema: any): fc.Arbitrary<unknown> => {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    switch (schema.type) {
      case "boolean":
        return fc.boolean()
      case "integer":
      case "number":
        return fc.constantFrom(1, 2, 5, 1000)
      case "array":
        return fc.array(fc.constantFrom(...texts, "session:main", `session:${NAME}-s`, `snapshot:${NAME}-n`), {
          minLength: 1,
          maxLength: 2,
        })
      case "object":
        return fc.constant({ a: 1 })
      default:
        return fc.constantFrom(...texts)
    }
  }
  return fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
    const properties = Object.entries((inputSchema.properties ?? {}) as Record<string, any>)
    const required = (inputSchema.required ?? []) as readonly string[]
    const each = properties.map(([key, schema]) => {
      const given = key === "timeout_ms" ? fc.constant(2000) : argument(schema)
      return [key, required.includes(key) || key === "session" ? given : fc.option(given, { nil: undefined, freq: 1 })] as const
    })
    return fc.record(Object.fromEntries(each)).map((args) => ({ name, args: JSON.parse(JSON.stringify(args)) as object }))
  })
}

/** All other requests of a client, with every address and name. */
const asked = async (client: Client, { texts, addresses }: Handles): Promise<string> => {
  const said: unknown[] = []
  const tell = async (work: Promise<unknown>) => said.push(await work.catch((error: Error) => error.message))
  for (const uri of addresses) {
    await tell(client.readResource({ uri }))
    await tell(client.subscribeResource({ uri }))
  }
  await tell(client.listResources())
  await tell(client.listTools())
  const { resourceTemplates } = await client.listResourceTemplates()
  for (const { uriTemplate } of resourceTemplates)
    for (const [, name] of uriTemplate.matchAll(/\{(\w+)\}/g))
      for (const value of ["", "qz", ...texts])
        await tell(
          client.complete({
            ref: { type: "ref/resource", uri: uriTemplate },
            argument: { name: name!, value },
            context: { arguments: { session: `${NAME}-s` } },
          }),
        )
  for (const { name } of (await client.listPrompts()).prompts)
    await tell(client.getPrompt({ name, arguments: { session: `${NAME}-s`, code: "1", problem: "x", goal: "x", file: `${NAME}.k` } }))
  return JSON.stringify(said)
}

const runs = Number(process.env["PRINCIPALS"] ?? 12)

describe("N12 isolation", () => {
  const furnished = async (to: Hosted, name: string, ...more: readonly string[]) => {
    const anna = await connect(to, addToken(to.state, name, "--calls", "100000"))
    const handles = await furnish(anna)
    const before = await stateOf(anna)
    return { anna, handles, before, other: await connect(to, addToken(to.state, `${name}-other`, "--calls", "100000", ...more)) }
  }

  it(
    "no method, called by one principal with every handle and name of another, reveals or changes the other's data",
    { timeout: 120_000 },
    async () => {
      const to = await server()
      const { anna, handles, before, other } = await furnished(to, "furnished")
      const { tools } = await other.listTools()
      expect(tools.map(({ name }) => name)).not.toContain(`kf_${NAME}`)
      for (const action of ["list", "scripts"] as const)
        expect(JSON.stringify(await other.callTool({ name: "k_session", arguments: { action } }))).not.toContain("qz")
      for (const name of ["k_status", "k_snapshot", "k_history", "k_define"])
        expect(JSON.stringify(await other.callTool({ name, arguments: name === "k_status" ? {} : { action: "list" } }))).not.toContain("qz")
      expect(await asked(other, handles)).not.toContain(VALUE)
      const own = (await anna.listTools()).tools
      await fc.assert(
        fc.asyncProperty(callsOf(own, handles), async ({ name, args }) => {
          const reply = await other.callTool({ name, arguments: { ...args } }).catch((error: Error) => error.message)
          expect(JSON.stringify(reply)).not.toContain(VALUE)
        }),
        { numRuns: runs },
      )
      expect(await asked(other, handles)).not.toContain(VALUE)
      expect(await stateOf(anna)).toEqual(before)
      expect(readFileSync(join(to.roots, "furnished", `${NAME}.k`), "utf8")).toContain(VALUE)
      expect(readdirSync(join(to.roots, "furnished"))).toEqual([`${NAME}.k`])
    },
  )

  it("a read-only token sees its principal's data, and changes none by any method", { timeout: 120_000 }, async () => {
    const to = await server()
    const { anna, handles, before, other } = await furnished(to, "viewed", "--as", "viewed", "--read-only")
    expect(await callTool(other, "k_inspect", { path: "v" })).toMatchObject({ ok: true })
    expect(await asked(other, handles)).toContain(VALUE)
    expect((await callTool(other, "k_eval", { code: "1" })).error).toMatchObject({
      name: "read-only",
      text: expect.stringContaining("read-only"),
    })
    expect((await callTool(other, "k_eval", { code: "1", session: "new" })).error.name).toBe("session")
    await fc.assert(
      fc.asyncProperty(callsOf((await anna.listTools()).tools, handles), async ({ name, args }) => {
        await other.callTool({ name, arguments: { ...args } }).catch(() => {})
      }),
      { numRuns: runs },
    )
    expect(await stateOf(anna)).toEqual(before)
    expect(readdirSync(join(to.roots, "viewed"))).toEqual([`${NAME}.k`])
    // With its own token the principal does change data by these calls.
    for (const { name, args } of fc.sample(callsOf((await anna.listTools()).tools, handles), 20))
      await anna.callTool({ name, arguments: { ...args } }).catch(() => {})
    expect(await stateOf(anna)).not.toEqual(before)
  })

  it("a session id of another principal is not valid", async () => {
    const to = await server()
    const [anna, bert] = ["opener", "other-opener"].map((name) => addToken(to.state, name)) as [string, string]
    const id = (await ask(to, anna, opening)).headers.get("mcp-session-id")!
    const call = { method: "tools/call", params: { name: "k_eval", arguments: { code: "1+1" } } }
    expect((await ask(to, anna, call, { "mcp-session-id": id })).text).toContain('"output":"2')
    expect(await ask(to, bert, call, { "mcp-session-id": id })).toMatchObject({ status: 404 })
    expect((await ask(to, anna, call, { "mcp-session-id": id })).text).toContain('"output":"2')
  })
})
