/** J5 a person watches an agent's session in Chromium, and joins in: on the built server, beside a real MCP client. */
import { truncateSync } from "node:fs"
import { join } from "node:path"
import type { Client } from "@modelcontextprotocol/client"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { connect, host, type Hosted, callTool, tokenCommand } from "../e2e/hosted.ts"
import { scratchFolder } from "../e2e/server.ts"
import { writeBuild } from "../lib/toyBuild.ts"
import { hasChromium, hold, refuse, visit, type Visit } from "./visit.ts"

const agentOf = (own: Hosted): Promise<Client> => connect(own, tokenCommand(own.state, "show").text.trim())

const begin = async (): Promise<Visit & { readonly own: Hosted; readonly agent: Client }> => {
  const visited = await visit()
  return { ...visited, agent: await agentOf(visited.own) }
}

const rows = (page: Page) => page.locator(".row")
const transcript = (page: Page): Promise<string> => page.locator(".canvas").innerText()
const shows = (page: Page, text: string | RegExp) => expect.poll(() => transcript(page)).toMatch(text)
const type = async (page: Page, code: string): Promise<void> => {
  await page.locator(".cm-content").click()
  await page.keyboard.type(code)
}

describe.skipIf(!hasChromium)("J5 the page", () => {
  it("shows the transcript as it grows: who asked, output, errors with their carets, plots", async () => {
    const { page, problems, agent } = await begin()
    await callTool(agent, "k_eval", { code: "x:1 2 3\nx*2" })
    await shows(page, /agent[\s\S]*x:1 2 3\nx\*2\n+2 4 6/)
    await callTool(agent, "k_eval", { code: "1+`a" })
    await shows(page, /1\+`a\n +\^/)
    await agent.callTool({ name: "k_plot", arguments: { code: "x", title: "three" } })
    const picture = page.locator(".row img")
    await expect.poll(() => picture.count()).toBe(1)
    expect(await picture.getAttribute("alt")).toMatch(/^three\. Line of a vector of 3\./)
    await expect.poll(() => picture.evaluate((image: any) => image.naturalWidth)).toBeGreaterThan(100)
    expect(problems).toEqual([])
  })

  it("G12 shows a mark that turns the direction of text as an escape, in code and in the input too", async () => {
    const { page, agent, problems } = await begin()
    const code = 'f:{"a\u202eb",x} / \u2066c\n`0:f"\\033[31m"'
    await callTool(agent, "k_eval", { code })
    await shows(page, 'f:{"a\\u202eb",x} / \\u2066c')
    await shows(page, "\na\\u202eb\\033[31m")
    await page.locator(".cm-content").click()
    await page.keyboard.press("ArrowUp")
    await expect.poll(() => page.locator(".cm-content").innerText()).toContain('f:{"a\\u202eb",x}')
    await page.getByRole("link", { name: "Variables", exact: true }).click()
    await page.getByRole("link", { name: /^f/ }).click()
    await page.getByRole("region", { name: ".k.f" }).locator("code").getByText('"a\\u202eb"').waitFor()
    // What runs again is the code as it was.
    await page.locator(".cm-content").click()
    await page.keyboard.press("Enter")
    await expect.poll(async () => (await callTool(agent, "k_history", { action: "show", n: 2 })).entries?.[0]?.code.trimEnd()).toBe(code)
    await callTool(agent, "k_eval", { code: 'd:.,(`"k\u202ey";!3;)' })
    const tree = page.getByRole("navigation", { name: "Tree of variables" })
    await tree.locator("summary", { hasText: /^d/ }).click()
    await tree.getByText("k\\u202ey", { exact: true }).waitFor()
    await tree.getByRole("link", { name: "Show as a table" }).click()
    await page.getByRole("columnheader", { name: /^k\\u202ey/ }).waitFor()
    const all = await page.locator("body").innerText()
    for (const mark of ["\u202e", "\u2066", "\u001b"]) expect(all).not.toContain(mark)
    expect(problems).toEqual([])
  })

  it("shows which sessions live, and goes from one to another", async () => {
    const { page, agent } = await begin()
    await callTool(agent, "k_eval", { code: "a:1" })
    // Until then no session is open on the page, and the one used last would be.
    await shows(page, /a:1/)
    await callTool(agent, "k_eval", { code: "`other", session: "second" })
    const link = page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name: /second/ })
    await link.click()
    await shows(page, /`other/)
    expect(await page.title()).toContain("second")
    expect(new URL(page.url()).hash).toBe("#/second/transcript")
    await page.goBack()
    await shows(page, /a:1/)
  })

  it("shows what runs, and stops it; the variables stay", async () => {
    const { page, agent } = await begin()
    await callTool(agent, "k_eval", { code: "kept:7" })
    const reply = callTool(agent, "k_eval", { code: "while[1;z:1]" })
    await page.getByRole("button", { name: "Stop" }).click()
    expect(await reply).toMatchObject({ ok: false })
    await shows(page, /while\[1;z:1\]\n+[\s\S]*(interrupt|cancel|stop)/i)
    expect(await callTool(agent, "k_eval", { code: "kept" })).toMatchObject({ output: "7\n" })
  })

  it("says that a newer build is on disk, until k_reload has refused it", async () => {
    const build = join(scratchFolder(), "out")
    writeBuild(build, "times 0")
    const { page, own } = await visit(["--engine", "k3csharp", "--build-dir", build])
    const agent = await agentOf(own)
    await callTool(agent, "k_eval", { code: "a:5" })
    writeBuild(build, "times 1")
    const bar = page.getByRole("banner")
    await bar.getByText("a newer build is on disk").waitFor()
    truncateSync(join(build, "K3CSharp"), 100)
    expect(await callTool(agent, "k_reload")).toMatchObject({ ok: false })
    await bar.getByText("the build on disk was refused").waitFor()
    expect(await bar.innerText()).not.toContain("newer")
  })

  it("shows the answer to code of one's own, also to a person who had scrolled up", async () => {
    const { page, agent } = await begin()
    for (let n = 0; n < 20; n++) await callTool(agent, "k_eval", { code: `\`row${n}` })
    await shows(page, /row19/)
    await page.locator(".rows").hover()
    await page.mouse.wheel(0, -600)
    const newest = page.getByRole("button", { name: "Show the newest" })
    await newest.waitFor()
    await type(page, "`mine")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.locator(".row .output", { hasText: "`mine" }).isVisible()).toBe(true)
    await expect.poll(() => newest.count()).toBe(0)
  })

  it("has all rows on paper, one below the other", async () => {
    const { page, agent } = await begin()
    for (let n = 0; n < 40; n++) await callTool(agent, "k_eval", { code: `\`row${n}` })
    await shows(page, /row39/)
    const rows = page.locator(".row")
    const inView = await rows.count()
    expect(inView).toBeLessThan(40)
    await page.emulateMedia({ media: "print" })
    await page.evaluate("void dispatchEvent(new Event('beforeprint'))")
    await expect.poll(() => rows.count()).toBe(40)
    const tops = await rows.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top))
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
    expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeGreaterThan(tops.at(-1)! - tops[0]!)
    await page.evaluate("void dispatchEvent(new Event('afterprint'))")
    await page.emulateMedia({ media: null })
    await expect.poll(() => rows.count()).toBe(inView)
  })

  it("keeps the newest row in view when a longer input or a lower window leaves less room", async () => {
    const { page, agent } = await begin()
    await callTool(agent, "k_eval", { code: Array.from({ length: 60 }, (_, n) => `a${n}:${n}`).join("\n") })
    await shows(page, /a59:59/)
    const rest = (): Promise<number> =>
      page.locator(".rows").evaluate((rows: any) => Math.round(rows.scrollHeight - rows.scrollTop - rows.clientHeight))
    await expect.poll(rest).toBe(0)
    const height = (): Promise<number> => page.locator(".rows").evaluate((rows: any) => rows.clientHeight)
    await type(page, "1")
    for (const lower of [() => page.keyboard.press("Shift+Enter"), () => page.setViewportSize({ width: 700, height: 400 })]) {
      const before = await height()
      await lower()
      await expect.poll(height).toBeLessThan(before)
      await expect.poll(rest).toBe(0)
    }
    expect(await page.getByRole("button", { name: "Show the newest" }).count()).toBe(0)
  })

  it("keeps the newest row in view when a plot comes between rows, until a person scrolls up", async () => {
    const { page, agent } = await begin()
    for (let n = 0; n < 20; n++) await callTool(agent, "k_eval", { code: `\`row${n}` })
    await shows(page, /row19/)
    const status = await hold(page, /"k_status"/)
    await callTool(agent, "k_plot", { code: "3 1 2" })
    await callTool(agent, "k_eval", { code: "`last" })
    await expect.poll(status.isHeld).toBe(true)
    status.release()
    const picture = page.locator(".row img")
    await expect.poll(() => picture.evaluate((image: any) => image.complete && image.naturalWidth > 0)).toBe(true)
    const isLastInView = () => page.getByText("`last", { exact: true }).last().isVisible()
    const newest = page.getByRole("button", { name: "Show the newest" })
    await expect.poll(isLastInView).toBe(true)
    expect(await newest.count()).toBe(0)
    await page.locator(".rows").hover()
    await page.mouse.wheel(0, -300)
    await newest.waitFor()
    await callTool(agent, "k_eval", { code: "`later" })
    await newest.click()
    await shows(page, /later/)
    await expect.poll(() => newest.count()).toBe(0)
  })

  it("runs K in the same session: Enter runs what is closed, the history has it from the page", async () => {
    const { page, agent, problems } = await begin()
    await callTool(agent, "k_eval", { code: "shared:41" })
    await type(page, "shared+1")
    await page.keyboard.press("Enter")
    await shows(page, /page[\s\S]*shared\+1\n+42/)
    expect(await callTool(agent, "k_history", { action: "list" })).toMatchObject({ entries: [{ by: "agent" }, { by: "page" }] })
    // Brackets close themselves; a bracket that is open breaks the line.
    await type(page, "f:{")
    await page.keyboard.press("Delete")
    await page.keyboard.press("Enter")
    await page.keyboard.type("x+1}")
    await page.keyboard.press("Enter")
    await shows(page, /f:\{\s+x\+1\}/)
    expect(await callTool(agent, "k_eval", { code: "f 1" })).toMatchObject({ output: "2\n" })
    expect(problems).toEqual([])
  })

  it("completes names of the session and of the system, and walks through what was asked", async () => {
    const { page, agent } = await begin()
    await callTool(agent, "k_eval", { code: "wonderful:1" })
    await shows(page, /wonderful/)
    await type(page, "wond")
    await expect.poll(() => page.getByRole("option").allInnerTexts()).toEqual(["wonderful"])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    expect(await page.locator(".cm-content").innerText()).toBe("wonderful")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("_flo")
    await expect.poll(() => page.getByRole("option").allInnerTexts()).toEqual(["_floor"])
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+a")
    await page.keyboard.press("Delete")
    await page.keyboard.press("ArrowUp")
    await expect.poll(() => page.locator(".cm-content").innerText()).toBe("wonderful:1")
  })

  it("marks the bracket that belongs to this one, and helps on what the pointer is on", async () => {
    const { page } = await begin()
    await type(page, "(1 2)_sin")
    await page.keyboard.press("Home")
    await expect.poll(() => page.locator(".cm-matchingBracket").allInnerTexts()).toEqual(["(", ")"])
    await type(page, " _floor 1.5")
    await page.locator(".k-system").last().hover()
    await expect.poll(() => page.locator(".help-tip").innerText()).toMatch(/floor/)
  })

  it("says that a fresh interpreter answers, and what became of the variables", async () => {
    const { page, agent } = await begin()
    await callTool(agent, "k_eval", { code: "a:1\nb:2" })
    await page.getByRole("link", { name: "Variables", exact: true }).click()
    await page.getByRole("navigation", { name: "Tree of variables" }).getByText("b", { exact: true }).waitFor()
    await page.goBack()
    // Variables that are not captured yet are lost with the interpreter.
    await expect.poll(async () => (await callTool(agent, "k_status")).held).toBe(2)
    const { pid } = await callTool(agent, "k_status")
    process.kill(pid, "SIGKILL")
    await shows(page, /fresh interpreter answers in session main \(generation 2\)\. All 2 variables are there/)
  })

  it("says so also when it had not read the variables yet", async () => {
    const { page, agent } = await begin()
    const refused = await refuse(page, /k_inspect/)
    await callTool(agent, "k_eval", { code: "a:1\nb:2" })
    await page.getByRole("link", { name: /main.*2 variables/ }).waitFor()
    const { pid } = await callTool(agent, "k_status")
    process.kill(pid, "SIGKILL")
    await shows(page, /a:1/)
    await refused.end()
    await shows(page, /fresh interpreter answers in session main \(generation 2\)/)
  })

  it("finds the server again after a restart, says so, and shows each entry once", async () => {
    const { page, own, agent } = await begin()
    await callTool(agent, "k_eval", { code: "before:1" })
    await shows(page, /before:1/)
    expect(own.url).toMatch(/\/mcp$/)
    own.own.process.kill("SIGTERM")
    await own.own.ended
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("does not answer")
    const again = await host([], { folder: own.state.replace(/\/state$/, ""), listen: new URL(own.url).host })
    const next = await agentOf(again)
    await callTool(next, "k_eval", { code: "after:before+1" })
    await shows(page, /before:1[\s\S]*The server answers again[\s\S]*after:before\+1/)
    expect((await transcript(page)).match(/before:1\n/g)).toHaveLength(1)
    expect(await rows(page).count()).toBeGreaterThan(2)
  })
})
