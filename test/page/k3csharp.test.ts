/** J5, J6, J7 the page on a session of K3CSharp, used by a person in Chromium. */
import { describe, expect, it } from "vitest"
import { connect, host, callTool, tokenCommand } from "../e2e/hosted.ts"
import { faultsOf, hasChromium, visit } from "./visit.ts"

const build = process.env["K3_BUILD_DIR"]
const why = build === undefined ? ": skipped, K3_BUILD_DIR names no build" : ""
const flags = ["--engine", "k3csharp"]

const begin = async () => {
  const visited = await visit(flags)
  const { page, own } = visited
  const agent = await connect(own, tokenCommand(own.state, "show").text.trim())
  const transcript = () => page.locator(".canvas").innerText()
  const shows = (text: string | RegExp) => expect.poll(transcript, { timeout: 30_000 }).toMatch(text)
  const type = async (code: string): Promise<void> => {
    await page.locator(".cm-content").click()
    await page.keyboard.type(code)
  }
  const go = (view: string) => page.getByRole("link", { name: view, exact: true }).click()
  return { ...visited, agent, transcript, shows, type, go }
}

describe.skipIf(!hasChromium || build === undefined)(`J5 the page on K3CSharp${why}`, () => {
  it("shows the transcript with errors and plots, runs what is typed in the same session, and completes its names", async () => {
    const { page, agent, problems, shows, type } = await begin()
    await callTool(agent, "k_eval", { code: "wonderful:1 2 3\nwonderful*2" })
    await shows(/agent[\s\S]*wonderful\*2\n+1 2 3\n2 4 6/)
    await callTool(agent, "k_eval", { code: "1 2+1 2 3" })
    await shows(/1 2\+1 2 3\n[\s\S]*length/i)
    await agent.callTool({ name: "k_plot", arguments: { code: "wonderful", title: "three" } })
    await expect.poll(() => page.locator(".row img").evaluate((image: any) => image.naturalWidth)).toBeGreaterThan(100)
    await type("wond")
    await expect.poll(() => page.getByRole("option").allInnerTexts()).toEqual(["wonderful"])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.keyboard.type("+1")
    await page.keyboard.press("Enter")
    await shows(/page[\s\S]*wonderful\+1\n+2 3 4/)
    const { entries } = await callTool(agent, "k_history", { action: "list" })
    expect(entries.at(-1)).toMatchObject({ by: "page" })
    expect((await callTool(agent, "k_status")).engine).toBe("k3csharp")
    expect(await faultsOf(page)).toEqual([])
    expect(problems).toEqual([])
  })

  it("stops what runs, and tells what became of the variables", async () => {
    const { page, agent, shows } = await begin()
    await callTool(agent, "k_eval", { code: "kept:7" })
    // Stop kills this interpreter, and variables that are not captured yet are lost with it.
    await expect.poll(async () => (await callTool(agent, "k_status")).held).toBe(1)
    const reply = callTool(agent, "k_eval", { code: "while[1;z:1]" })
    await page.getByRole("button", { name: "Stop" }).click()
    expect(await reply).toMatchObject({ ok: false })
    await shows(/fresh interpreter answers in session main \(generation 2\)/)
    expect((await callTool(agent, "k_eval", { code: "kept" })).output.trim()).toBe("7")
  })

  it("shows the variables as a tree and as tables, sorted and filtered", async () => {
    const { page, agent, go, problems } = await begin()
    await callTool(agent, "k_eval", { code: "v:|!20000\nt:.((`n;3 1 2);(`s;`c`a`b))\ng:{x+1}" })
    await go("Variables")
    const tree = page.getByRole("navigation", { name: "Tree of variables" })
    await tree.getByRole("link", { name: /^g/ }).click()
    await expect.poll(() => page.getByRole("region", { name: ".k.g" }).innerText()).toContain("{x+1}")
    await tree.getByRole("link", { name: /^v/ }).click()
    await page.getByText("20,000 rows", { exact: true }).waitFor()
    const cells = async (n: number) => (await page.getByRole("table").locator("td").allInnerTexts()).slice(0, n)
    await expect.poll(() => cells(2)).toEqual(["19999", "19998"])
    await page.getByRole("button", { name: /^value/ }).click()
    await expect.poll(() => cells(2)).toEqual(["0", "1"])
    await tree.locator("summary", { hasText: /^t/ }).click()
    await page.getByRole("link", { name: "Show as a table" }).click()
    await expect.poll(() => cells(2)).toEqual(["3", "`c"])
    expect(problems).toEqual([])
  })

  it("saves, compares and takes back snapshots, and runs an entry in a fork", async () => {
    const { page, agent, go, shows } = await begin()
    await callTool(agent, "k_eval", { code: "a:1\nb:2" })
    await go("Snapshots")
    const side = page.getByRole("region", { name: "Snapshots", exact: true })
    await side.getByLabel("Name of a new snapshot").fill("before")
    await side.getByRole("button", { name: "Save" }).click()
    await side.getByText("before", { exact: true }).waitFor()
    await callTool(agent, "k_eval", { code: "a:10" })
    await side.getByRole("button", { name: "Compare with before" }).click()
    const rows = side.getByRole("region", { name: "Since before" }).getByRole("row")
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("name"), expect.stringMatching(/a\s+changed\s+1\s+10/)])
    await side.getByRole("button", { name: "Restore before" }).click()
    await shows(/a snapshot was restored/)
    expect((await callTool(agent, "k_eval", { code: "a" })).output.trim()).toBe("1")
    await go("History")
    const history = page.getByRole("region", { name: "History", exact: true })
    await history.getByRole("button", { name: "Run in a fork: entry 2" }).click()
    const fork = await history.getByRole("status").getByRole("link").innerText()
    expect((await callTool(agent, "k_eval", { code: "a", session: fork })).output.trim()).toBe("10")
  })

  it("finds the server again after a restart, with the variables", async () => {
    const { page, own, agent, shows } = await begin()
    await callTool(agent, "k_eval", { code: "before:1" })
    await shows(/before:1/)
    own.own.process.kill("SIGTERM")
    await own.own.ended
    await expect.poll(() => page.getByRole("alert").innerText(), { timeout: 30_000 }).toContain("does not answer")
    const again = await host(flags, { folder: own.state.replace(/\/state$/, ""), listen: new URL(own.url).host })
    const next = await connect(again, tokenCommand(again.state, "show").text.trim())
    expect((await callTool(next, "k_eval", { code: "before+1" })).output.trim()).toBe("2")
    await shows(/before:1[\s\S]*The server answers again[\s\S]*before\+1/)
  })
})
