/** P8 the view of a variable, in Chromium, through the official `AppBridge` of MCP Apps and the built server. */
import { describe, expect, it } from "vitest"
import { faultsOf, hasChromium, patient } from "../page/visit.ts"
import { opened, shownView, ui } from "./shown.ts"

const build = process.env["K3_BUILD_DIR"]

const shown = (prepare: string, given: object, more: { readonly theme?: "dark"; readonly flags?: readonly string[] } = {}) =>
  shownView({ tool: "k_inspect", given, prepare, ...more })
type View = Awaited<ReturnType<typeof shown>>["view"]
const row = (view: View, n: number) => view.locator(`tr[aria-rowindex="${n + 2}"] td`).allInnerTexts()

describe.skipIf(!hasChromium)("P8 the view of a variable", () => {
  it("shows ten million rows: by keyboard to the last, by pages that come into view, and touches nothing", async () => {
    const { server, page, view, calls, problems, requests, contents, shoot } = await shown("big:|!10000000", { path: "big" })
    expect(contents[0]).toMatchObject({ mimeType: "text/html;profile=mcp-app", _meta: { ui: { csp: { connectDomains: [] } } } })
    await expect.poll(() => row(view, 0)).toEqual(["9999999"])
    expect(await view.locator("h1").textContent()).toBe(".k.big")
    expect(await view.locator("p").first().textContent()).toMatch(/^integers, 10,000,000; least 0; greatest 9,999,999/)
    expect(await view.getByRole("table").getAttribute("aria-rowcount")).toBe("10000001")
    await shoot("vector")
    await view.getByRole("region", { name: "Rows" }).focus()
    await page.keyboard.press("End")
    await expect.poll(() => row(view, 9_999_999)).toEqual(["0"])
    await page.keyboard.press("PageUp")
    await page.keyboard.press("Home")
    await expect.poll(() => row(view, 3)).toEqual(["9999996"])
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(["k_rows"]))
    // The browser scrolls smoothly, past some pages on its way.
    expect(calls.length).toBeLessThan(100)
    for (const each of calls) expect(each.arguments.count).toBeLessThanOrEqual(100)
    expect((await server.call("k_history", { action: "list" })).structuredContent.entries).toHaveLength(1)
    expect(problems).toEqual([])
    expect(requests.filter((url) => !url.startsWith("about:"))).toEqual([])
    expect(await faultsOf(page.frames()[1]!)).toEqual([])
  })

  it.each([
    ["columns", 't:.((`n;3 1 2);(`s;`c`a`b);(`w;("one";"<b>";"é")))', "t", ["n", "s", "w"], ["2", "`b", '"é"']],
    ["a matrix", "m:(1 2;3 4;5 6)", "m", ["c0", "c1"], ["5", "6"]],
    ["a list of anything", 'l:(1;`a`b;(2;"x"))', "l", ["value"], ['(2;"x")']],
    ["functions", "g:({x};+;_sin)", "g", ["value"], ["_sin"]],
    ["text", 'x:"abc"', "x", ["value"], ['"c"']],
    ["floats", "f:0.5*!3", "f", ["value"], ["1.0"]],
    ["floats of many digits", "f:3 2 1.0%3", "f", ["value"], ["0.3333333"]],
    ["texts as long as each other", 'x:("ab";"cd";"ef")', "x", ["value"], ['"ef"']],
  ])("shows %s", async (name, code, path, columns, third) => {
    const { view, problems, page, shoot } = await shown(code, { path }, { theme: "dark" })
    await expect.poll(() => row(view, 2)).toEqual(third)
    expect(await view.locator("thead th:not(.at)").allInnerTexts()).toEqual(columns)
    await shoot(name)
    expect(await view.locator("td b").count()).toBe(0)
    expect(problems).toEqual([])
    expect(await faultsOf(page.frames()[1]!)).toEqual([])
  })

  it.each([
    ["a function", { path: "f" }, "{x+1}"],
    ["a slice", { path: "v", slice: "2 4" }, "2 3"],
    ["the names of a directory", {}, "f  function"],
  ])("shows %s as the reply tells it", async (_, given, told) => {
    const { view, calls, problems } = await shown("f:{x+1};v:!9", given)
    await expect.poll(() => view.locator("pre").textContent()).toContain(told)
    expect(calls).toEqual([])
    expect(problems).toEqual([])
  })

  it("waits for an evaluation, says so, and shows an array that has become longer", async () => {
    const { server, view, problems, page } = await shown("v:!300", { path: "v" }, { flags: ["--engine", "embedded", ...patient] })
    await expect.poll(() => row(view, 1)).toEqual(["1"])
    await server.call("k_eval", { code: "v:!500\nwhile[1;0]", background: true })
    await expect.poll(async () => (await server.call("k_status")).structuredContent.running?.statement).toContain("while")
    await view.getByRole("region", { name: "Rows" }).focus()
    await page.keyboard.press("End")
    await view.getByRole("alert").waitFor()
    await server.call("k_session", { action: "interrupt" })
    await expect.poll(() => view.getByRole("table").getAttribute("aria-rowcount")).toBe("501")
    await expect.poll(() => view.getByRole("alert").count()).toBe(0)
    await page.keyboard.press("End")
    await expect.poll(() => row(view, 499)).toEqual(["499"])
    expect(problems).toEqual([])
  })
})

describe("P8 rows", () => {
  it("are of a name alone: no K of the caller runs, and what is no array is told", async () => {
    const { server } = await opened(ui)
    await server.call("k_eval", { code: "v:!9;a:1;f:{x};d.x:1 2" })
    const text = async (given: object): Promise<string> => {
      const { isError, content } = await server.call("k_rows", { from: 0, count: 5, ...given })
      expect(isError).toBe(true)
      return content[0].text
    }
    for (const path of [".k.v;a:2", "v", ".k.v[0]", "", ".k..v"]) expect(await text({ path })).toContain("path")
    expect(await text({ path: ".k", columns: ["v;a:2"] })).toContain("columns")
    for (const count of [-1, 1e6, 0.5]) expect(await text({ path: ".k.v", count })).toContain("count")
    for (const path of [".k.a", ".k.f", ".k.d", ".k.none"]) expect(await text({ path })).toContain(`${path} is no array`)
    const rows = async (from: number) => (await server.call("k_rows", { path: ".k.v", from, count: 5 })).structuredContent
    expect(await rows(7)).toMatchObject({ rows: 9, cells: [["7", "8"]] })
    expect(await rows(100)).toMatchObject({ rows: 9, cells: [[]] })
    await server.call("k_eval", { code: 'v:(!2000000;"short")' })
    expect(await rows(0)).toMatchObject({ rows: 2, cells: [[expect.stringMatching(/^0 1 2 .*…$/), '"short"']] })
    expect((await server.call("k_eval", { code: "a" })).structuredContent.output).toBe("1\n")
  })
})

const why = build === undefined ? ": skipped, K3_BUILD_DIR names no build" : ""
describe.skipIf(!hasChromium || build === undefined)(`P8 the view of a variable on K3CSharp${why}`, () => {
  it.each([
    ["columns", 't:.((`n;3 1 2);(`s;`c`a`b);(`w;("one";"two";"six")))', "t", ["2", "`b", '"six"']],
    ["a matrix", "m:(1 2;3 4;5 6)", "m", ["5", "6"]],
    ["a vector", "v:!100000", "v", ["2"]],
  ])("shows %s", async (_, code, path, third) => {
    const { view, problems } = await shown(code, { path }, { flags: ["--engine", "k3csharp"] })
    await expect.poll(() => row(view, 2), { timeout: 30_000 }).toEqual(third)
    expect(problems).toEqual([])
  })
})
