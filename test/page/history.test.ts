/** J7 history and snapshots in Chromium: searched, run again in a fork, taken away as files; saved, compared, taken back. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { connect, callTool, tokenCommand } from "../e2e/hosted.ts"
import { hasChromium, visit } from "./visit.ts"

const begin = async (view: string, ...codes: readonly string[]) => {
  const visited = await visit()
  const agent = await connect(visited.own, tokenCommand(visited.own.state, "show").text.trim())
  for (const code of codes) await callTool(agent, "k_eval", { code })
  await visited.page.getByRole("link", { name: view, exact: true }).click()
  return { ...visited, agent, side: visited.page.getByRole("region", { name: view, exact: true }) }
}

describe.skipIf(!hasChromium)("J7 history and snapshots", () => {
  it("searches the history, and runs an entry in a fork, which leaves the session as it is", async () => {
    const { page, agent, side, problems } = await begin("History", "a:1", "b:a+1", "`needle", "a:5")
    await side.getByText("a:5").waitFor()
    await side.getByRole("searchbox").fill("needle")
    await expect.poll(() => side.locator(".hits li").count()).toBe(1)
    await side.getByRole("searchbox").fill("b:a")
    await expect.poll(() => side.locator(".hits li").allInnerTexts()).toEqual([expect.stringContaining("b:a+1")])
    await side.getByRole("button", { name: "Run in a fork: entry 2" }).click()
    const fork = await side.getByRole("status").getByRole("link").innerText()
    expect(await callTool(agent, "k_eval", { code: "b", session: fork })).toMatchObject({ output: "6\n" })
    expect(await callTool(agent, "k_eval", { code: "b" })).toMatchObject({ output: "2\n" })
    await side.getByRole("link", { name: fork }).click()
    await expect.poll(() => page.locator(".canvas").innerText()).toContain("b:a+1")
    expect(problems).toEqual([])
  })

  it("shows all of an entry that is listed by its first line, and an error with its caret", async () => {
    const { side, problems } = await begin("History", "`first\n`second\n!300", "1+`a", "5")
    const hits = side.locator(".hits li")
    await expect.poll(() => hits.count()).toBe(3)
    await side.getByRole("button", { name: "Show all of entry 1" }).click()
    await expect.poll(() => hits.nth(2).innerText()).toMatch(/`first\n`second\n!300\n[\s\S]* 298 299/)
    await side.getByRole("button", { name: "Show all of entry 2" }).click()
    await expect.poll(() => hits.nth(1).innerText()).toMatch(/1\+`a\n +\^/)
    expect(await side.getByRole("button", { name: /^Show all/ }).count()).toBe(0)
    expect(problems).toEqual([])
  })

  it("downloads script, transcript and test, whatever their length", async () => {
    const { page, side } = await begin("History", "a:1", "a+1", 's:9000#"x"')
    for (const [title, name, holds] of [
      ["Script", "main-script.k", "x".repeat(9000)],
      ["Transcript", "main-transcript.md", "# Session main"],
      ["Test", "main-test.k", "a+1"],
    ] as const) {
      const [file] = await Promise.all([page.waitForEvent("download"), side.getByRole("button", { name: title, exact: true }).click()])
      expect(file.suggestedFilename()).toBe(name)
      expect(readFileSync(await file.path(), "utf8")).toContain(holds)
    }
  })

  it("saves, compares and restores snapshots", async () => {
    const { page, agent, side } = await begin("Snapshots", "a:1\nb:2")
    await side.getByLabel("Name of a new snapshot").fill("before")
    await side.getByRole("button", { name: "Save" }).click()
    await side.getByText("before", { exact: true }).waitFor()
    await callTool(agent, "k_eval", { code: "a:10\nc:3" })
    await side.getByRole("button", { name: "Compare with before" }).click()
    const rows = side.getByRole("region", { name: "Since before" }).getByRole("row")
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([expect.stringContaining("name"), expect.stringMatching(/c\s+added\s+3/), expect.stringMatching(/a\s+changed\s+1\s+10/)])
    await side.getByRole("button", { name: "Restore before" }).click()
    await expect.poll(() => page.locator(".canvas").innerText()).toContain("a snapshot was restored")
    expect(await callTool(agent, "k_eval", { code: "a" })).toMatchObject({ output: "1\n" })
  })
})
