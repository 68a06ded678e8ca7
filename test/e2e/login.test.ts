/** Y2 logins of a browser to the page of the built server: `k3-mcp open`, codes, cookies, and their misuse. */
import { spawnSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { delimiter, join } from "node:path"
import { describe, expect, it } from "vitest"
import { open as openHere } from "../../src/attach/open.ts"
import { headOf, metaOf } from "../lib/modernRequest.ts"
import { addToken, changeToken, commandLine, host, type Hosted } from "./hosted.ts"
import { localToken } from "./listening.ts"
import { scratchFolder, serverFile } from "./server.ts"
import { shared } from "./shared.ts"

/** The server of the tests that need no other. */
const server = shared(() => host())

const open = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [serverFile, "open", ...args], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
    cwd: scratchFolder(),
  })
  return { code: status, text: stdout.trim(), log: stderr }
}

/** The link that `k3-mcp open --print` prints, made in this process: to start the program takes longer. */
const link = async (args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> => {
  const opened = await openHere(commandLine("open", "--print", ...args).open!, environment)
  if ("problem" in opened) throw new Error(opened.problem)
  return opened.text.trim()
}

const linkTo = ({ state }: Hosted, ...args: readonly string[]): Promise<string> => link([state, ...args])

interface Answer {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<string | readonly string[]>
  readonly text: string
}

/** Sends one request with `node:http`, since `fetch` does not allow a browser's own headers. */
const ask = (url: string, headers: object = {}, method = "GET", body = ""): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { ...headers } }, (reply) => {
      let text = ""
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      reply.on("end", () => resolve({ status: reply.statusCode, headers: reply.headers, text }))
    })
    request.once("error", reject).end(body)
  })

const cookieOf = ({ headers }: Answer): string => (headers["set-cookie"]?.[0] ?? "").split(";")[0]!
const logIn = async (own: Hosted, ...args: readonly string[]): Promise<string> => cookieOf(await ask(await linkTo(own, ...args)))
const at = ({ url }: Hosted, path: string): string => new URL(path, url).href

const call = (name: string, args: object = {}) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name,
      arguments: args,
      _meta: metaOf(),
    },
  })

const mcp = (own: Hosted, name: string, args: object, headers: object) =>
  ask(
    own.url,
    {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headOf("tools/call", name),
      ...headers,
    },
    "POST",
    call(name, args),
  )

const fromPage = (own: Hosted, cookie: string) => ({ cookie, origin: new URL(own.url).origin, "sec-fetch-site": "same-origin" })

describe("Y2 k3-mcp open", () => {
  it("prints a link that is valid once, and gives a cookie that scripts and other sites cannot read", async () => {
    const own = await server()
    const { code, text: link, log } = open([own.state, "--print", "--session", "a b"])
    expect([code, log]).toEqual([0, ""])
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\?code=[\w-]{12}\.[\w-]{43}$/)
    const first = await ask(link)
    expect(first).toMatchObject({ status: 303, headers: { location: "/#/a%20b", "referrer-policy": "no-referrer" } })
    const { port } = new URL(own.url)
    expect(first.headers["set-cookie"]![0]).toMatch(
      new RegExp(`^k3-${port}=[\\w-]+\\.[\\w-]{32}; HttpOnly; SameSite=Strict; Path=/; Max-Age=86(?:400|399)$`),
    )
    expect(await ask(link)).toMatchObject({ status: 401, text: expect.stringContaining("A link counts once") })
    expect(await mcp(own, "k_eval", { code: "x:5\nx", session: "logged-in" }, fromPage(own, cookieOf(first)))).toMatchObject({
      status: 200,
      text: expect.stringContaining('"output":"5\\n"'),
    })
    // Token, code and cookie are neither in the log nor in the list of processes.
    const told = own.own.log() + readFileSync(`/proc/${own.own.process.pid}/cmdline`, "utf8")
    for (const secret of [localToken(own.state), new URL(link).searchParams.get("code")!, cookieOf(first).slice(10)])
      expect(told).not.toContain(secret)
    expect(link).not.toContain(localToken(own.state))
  })

  it("opens the browser with the link, and prints the link without a browser", async () => {
    const own = await server()
    const folder = scratchFolder()
    const opened = join(folder, "opened")
    writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > ${opened}\n`)
    chmodSync(join(folder, "xdg-open"), 0o755)
    const path = `${folder}${delimiter}${process.env["PATH"]}`
    expect(open([own.state], { PATH: path, DISPLAY: ":9" })).toMatchObject({
      code: 0,
      text: `The page is open in the browser: ${at(own, "/")}`,
      log: "",
    })
    expect(await ask(readFileSync(opened, "utf8"))).toMatchObject({ status: 303 })
    const none = { DISPLAY: "", WAYLAND_DISPLAY: "", BROWSER: "", WSL_DISTRO_NAME: "" }
    expect(open([own.state], none).text).toMatch(/^No browser could be opened here\. .* 60 seconds:\nhttp:\/\/\S+\/login\?code=/)
    writeFileSync(join(folder, "xdg-open"), "#!/bin/sh\nexit 3\n")
    expect(open([own.state], { PATH: path, DISPLAY: ":9" }).text).toContain("No browser could be opened here")
  })

  it.each([
    [["nowhere"], "There is no folder"],
    [["http://127.0.0.1:1"], "K3_TOKEN is not set"],
    [["a", "b"], "no argument is expected"],
    [["--expires", "1d"], "--expires goes with k3-mcp token add"],
  ])("%j is refused in words", async (args, words) => {
    await expect(link(args)).rejects.toThrow(words)
  })

  it("reports a folder without a server, a server that does not answer, and a wrong token", async () => {
    const own = await server()
    expect(open([])).toMatchObject({ code: 2, text: "", log: expect.stringContaining("No server listens for") })
    expect(open([own.url], { K3_TOKEN: "x" }).log).toContain("does not take the token in K3_TOKEN")
    await expect(link(["http://127.0.0.1:1"], { K3_TOKEN: "x" })).rejects.toThrow("No server answers at")
    expect(() => commandLine("--print")).toThrow("--print goes with k3-mcp open")
    expect(() => commandLine("tokens")).toThrow("(did you mean token?)")
    expect(() => commandLine("help")).toThrow("(did you mean --help?)")
  })
})

describe("Y2 a link", () => {
  it("is not followed from another site or by a prefetch, and stays valid", async () => {
    const own = await server()
    const link = await linkTo(own)
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-mode": "no-cors" },
      { "sec-purpose": "prefetch" },
    ])
      expect(await ask(link, headers)).toMatchObject({ status: 403, text: expect.stringContaining("Copy the link") })
    expect((await ask(link, {}, "HEAD")).status).toBe(405)
    expect((await ask(link, { host: "evil.example" })).status).toBe(403)
    expect((await ask(link, { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" })).status).toBe(303)
  })

  it("needs a token: a cookie cannot make another link", async () => {
    const own = await server()
    const cookie = await logIn(own)
    for (const headers of [{}, fromPage(own, cookie), { authorization: "Bearer x" }])
      expect((await ask(at(own, "/login"), headers, "POST", "{}")).status).toBe(401)
    const authorization = `Bearer ${localToken(own.state)}`
    for (const body of ["{", "", '{"session":"\\ud800"}'])
      expect((await ask(at(own, "/login"), { authorization }, "POST", body)).status).toBe(400)
    expect((await ask(at(own, "/login"), { authorization }, "POST", "null")).status).toBe(200)
  })
})

describe("Y2 a cookie", () => {
  it("is accepted only in the page's own requests", async () => {
    const own = await server()
    const cookie = await logIn(own)
    const origin = new URL(own.url).origin
    const ask1 = (headers: object) => mcp(own, "k_eval", { code: "1+1" }, { cookie, ...headers }).then(({ status }) => status)
    expect(await ask1({ origin })).toBe(200)
    expect(await ask1({ "sec-fetch-site": "same-origin" })).toBe(200)
    for (const headers of [
      {},
      { origin: "http://evil.example" },
      { origin: "http://127.0.0.1:1" },
      { origin: "http://localhost" },
      { origin: "null" },
      { origin, "sec-fetch-site": "cross-site" },
      { origin, "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: "http://evil.example", host: "evil.example" },
    ])
      expect(await ask1(headers)).toBe(403)
    // A valid cookie beside a wrong token is refused.
    expect(await ask1({ origin, authorization: "Bearer x" })).toBe(401)
    expect(await mcp(own, "k_eval", { code: "1" }, { ...fromPage(own, `${cookie}x`) })).toMatchObject({
      status: 401,
      text: expect.stringContaining("Run k3-mcp open again"),
    })
  })

  it("outlives the server, and ends at logout", async () => {
    const folder = scratchFolder()
    const before = await host([], { folder })
    const cookie = await logIn(before)
    before.own.process.kill("SIGTERM")
    await before.own.ended
    const own = await host([], { folder, listen: new URL(before.url).host })
    expect((await mcp(own, "k_status", {}, fromPage(own, cookie))).status).toBe(200)
    expect((await ask(at(own, "/logout"), { cookie, origin: "http://127.0.0.1:1" }, "POST")).status).toBe(403)
    expect((await ask(at(own, "/logout"), { cookie }, "GET")).status).toBe(405)
    const out = await ask(at(own, "/logout"), fromPage(own, cookie), "POST")
    expect([out.status, out.headers["set-cookie"]![0]]).toEqual([303, expect.stringMatching(/=; HttpOnly; .*Max-Age=0/)])
    expect((await mcp(own, "k_status", {}, fromPage(own, cookie))).status).toBe(401)
  })

  it("of a principal ends when its token is removed or made anew; the history has the principal's name", async () => {
    const own = await server()
    const token = addToken(own.state, "anna")
    const cookie = cookieOf(await ask(await link([own.url], { K3_TOKEN: token })))
    expect((await mcp(own, "k_eval", { code: "x:5" }, fromPage(own, cookie))).status).toBe(200)
    expect((await mcp(own, "k_history", { action: "list" }, fromPage(own, cookie))).text).toContain('"by":"anna"')
    const waiting = await link([own.url], { K3_TOKEN: token })
    changeToken(own.state, "remove", "anna")
    expect((await mcp(own, "k_history", { action: "list" }, fromPage(own, cookie))).status).toBe(401)
    expect((await ask(waiting)).status).toBe(401)
    addToken(own.state, "anna")
    expect((await mcp(own, "k_history", { action: "list" }, fromPage(own, cookie))).status).toBe(401)
  })

  it("is read-only if the token is or the request asks for it; the local person's entries are the page's", async () => {
    const own = await server()
    const viewer = addToken(own.state, "view", "--as", "local", "--read-only")
    const session = "viewed"
    await mcp(own, "k_eval", { code: "x:5", session }, fromPage(own, await logIn(own)))
    for (const cookie of [await logIn(own, "--read-only"), cookieOf(await ask(await link([own.url], { K3_TOKEN: viewer })))]) {
      const asked = fromPage(own, cookie)
      expect((await mcp(own, "k_eval", { code: "x:6", session }, asked)).text).toContain("read-only")
      expect((await mcp(own, "k_reset", { session }, asked)).text).toContain("read-only")
      expect((await mcp(own, "k_inspect", { path: "x", session }, asked)).text).toContain("5")
      expect((await mcp(own, "k_status", { session }, asked)).text).toContain('"read_only":true')
      expect((await mcp(own, "k_history", { action: "list", session }, asked)).text).toContain('"by":"page"')
    }
  })

  it("is Secure and bound to its host under https", async () => {
    const own = await host(["--public-url", "https://k3.example.com"])
    const reply = await ask(await linkTo(own))
    expect(reply.headers["set-cookie"]![0]).toMatch(/^__Host-k3=\S+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+; Secure$/)
    const headers = { cookie: cookieOf(reply), "sec-fetch-site": "same-origin" }
    expect((await mcp(own, "k_status", {}, { ...headers, origin: "https://k3.example.com" })).status).toBe(200)
    expect((await mcp(own, "k_status", {}, { ...headers, origin: "http://k3.example.com" })).status).toBe(403)
  })
})
