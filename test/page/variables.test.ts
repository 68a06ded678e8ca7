/** J6 the variables of a session in Chromium: the tree, and tables of any length. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { connect, callTool, host, tokenCommand } from "../e2e/hosted.ts"
import { scratchFolder } from "../e2e/server.ts"
import { hasChromium, linkTo, visit, visitor } from "./visit.ts"

const begin = async (code: string) => {
  const visited = await visit()
  const agent = await connect(visited.own, tokenCommand(visited.own.state, "show").text.trim())
  await callTool(agent, "k_eval", { code })
  await visited.page.getByRole("link", { name: "Variables", exact: true }).click()
  return { ...visited, agent }
}

const grid = (page: Page) => page.getByRole("table")
const column = async (page: Page): Promise<readonly string[]> => (await grid(page).locator("td").allInnerTexts()).slice(0, 3)
const rows = (page: Page, said: string) => page.getByText(said, { exact: true }).waitFor()

describe.skipIf(!hasChromium)("J6 variables", () => {
  it("are a tree that opens, and follows what the agent does", async () => {
    const { page, agent } = await begin("a:1 2 3\nd.e.f:`deep\ng:{x+1}")
    const tree = page.getByRole("navigation", { name: "Tree of variables" })
    await tree.getByText("a", { exact: true }).waitFor()
    await tree.locator("summary", { hasText: /^d/ }).click()
    await tree.locator("summary", { hasText: /^e/ }).click()
    await tree.getByText("`deep").waitFor()
    await callTool(agent, "k_eval", { code: "d.e.f:`deeper\nnew:7" })
    await tree.getByText("`deeper").waitFor()
    await tree.getByText("new", { exact: true }).waitFor()
    await tree.getByRole("link", { name: /^g/ }).click()
    await expect.poll(() => page.getByRole("region", { name: ".k.g" }).innerText()).toContain("{x+1}")
  })

  it("of a session that no interpreter has yet are said to be on disk", async () => {
    const folder = scratchFolder()
    const before = await host([], { folder })
    const agent = await connect(before, tokenCommand(before.state, "show").text.trim())
    await callTool(agent, "k_eval", { code: "a:1\nb:2" })
    before.own.process.kill("SIGTERM")
    await before.own.ended
    const own = await host([], { folder })
    const { page } = await visitor()
    await page.goto(linkTo(own.state))
    await page.getByRole("link", { name: "Variables", exact: true }).click()
    await page.getByText("2 variables are on disk: the first evaluation brings them back.").waitFor()
  })

  it("of a session that there is not are none: looking makes no session", async () => {
    const { page, agent } = await begin("v:!5")
    const home = new URL("/", page.url()).href
    const sessions = async (): Promise<readonly string[]> =>
      (await callTool(agent, "k_session", { action: "list" })).sessions.map((each: any) => each.name)
    await page.goto(`${home}#/nosuch/variables/.k.x`)
    await page.getByText("There is no variable.").waitFor()
    await page.goto(`${home}#/nosuch/snapshots`)
    await page.getByText("There is no snapshot of this session.").waitFor()
    await page.goto(`${home}#/a%E2%80%AEb/variables`)
    await page.getByRole("heading", { name: "a\\u202eb", exact: true }).waitFor()
    expect(await page.title()).toBe("a\\u202eb · K session")
    await page.goto(`${home}#/main/variables/.k.v`)
    await rows(page, "5 rows")
    expect(await sessions()).not.toContain("nosuch")
  })

  it("have a link each, but for keys of a dictionary that no path can hold", async () => {
    const { page } = await begin('x:1\n.x:2\nd:.((`a;1);(`.x;3);(`"a b";4);(`;5);(`.k;.,(`c;6)))')
    const tree = page.getByRole("navigation", { name: "Tree of variables" })
    await tree.locator("summary", { hasText: /^d/ }).click()
    const leaves = tree.locator("details .leaf")
    await expect.poll(() => leaves.count()).toBe(5)
    expect(await leaves.evaluateAll((all) => all.flatMap((each) => each.getAttribute("href") ?? []))).toEqual(["#/main/variables/.k.d.a"])
  })

  it("beyond the first hundred are shown when asked for, and a fresh interpreter loses none of them", async () => {
    const { page, agent } = await begin(Array.from({ length: 150 }, (_, n) => `v${n}:${n}`).join("\n"))
    const tree = page.getByRole("navigation", { name: "Tree of variables" })
    await tree.getByRole("button", { name: "Show 50 more" }).click()
    await tree.getByText("v149", { exact: true }).waitFor()
    expect(await page.locator(".side").innerText()).not.toContain("k_inspect")
    await callTool(agent, "k_eval", { code: "_exit 1" })
    await page.getByText("A fresh interpreter answers in session main (generation 2).", { exact: true }).first().waitFor()
  })

  it("with other columns are a new table, which is not said to have changed since", async () => {
    const { page, agent } = await begin("t:.,(`n;!4)")
    await page.goto(`${new URL("/", page.url()).href}#/main/variables/.k.t`)
    await rows(page, "4 rows")
    await callTool(agent, "k_eval", { code: "t:.((`n;!5);(`z;!5))" })
    await page.getByRole("columnheader", { name: /^z/ }).waitFor()
    await rows(page, "5 rows")
    await callTool(agent, "k_eval", { code: "t:.((`n;!6);(`z;!6))" })
    await page.getByText("5 rows; it has changed since.").waitFor()
  })

  it("of a million rows: scrolled to the end, sorted, filtered and plotted", async () => {
    const { page, problems, agent } = await begin("big:|!1000000")
    await page.getByRole("link", { name: /^big/ }).click()
    await rows(page, "1,000,000 rows")
    expect(await page.locator(".figures").innerText()).toContain("1,000,000")
    await expect.poll(() => column(page)).toEqual(["999999", "999998", "999997"])
    // A page further, no row is left out.
    const last = Number((await grid(page).locator("tbody th").allInnerTexts()).at(-1))
    await page.getByRole("region", { name: "Rows" }).press("PageDown")
    await expect.poll(async () => Number(await grid(page).locator("tbody th").first().innerText())).toBeGreaterThan(0)
    expect(Number(await grid(page).locator("tbody th").first().innerText())).toBeLessThanOrEqual(last + 1)
    // While the browser still scrolls by a page.
    await page.getByRole("region", { name: "Rows" }).press("PageDown")
    await page.getByRole("region", { name: "Rows" }).press("End")
    await expect.poll(async () => (await grid(page).locator("td").allInnerTexts()).at(-1)).toBe("0")
    expect(await grid(page).getAttribute("aria-rowcount")).toBe("1000001")
    await page.getByRole("button", { name: /^value/ }).click()
    await expect.poll(() => column(page)).toEqual(["0", "1", "2"])
    expect(await grid(page).getByRole("columnheader", { name: /value/ }).getAttribute("aria-sort")).toBe("ascending")
    await page.getByLabel("Filter in K").fill("0=value!250000")
    await page.getByRole("button", { name: "Filter" }).click()
    await rows(page, "4 rows")
    await expect.poll(() => column(page)).toEqual(["0", "250000", "500000"])
    await page.getByRole("button", { name: "Plot value" }).click()
    await expect.poll(() => page.getByAltText("Plot of value").evaluate((image: any) => image.naturalWidth)).toBe(480)
    await page.getByText("All 4 points are drawn.").waitFor()
    await page.getByLabel("Filter in K").fill("value>")
    await page.getByRole("button", { name: "Filter" }).click()
    await page.locator(".gridded").getByRole("alert").waitFor()
    // The agent's session was not touched, nor does its history know of it.
    expect((await callTool(agent, "k_history", { action: "list" })).entries).toHaveLength(1)
    expect(problems).toEqual([])
  })

  it("that could not be looked at when it was opened is not taken for another one when it can", async () => {
    const { page, agent } = await begin("v:!5")
    await page.getByRole("link", { name: /^v/ }).waitFor()
    const reply = callTool(agent, "k_eval", { code: "while[1;z:1]" })
    await page.getByText("evaluating").first().waitFor()
    await page.getByRole("link", { name: /^v/ }).click()
    await page.getByText("not looked at before").waitFor()
    await page.getByRole("button", { name: "Stop" }).click()
    await reply
    await rows(page, "5 rows")
  })

  it("as a table of columns; a change is told, and taken when asked for", async () => {
    const { page, agent } = await begin('t:.((`n;3 1 2);(`s;`c`a`b);(`w;("one";"two";"three")))')
    await page.locator("summary", { hasText: /^t/ }).click()
    await page.getByRole("link", { name: "Show as a table" }).click()
    await rows(page, "3 rows")
    await expect.poll(() => column(page)).toEqual(["3", "`c", '"one"'])
    await page.getByRole("button", { name: /^s/ }).click()
    await expect.poll(() => column(page)).toEqual(["1", "`a", '"two"'])
    await callTool(agent, "k_eval", { code: "t[`n]:30 10 20" })
    await page.getByRole("button", { name: "Take the new one" }).click()
    await expect.poll(() => column(page)).toEqual(["10", "`a", '"two"'])
  })

  it("on paper are the rows in view, however long the table is", async () => {
    const { page } = await begin("t:!2000")
    await page.goto(`${new URL("/", page.url()).href}#/main/variables/.k.t`)
    await rows(page, "2,000 rows")
    await expect.poll(() => column(page)).toEqual(["0", "1", "2"])
    const inView = await grid(page).locator("tbody tr").count()
    await page.emulateMedia({ media: "print" })
    expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBeLessThan(5000)
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(await grid(page).locator("tbody tr").count()).toBe(inView)
  })

  it("as a matrix of many columns, read a hundred rows at a time; a list of texts is one column", async () => {
    const { page } = await begin('m:1000 60#!60000\nnames:("Anna";"Bert";"Carl")\nwide:2 101#!202')
    const asked: string[] = []
    page.on("request", (request) => void (request.postData()?.includes('"k_rows"') === true && asked.push(request.postData()!)))
    const open = (name: string) => page.goto(`${new URL("/", page.url()).href}#/main/variables/.k.${name}`)
    await open("m")
    await expect.poll(() => column(page)).toEqual(["0", "1", "2"])
    expect(await grid(page).locator("thead th:not(.at)").count()).toBe(60)
    expect(asked).toHaveLength(2)
    await open("names")
    await expect.poll(() => column(page)).toEqual(['"Anna"', '"Bert"', '"Carl"'])
    await open("wide")
    await expect.poll(() => column(page)).toEqual([expect.stringMatching(/^0 1 2 /), expect.stringMatching(/^101 102 /)])
  })

  it("as a table of its first hundred columns, when it has more", async () => {
    const { page } = await begin('wide:.+(`$"c",/:$!150;150#,5 6 7)')
    await page.goto(`${new URL("/", page.url()).href}#/main/variables/.k.wide`)
    await rows(page, "3 rows")
    await page.getByText("The first 100 of 150 entries, as columns; all are in the tree.").waitFor()
    await expect.poll(() => column(page)).toEqual(["5", "5", "5"])
    expect(await grid(page).locator("thead th:not(.at)").count()).toBe(100)
    await page.getByRole("button", { name: "c99", exact: true }).click()
    await page.getByRole("columnheader", { name: /^c99 ↑/ }).waitFor()
  })

  it("has a copy that keeps nothing also when it was copied again, after another client had closed the first", async () => {
    const { page, agent } = await begin("v:3 1 2")
    await page.getByRole("link", { name: /^v/ }).click()
    await rows(page, "3 rows")
    const copies = async (): Promise<readonly any[]> =>
      (await callTool(agent, "k_session", { action: "list" })).sessions.filter((each: any) => each.name !== "main")
    await callTool(agent, "k_session", { action: "close", name: (await copies())[0].name })
    await page.getByRole("button", { name: /^value/ }).click()
    await page.getByRole("button", { name: "Copy it again" }).click()
    await expect.poll(copies).toMatchObject([{ ephemeral: true }])
  })

  it("leaves no session of its own behind", async () => {
    const { page, agent } = await begin("v:!10")
    await page.getByRole("link", { name: /^v/ }).click()
    await rows(page, "10 rows")
    const names = async (): Promise<readonly string[]> =>
      (await callTool(agent, "k_session", { action: "list" })).sessions.map((each: any) => each.name)
    expect(await names()).toHaveLength(2)
    // Nor of a page that is loaded again, or left.
    await page.reload()
    await rows(page, "10 rows")
    await expect.poll(async () => (await names()).length).toBe(2)
    await page.goto("about:blank")
    await expect.poll(names).toEqual(["main"])
    await page.goBack()
    await rows(page, "10 rows")
    await page.getByRole("link", { name: "Transcript" }).click()
    await expect.poll(names).toEqual(["main"])
    // Nor of a tab that is closed.
    const tab = await page.context().newPage()
    await tab.goto(page.url().replace("transcript", "variables/.k.v"))
    await rows(tab, "10 rows")
    expect(await names()).toHaveLength(2)
    await tab.close()
    await expect.poll(names).toEqual(["main"])
  })
})
