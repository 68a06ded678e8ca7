/** P7 the view of a plot, in Chromium, through the official `AppBridge` of MCP Apps and the built server. */
import { describe, expect, it } from "vitest"
import { faultsOf, hasChromium } from "../page/visit.ts"
import { opened, shownView, ui } from "./shown.ts"

const shown = (given: object, theme: "light" | "dark" = "light") => shownView({ tool: "k_plot", given, theme })

describe.skipIf(!hasChromium)("P7 the view of a plot", () => {
  it("shows a line with the values under the pointer, zooms, and has its rows as a table", async () => {
    const { page, view, calls, problems, requests, contents, shoot } = await shown({ code: "(!500;{x*x}@0.1*!500)", mark: "line" })
    expect(contents[0]).toMatchObject({ mimeType: "text/html;profile=mcp-app", _meta: { ui: { csp: { connectDomains: [] } } } })
    const over = view.locator(".u-over")
    await over.hover({ position: { x: 300, y: 100 } })
    const values = view.locator(".u-legend .u-value")
    await expect.poll(async () => Number(await values.nth(0).textContent())).toBeGreaterThan(100)
    const at = Number(await values.nth(0).textContent())
    expect(Number(await values.nth(1).textContent())).toBeCloseTo((0.1 * at) ** 2, 6)
    await shoot("line")
    await view.getByRole("button", { name: "Zoom in" }).click()
    await over.hover({ position: { x: 1, y: 100 } })
    await expect.poll(async () => Number(await values.nth(0).textContent())).toBeGreaterThan(100)
    await view.getByRole("button", { name: "All" }).click()
    await view.getByText("Data", { exact: true }).click()
    expect(await view.locator("details tr").count()).toBe(101)
    await view.getByRole("button", { name: "Later" }).click()
    expect(await view.locator("details tr").nth(1).locator("td").first().textContent()).toBe("100")
    expect(await view.locator("h1").textContent()).toContain("Line of a pair of vectors")
    await shoot("table")
    expect(calls.map(({ name }) => name)).toEqual(["k_view"])
    expect(problems).toEqual([])
    expect(requests.filter((url) => !url.startsWith("about:") && !url.startsWith("data:"))).toEqual([])
    expect(await faultsOf(page.frames()[1]!)).toEqual([])
  })

  it.each([
    ["bars", { code: '.((`name;`b`a`c`"<b>");(`n;3 1 2 4))', mark: "bar" }],
    ["histogram", { code: "1000 _draw 0", mark: "histogram" }],
    ["points", { code: "(500 _draw 0;500 _draw 0)", mark: "point" }],
    ["series", { code: ".((`t;20260101+!28);(`a;28 _draw 0);(`b;2*28 _draw 0))", mark: "line" }],
  ])("draws %s", async (name, given) => {
    const { view, problems, shoot } = await shown(given, "dark")
    const inked = () =>
      view.locator("canvas").evaluate((canvas: any) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
        let n = 0
        for (let i = 3; i < data.length; i += 4) if (data[i] > 0) n++
        return n
      })
    await expect.poll(inked).toBeGreaterThan(2000)
    await shoot(name)
    expect(await view.locator("b").count()).toBe(0)
    expect(problems).toEqual([])
  })

  it("shows a heatmap as the picture of the reply", async () => {
    const { view, problems, shoot } = await shown({ code: "20 20#400 _draw 0" })
    await expect.poll(() => view.locator("img").evaluate((image: any) => image.naturalWidth)).toBe(800)
    await shoot("heatmap")
    expect(problems).toEqual([])
  })
})

describe("P7 who shows views", () => {
  it("a host that does not say so has the list of tools as it is", async () => {
    const [plain, withUi, others] = await Promise.all([
      opened({}),
      opened(ui),
      opened({ extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/x"] } } }),
    ])
    expect(JSON.stringify(plain.tools)).not.toContain("_meta")
    expect(others.tools).toEqual(plain.tools)
    const own = ["k_rows", "k_view"]
    expect(withUi.tools.map(({ _meta, ...rest }) => rest).filter(({ name }) => !own.includes(name))).toEqual(plain.tools)
    for (const each of own) expect(withUi.tools.find(({ name }) => name === each)._meta).toEqual({ ui: { visibility: ["app"] } })
    const { resources } = (await plain.server.request("resources/list")).result
    expect(JSON.stringify(resources)).not.toContain("ui://")
    expect(await plain.server.call("k_view", { plot: 7 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("no plot 7 of main") }],
    })
  })
})
