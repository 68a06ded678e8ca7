/** Y2 logging in, in Chromium: the page as a person sees it, and the attempts of another site in the same browser. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { describe, expect, it, onTestFinished } from "vitest"
import { addToken, connect, host, callTool, tokenCommand } from "../e2e/hosted.ts"
import { hasChromium, linkTo, visit, visitor } from "./visit.ts"

const heading = (page: Page) => page.getByRole("heading", { level: 1 })
const logsOut = (page: Page) => page.getByText("The server does not take this browser's login").waitFor()

/** Another site, on another port of this machine; it keeps all requests that it gets. */
const another = async (html: string) => {
  const cookies: string[] = []
  const server = createServer(({ headers }, reply) => {
    cookies.push(headers.cookie ?? "")
    reply.setHeader("content-type", "text/html").end(html)
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { port: (server.address() as AddressInfo).port, cookies }
}

describe.skipIf(!hasChromium)("Y2 in Chromium", () => {
  it("a link logs in, and leaves neither code nor token in the address, the history or what scripts can read", async () => {
    const { page, own, problems } = await visit([], { open: ["--session", "side"] })
    await page.getByRole("main", { name: "Session side" }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/")
    expect(await page.evaluate("document.cookie + document.referrer + JSON.stringify({ ...localStorage })")).not.toContain("k3-")
    await page.goBack()
    expect(page.url()).not.toContain("code")
    expect(problems).toEqual([])
    expect(own.own.log()).not.toContain("code=")
  })

  it("a link that was used before says so, and logs nobody in; without a login the page says what to run", async () => {
    const { page: first, own } = await visit()
    const link = linkTo(own.state)
    await first.goto(link)
    const { page } = await visitor()
    expect((await page.goto(link))?.status()).toBe(401)
    expect(await heading(page).innerText()).toBe("k3-mcp: this link no longer counts")
    expect((await page.goto(new URL("/", own.url).href))?.status()).toBe(401)
    expect(await page.locator("main").innerText()).toContain("Run k3-mcp open in the folder where the agent works")
    // Logged in elsewhere in the same browser: the link on that page leads in.
    await page.context().addCookies(await first.context().cookies())
    await page.getByRole("link", { name: "Look again" }).click()
    await page.getByRole("navigation", { name: "Sessions" }).waitFor()
  })

  it("ends with its token: the open page says so, shows nothing new, and a new link brings it back", async () => {
    const own = await host()
    const token = addToken(own.state, "anna")
    const { page } = await visitor()
    await page.goto(linkTo(own.url, [], { K3_TOKEN: token }))
    const anna = await connect(own, token)
    await callTool(anna, "k_eval", { code: "`first" })
    await page.locator(".canvas").getByText("`first").first().waitFor()
    const file = join(own.state, "tokens", "anna.json")
    const kept = readFileSync(file, "utf8")
    writeFileSync(file, JSON.stringify({ ...JSON.parse(kept), until: 1 }))
    await logsOut(page)
    writeFileSync(file, kept)
    await page.goto(linkTo(own.url, [], { K3_TOKEN: token }))
    await page.locator(".canvas").getByText("`first").first().waitFor()
    expect(await page.getByText("does not take this browser's login").count()).toBe(0)
    tokenCommand(own.state, "remove", "anna")
    await logsOut(page)
  })

  it("counts for nobody else: another port of this machine reaches nothing with it, by any way that browsers have", async () => {
    const { page: mine, own } = await visit()
    const { origin } = new URL(own.url)
    const { port } = await another(`<!doctype html><title>other</title><iframe src="${origin}/"></iframe>`)
    const page = await mine.context().newPage()
    await page.goto(`http://127.0.0.1:${port}/`)
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "k_eval", arguments: { code: "stolen:1" } },
    })
    const ways = await page.evaluate(
      async ({ origin, body }) => {
        const attempt = (path: string, init: object) =>
          fetch(origin + path, { credentials: "include", ...init }).then(
            (reply) => reply.type,
            () => "refused",
          )
        return Promise.all([
          attempt("/mcp", { method: "POST", body, headers: { "content-type": "application/json" } }),
          attempt("/mcp", { method: "POST", body, mode: "no-cors" }),
          attempt("/", {}),
          attempt("/logout", { method: "POST", mode: "no-cors" }),
          attempt("/login", { method: "POST", mode: "no-cors", body: "{}" }),
        ])
      },
      { origin, body },
    )
    expect(ways).toEqual(["refused", "opaque", "refused", "opaque", "opaque"])
    // A form, which needs no leave, with a body that reads as JSON.
    await page.evaluate(
      ({ origin, body }) => {
        const { document } = globalThis as any
        document.body.innerHTML = `<form method="post" enctype="text/plain" action="${origin}/mcp"><textarea name='${body.replaceAll("'", "")}'></textarea></form>`
        document.forms[0].submit()
      },
      { origin, body },
    )
    await page.waitForURL(`${origin}/mcp`)
    expect(await page.locator("body").innerText()).toMatch(/Origin is refused|counts for the page of this server alone/)
    expect(page.frames()).toHaveLength(1)
    const agent = await connect(own, tokenCommand(own.state, "show").text.trim())
    expect(await callTool(agent, "k_eval", { code: "1" })).toMatchObject({ ok: true })
    const { entries } = await callTool(agent, "k_history", { action: "list" })
    expect(entries.map(({ code }: any) => code)).toEqual(["1"])
    // Nor was the person logged out by it.
    await mine.reload()
    await mine.getByRole("navigation", { name: "Sessions" }).waitFor()
  })

  it("a name that was pointed at this machine has no cookie, and reaches nothing", async () => {
    const { own } = await visit()
    const url = new URL("/", own.url)
    url.hostname = "k3.localhost"
    const { page } = await visitor()
    expect((await page.goto(url.href))?.status()).toBe(403)
  })

  it("logs in to a server behind https by its own address too", async () => {
    const { page, problems } = await visit(["--public-url", "https://k3.example.com"])
    await page.getByRole("main", { name: "Session main" }).waitFor()
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ name: "__Host-k3", secure: true, httpOnly: true, sameSite: "Strict", path: "/" })
    expect(problems).toEqual([])
  })

  // The limit counts the calls of a minute, so the page may have none for as long. It is low, so that a page on a busy machine reaches it too.
  it("takes no calls from the agent, and shows what it had no calls left for once it has", { timeout: 180_000 }, async () => {
    const own = await host()
    const [agent, watcher] = [
      addToken(own.state, "anna", "--calls", "100000"),
      addToken(own.state, "watcher", "--as", "anna", "--calls", "30"),
    ]
    const anna = await connect(own, agent)
    await callTool(anna, "k_eval", { code: "`first" })
    const { page } = await visitor()
    await page.goto(linkTo(own.url, [], { K3_TOKEN: watcher }))
    const refused = page.waitForResponse((reply) => reply.status() === 429)
    let isRefused = false
    void refused.then(() => (isRefused = true))
    let n = 0
    while (!isRefused) expect(await callTool(anna, "k_eval", { code: `n:${++n}` })).toMatchObject({ ok: true })
    await page
      .locator(".row .number")
      .last()
      .getByText(String(n + 1), { exact: true })
      .waitFor({ timeout: 150_000 })
  })

  it("logging out ends it here, and a copy of the cookie with it", async () => {
    const { page, own } = await visit()
    const copies = await page.context().cookies()
    await page.getByRole("button", { name: "Log out" }).click()
    await heading(page).getByText("k3-mcp: not logged in").waitFor()
    expect(await page.context().cookies()).toEqual([])
    await page.context().addCookies(copies)
    expect((await page.goto(new URL("/", own.url).href))?.status()).toBe(401)
  })
})
