/** J8 accessibility of the page: dark and light, narrow and wide, by keyboard, by screen reader, and for a login that may only watch. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { addToken, connect, host, callTool, tokenCommand } from "../e2e/hosted.ts"
import { faultsOf, hasChromium, linkTo, patient, visit, visitor } from "./visit.ts"

const furnish = async (own: { readonly url: string; readonly state: string }) => {
  const agent = await connect(own, tokenCommand(own.state, "show").text.trim())
  await callTool(agent, "k_eval", { code: "a:1 2 3\nt:.((`n;3 1 2);(`s;`c`a`b))\nf:{x+1}" })
  await callTool(agent, "k_eval", { code: "1+`a" })
  await callTool(agent, "k_plot", { code: "a" })
  await callTool(agent, "k_snapshot", { action: "save", name: "before" })
  return agent
}

const views = ["transcript", "variables/.k.a", "variables/.k.t", "history", "snapshots"] as const

/** Shows a view, and waits for its contents. */
const show = async (page: Page, view: (typeof views)[number]): Promise<void> => {
  await page.goto(`${new URL("/", page.url()).href}#/main/${view}`)
  const shown = { transcript: ".row img", "variables/.k.a": "td", "variables/.k.t": "td", history: ".hits li", snapshots: ".snapshots li" }
  await page.locator(shown[view]).first().waitFor()
}

describe.skipIf(!hasChromium)("J8 for everybody", () => {
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1400, 390])
      it(`axe finds nothing in any view: ${colorScheme}, ${width} pixels wide; nothing is wider than the screen`, async () => {
        const { page, own, problems } = await visit(patient, { colorScheme, viewport: { width, height: 800 } })
        const agent = await furnish(own)
        for (const view of views) {
          await show(page, view)
          expect([view, await faultsOf(page)]).toEqual([view, []])
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width)
        }
        await show(page, "transcript")
        const running = callTool(agent, "k_eval", { code: "while[1;z:1]" })
        await page.locator(".running").waitFor()
        await page.locator(".cm-content").fill('1+"a"')
        await page.keyboard.press("Control+Enter")
        await page.locator(".pending li").waitFor()
        expect(await faultsOf(page)).toEqual([])
        await page.getByRole("button", { name: "Stop" }).click()
        await running
        expect(problems).toEqual([])
      })

  it("on a narrow screen the name of each session is on one line, and the running statement can be read", async () => {
    const { page, own } = await visit(patient, { viewport: { width: 390, height: 800 } })
    const agent = await furnish(own)
    for (const n of [1, 2, 3, 4]) await callTool(agent, "k_eval", { code: "a:1", session: `of-the-fourth-quarter-${n}` })
    const reply = callTool(agent, "k_eval", { code: "while[1;z:1]" })
    const links = page.getByRole("navigation", { name: "Sessions" }).locator(".name")
    await expect.poll(() => links.count()).toBe(5)
    for (const name of await links.all()) {
      const { width, height } = (await name.boundingBox())!
      expect([width > 25, height < 30]).toEqual([true, true])
    }
    const running = page.locator(".running code")
    await expect.poll(async () => ((await running.boundingBox())?.x ?? 999) < 200).toBe(true)
    await page.getByRole("button", { name: "Stop" }).click()
    await reply
  })

  it("on a screen that is magnified four times, the transcript and the variables can be read", async () => {
    const { page, own } = await visit([], { viewport: { width: 320, height: 256 } })
    await callTool(await connect(own, tokenCommand(own.state, "show").text.trim()), "k_eval", { code: "a:1" })
    const heightOf = async (place: string): Promise<number> => (await page.locator(place).boundingBox())?.height ?? 0
    await expect.poll(() => heightOf(".rows")).toBeGreaterThan(80)
    await page.getByRole("link", { name: "Variables", exact: true }).click()
    await expect.poll(() => heightOf(".side")).toBeGreaterThan(150)
    expect(await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth)).toBe(320)
  })

  it("by keyboard: every control is reached in order, shows its focus, and lets it go", async () => {
    const { page, own } = await visit()
    await furnish(own)
    await show(page, "transcript")
    await page.locator(".row pre.error").getByText("^").waitFor()
    await show(page, "variables/.k.t")
    await page.locator("body").press("Tab")
    const reached: string[] = []
    for (let n = 0; n < 60; n++) {
      const at: { readonly name: string; readonly outline: string } = await page.evaluate(() => {
        const { document, getComputedStyle } = globalThis as any
        const element = document.activeElement
        const seen = element.closest(".cm-editor") ?? element
        const name = element.getAttribute("aria-label") ?? element.textContent.trim()
        return { name: `${element.tagName} ${name}`.slice(0, 60), outline: getComputedStyle(seen).outlineStyle }
      })
      if (at.name.startsWith("BODY")) break
      reached.push(at.name)
      expect([at.name, at.outline]).toEqual([at.name, expect.not.stringMatching("none")])
      await page.keyboard.press("Tab")
    }
    expect(reached.length).toBeLessThan(60)
    for (const name of ["A main", "A Variables", "SECTION Evaluations", "DIV K code", "A a", "SUMMARY t", "BUTTON Plot n", "SECTION Rows"])
      expect(reached.filter((each) => each.startsWith(name)).length).toBeGreaterThan(0)
  })

  it("by screen reader: landmarks, and polite announcements of new entries", async () => {
    const { page, own } = await visit()
    const agent = await furnish(own)
    await show(page, "transcript")
    for (const [role, name] of [
      ["banner", ""],
      ["navigation", "Sessions"],
      ["navigation", "Views"],
      ["main", "Session main"],
    ] as const)
      expect(await page.getByRole(role, name === "" ? {} : { name }).count()).toBe(1)
    await callTool(agent, "k_eval", { code: "6*7" })
    await expect.poll(() => page.locator(".heard").innerText()).toContain("6*7 gives 42")
    expect(await page.locator(".heard").getAttribute("aria-live")).toBe("polite")
  })

  it("a login that may only watch is offered nothing else", async () => {
    const own = await host([])
    const writer = addToken(own.state, "anna")
    const reader = addToken(own.state, "anna-view", "--as", "anna", "--read-only")
    const agent = await connect(own, writer)
    await callTool(agent, "k_eval", { code: "a:1 2 3" })
    await callTool(agent, "k_snapshot", { action: "save", name: "before" })
    const { page, problems } = await visitor()
    await page.goto(linkTo(own.url, [], { K3_TOKEN: reader }))
    await page.getByText("a:1 2 3").waitFor()
    await page.getByText("You watch this session").waitFor()
    const reply = callTool(agent, "k_eval", { code: "while[1;z:1]" })
    await page.getByText("runs").waitFor()
    const offered = async (): Promise<readonly string[]> => page.getByRole("button").allInnerTexts()
    expect(await offered()).toEqual(["Log out"])
    await callTool(agent, "k_session", { action: "interrupt" })
    await reply
    await page.goto(`${own.url.replace(/mcp$/, "")}#/main/variables/.k.a`)
    await page.getByText("greatest").waitFor()
    await expect.poll(() => page.getByRole("table").locator("td").allInnerTexts()).toEqual(["1", "2", "3"])
    expect(await offered()).toEqual(["Log out"])
    await page.getByRole("link", { name: "Snapshots", exact: true }).click()
    await page.getByRole("button", { name: "Compare with before" }).waitFor()
    expect(await offered()).toEqual(["Log out", "Compare"])
    expect(problems).toEqual([])
  })
})
