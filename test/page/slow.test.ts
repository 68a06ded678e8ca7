/** J5, J6, J7 the page in Chromium when replies come late, in another order, or not at all: a person gets the result, or reads why there is none. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { callTool, connect, host, tokenCommand } from "../e2e/hosted.ts"
import { hasChromium, hold, linkTo, patient, refuse, visit, visitor } from "./visit.ts"

const agentOf = (own: Awaited<ReturnType<typeof host>>) => connect(own, tokenCommand(own.state, "show").text.trim())

const begin = async (code: string, options: Parameters<typeof visit>[1] = {}) => {
  const visited = await visit(patient, options)
  const agent = await agentOf(visited.own)
  await callTool(agent, "k_eval", { code })
  return { ...visited, agent }
}

const go = async (page: Page, view: string) => {
  await page.getByRole("link", { name: view, exact: true }).click()
  return page.getByRole("region", { name: view, exact: true })
}
const transcript = (page: Page): Promise<string> => page.locator(".canvas").innerText()
const shows = (page: Page, text: string | RegExp) => expect.poll(() => transcript(page)).toMatch(text)
const times = (text: string, part: RegExp): number => [...text.matchAll(part)].length

describe.skipIf(!hasChromium)("J7 snapshots", () => {
  it("a comparison during an evaluation becomes one with the variables after it", async () => {
    const { page, agent } = await begin("a:1")
    await callTool(agent, "k_snapshot", { action: "save", name: "before" })
    const side = await go(page, "Snapshots")
    const reply = callTool(agent, "k_eval", { code: "a:10\nwhile[1;z:1]" })
    await page.getByRole("button", { name: "Stop" }).waitFor()
    await side.getByRole("button", { name: "Compare with before" }).click()
    const since = side.getByRole("region", { name: "Since before" })
    await since.getByText("the session is busy").waitFor()
    await page.getByRole("button", { name: "Stop" }).click()
    await reply
    await expect.poll(() => since.getByRole("row").allInnerTexts()).toContainEqual(expect.stringMatching(/a\s+changed\s+1\s+10/))
    await expect.poll(() => since.innerText()).not.toContain("busy")
  })

  it("a comparison that is refused for now says so, and comes when it is not", async () => {
    const { page, agent } = await begin("a:1")
    await callTool(agent, "k_snapshot", { action: "save", name: "before" })
    const side = await go(page, "Snapshots")
    const refused = await refuse(page, /"diff"/)
    await side.getByRole("button", { name: "Compare with before" }).click()
    const since = side.getByRole("region", { name: "Since before" })
    await since.getByRole("alert").waitFor()
    await refused.end()
    await since.getByText("No difference.").waitFor()
    expect(await since.getByRole("alert").count()).toBe(0)
  })

  it("the list stays when it cannot be read again, and an earlier reply does not replace a later one", async () => {
    const { page, agent } = await begin("a:1")
    await callTool(agent, "k_snapshot", { action: "save", name: "before" })
    const side = await go(page, "Snapshots")
    const compare = side.getByRole("button", { name: "Compare with before" })
    await compare.waitFor()
    const refused = await refuse(page, /"k_snapshot".*"list"/)
    await callTool(agent, "k_eval", { code: "a:2" })
    await expect.poll(refused.count).toBeGreaterThan(1)
    expect(await compare.count()).toBe(1)
    await refused.end()
    const held = await hold(page, /"k_snapshot".*"list"/)
    await callTool(agent, "k_eval", { code: "a:3" })
    await expect.poll(held.isHeld).toBe(true)
    const saved = page.waitForResponse((reply) => reply.request().postData()?.includes('"save"') === true)
    await side.getByLabel("Name of a new snapshot").fill("after")
    await side.getByRole("button", { name: "Save" }).click()
    await saved
    held.release()
    await side.getByText("after", { exact: true }).waitFor()
  })

  it("an error is read on a narrow screen too", async () => {
    const { page, agent } = await begin("a:1", { viewport: { width: 390, height: 800 } })
    await callTool(agent, "k_snapshot", { action: "save", name: "before" })
    const side = await go(page, "Snapshots")
    await refuse(page, /"restore"/)
    await side.getByRole("button", { name: "Restore before" }).click()
    await page.locator(".message").waitFor()
  })
})

describe.skipIf(!hasChromium)("J7 history", () => {
  it("the reply to an earlier search does not replace that to a later one", async () => {
    const { page, agent } = await begin("`first")
    await callTool(agent, "k_eval", { code: "`second" })
    const side = await go(page, "History")
    const hits = side.locator(".hits li")
    await expect.poll(() => hits.count()).toBe(2)
    const held = await hold(page, /"text":"first"/)
    await side.getByRole("searchbox").fill("first")
    await expect.poll(held.isHeld).toBe(true)
    await side.getByRole("searchbox").fill("second")
    await expect.poll(() => hits.allInnerTexts()).toEqual([expect.stringContaining("`second")])
    const late = page.waitForResponse((reply) => reply.request().postData()?.includes('"text":"first"') === true)
    held.release()
    await (await late).finished()
    // The page has taken in the late reply when it has answered this.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    expect(await hits.allInnerTexts()).toEqual([expect.stringContaining("`second")])
  })

  it("is read again when that failed, and says why it is not there", async () => {
    const { page } = await begin("`first")
    await shows(page, /`first/)
    const refused = await refuse(page, /"k_history"/)
    const side = await go(page, "History")
    await side.getByRole("alert").waitFor()
    await refused.end()
    await side.getByText("`first").first().waitFor()
  })

  it("older entries are of this session, each once, and a failure is said", async () => {
    const { page, agent } = await begin("main0:1")
    const home = page.url()
    // A page that draws each of the 238 entries takes most of the test's time.
    await page.goto("about:blank")
    for (const session of ["main", "second"]) {
      const evaluate = (n: number) => callTool(agent, "k_eval", { code: `${session}${n}:1`, session })
      // Many at a time: 238 calls that each wait for a reply exceed the test's deadline on a busy machine.
      for (const first of [1, 60]) await Promise.all(Array.from({ length: 59 }, (_, n) => evaluate(first + n)))
      await evaluate(119)
    }
    await page.goto(home)
    const sessions = page.getByRole("navigation", { name: "Sessions" })
    await sessions.getByRole("link", { name: /second/ }).click()
    await shows(page, /second119/)
    await callTool(agent, "k_eval", { code: "second120:1", session: "second" })
    await page.goto(`${new URL("/", page.url()).href}#/main/transcript`)
    await page.reload()
    await shows(page, /main119/)
    const older = page.getByRole("button", { name: "Show older entries" })
    const refused = await refuse(page, /"cursor"/)
    await older.click()
    await page.locator(".message").waitFor()
    await refused.end()
    const held = await hold(page, /"cursor"/)
    await older.click()
    await expect.poll(held.isHeld).toBe(true)
    await sessions.getByRole("link", { name: /second/ }).click()
    await shows(page, /second120/)
    const late = page.waitForResponse((reply) => reply.request().postData()?.includes('"cursor"') === true)
    held.release()
    await (await late).finished()
    const rows = page.locator(".rows")
    await expect.poll(() => rows.getAttribute("data-rows")).toBe("100")
    await older.click()
    await expect.poll(() => rows.getAttribute("data-rows")).toBe("120")
    expect(await older.count()).toBe(0)
  })
})

describe.skipIf(!hasChromium)("J6 variables", () => {
  it("each change of a table is told, also after one was taken", async () => {
    const { page, agent } = await begin("v:1 2 3")
    await go(page, "Variables")
    await page.getByRole("link", { name: /^v/ }).click()
    const first = page.getByRole("table").locator("td").first()
    await expect.poll(() => first.innerText()).toBe("1")
    for (const next of ["7", "8"]) {
      await callTool(agent, "k_eval", { code: `v:${next} 2 3` })
      await page.getByRole("button", { name: "Take the new one" }).click()
      await expect.poll(() => first.innerText()).toBe(next)
    }
  })

  it("a filter that is asked for before the table is sorted keeps the order", async () => {
    const { page } = await begin("v:3 1 2 0")
    await go(page, "Variables")
    await page.getByRole("link", { name: /^v/ }).click()
    const held = await hold(page, /pagei:pagei@/)
    await page.getByRole("button", { name: /^value/ }).click()
    await expect.poll(held.isHeld).toBe(true)
    await page.getByLabel("Filter in K").fill("value>0")
    await page.getByRole("button", { name: "Filter" }).click()
    held.release()
    await expect.poll(() => page.getByRole("table").locator("td").allInnerTexts()).toEqual(["1", "2", "3"])
  })

  it("keep the filter and the order of a table while its variable has no value", async () => {
    const { page, agent } = await begin("v:3 1 2 0")
    await go(page, "Variables")
    await page.getByRole("link", { name: /^v/ }).click()
    const cells = (): Promise<readonly string[]> => page.getByRole("table").locator("td").allInnerTexts()
    await page.getByRole("button", { name: /^value/ }).click()
    await page.getByLabel("Filter in K").fill("value>0")
    await page.getByRole("button", { name: "Filter" }).click()
    await expect.poll(cells).toEqual(["1", "2", "3"])
    await callTool(agent, "k_reset")
    await page.getByText("v has no value").waitFor()
    await callTool(agent, "k_eval", { code: "v:8 9 0 7" })
    await page.getByRole("button", { name: "Take the new one" }).click()
    await expect.poll(cells).toEqual(["7", "8", "9"])
  })
})

describe.skipIf(!hasChromium)("J5 the transcript", () => {
  it("follows the session also when the first subscriptions were refused", async () => {
    const own = await host()
    const { page } = await visitor()
    const refused = await refuse(page, /subscriptions\/listen/)
    await page.goto(linkTo(own.state))
    await expect.poll(refused.count).toBeGreaterThan(0)
    await refused.end()
    const agent = await agentOf(own)
    await callTool(agent, "k_eval", { code: "`later" })
    await shows(page, /`later/)
  })

  it("runs code that was entered before the page had reached the server", async () => {
    const own = await host()
    const { page } = await visitor()
    const held = await hold(page, /server\/discover/)
    await page.goto(linkTo(own.state))
    await expect.poll(held.isHeld).toBe(true)
    await page.locator(".cm-content").click()
    await page.keyboard.type("40+2")
    await page.keyboard.press("Enter")
    await page.locator(".pending").getByText("40+2").waitFor()
    held.release()
    await shows(page, /40\+2\n+42/)
  })

  it("keeps a choice among completions while one more letter's reply is under way", async () => {
    const { page } = await begin("wonderful:1\nwonderland:2")
    await shows(page, /wonderland/)
    await page.locator(".cm-content").click()
    await page.keyboard.type("w")
    await expect.poll(() => page.getByRole("option").count()).toBe(2)
    const held = await hold(page, /completion\/complete.*"value":"wo/)
    await page.keyboard.type("onderf")
    await expect.poll(() => page.getByRole("option").allInnerTexts()).toEqual(["wonderful"])
    await page.keyboard.press("ArrowDown")
    held.release()
    await page.keyboard.press("Enter")
    expect(await page.locator(".cm-content").innerText()).toBe("wonderful")
  })

  it("shows a plot also when the list of plots could not be read at first", async () => {
    const { page, agent } = await begin("x:1 2 3")
    await shows(page, /x:1 2 3/)
    const refused = await refuse(page, /resources\/list/)
    await agent.callTool({ name: "k_plot", arguments: { code: "x" } })
    await expect.poll(refused.count).toBeGreaterThan(0)
    await refused.end()
    await page.locator(".row img").waitFor()
  })

  it("shows code of this page once, also when the history could not be read after it", async () => {
    const { page } = await begin("a:1")
    await shows(page, /a:1/)
    const refused = await refuse(page, /"k_history"/)
    await page.locator(".cm-content").click()
    await page.keyboard.type("40+2")
    const answered = page.waitForResponse((reply) => reply.request().postData()?.includes('"k_eval"') === true)
    await page.keyboard.press("Enter")
    await answered
    await expect.poll(refused.count).toBeGreaterThan(0)
    await expect.poll(() => page.locator(".pending").count()).toBe(0)
    await refused.end()
    await page.locator(".row .number").getByText("2", { exact: true }).waitFor()
    expect(times(await transcript(page), /40\+2/g)).toBe(1)
  })

  it("shows the reply to code that was entered before the session's transcript was there, also when it is in no history", async () => {
    const { page, own } = await visit([...patient, "--max-sessions", "1"])
    const agent = await agentOf(own)
    await callTool(agent, "k_eval", { code: "a:1" })
    await page.goto(`${new URL("/", page.url()).href}#/other`)
    await page.locator(".cm-content").click()
    await page.keyboard.type("40+2")
    await page.keyboard.press("Enter")
    await shows(page, /not in the history\s+40\+2\s+The limit is reached: 1 open session /)
  })

  it("gives back code that had no answer, by the up arrow; and code that is in no history", async () => {
    const { page, own, agent } = await begin("a:1")
    await shows(page, /a:1/)
    await callTool(agent, "k_session", { action: "create", name: "passing", ephemeral: true })
    await page.getByRole("link", { name: /passing/ }).click()
    await page.getByText("Nothing was evaluated").waitFor()
    const input = page.locator(".cm-content")
    const enter = async (code: string) => {
      await input.click()
      await page.keyboard.type(code)
      await page.keyboard.press("Enter")
    }
    await enter("40+2")
    await shows(page, /40\+2\n+42/)
    own.own.process.kill("SIGTERM")
    await own.own.ended
    await page.getByRole("banner").getByRole("alert").waitFor()
    await enter("50+2")
    const message = page.getByText("The server does not answer.")
    await message.waitFor()
    await page.keyboard.press("ArrowUp")
    await expect.poll(() => input.innerText()).toBe("50+2")
    await page.keyboard.press("ArrowUp")
    await expect.poll(() => input.innerText()).toBe("40+2")
    // The sentence goes when it is not true any more.
    await host([], { folder: own.state.replace(/\/state$/, ""), listen: new URL(own.url).host })
    await shows(page, /The server answers again/)
    expect(await message.count()).toBe(0)
  })

  it("says that nobody is logged out when the server does not answer", async () => {
    const { page, own } = await begin("a:1")
    await shows(page, /a:1/)
    own.own.process.kill("SIGTERM")
    await own.own.ended
    await page.getByRole("button", { name: "Log out" }).click()
    await page.getByText("you are still logged in").waitFor()
  })
})
