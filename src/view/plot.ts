/**
 * The view of a plot in a host with MCP Apps: zoom by dragging or by buttons, values under the pointer, the rows as a table. A plot without rows,
 * such as a heatmap, is shown as the image of the reply.
 */
import uPlot from "uplot"
import { aligned, type DrawnRows } from "./chart.ts"
import { AppHost } from "./AppHost.ts"

const COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#9d755d"]
const HEIGHT = 340
/** Rows of the table that are shown at once. */
const PAGE = 100

const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = "",
  fields: Partial<HTMLElementTagNameMap[Name]> = {},
): HTMLElementTagNameMap[Name] => Object.assign(document.createElement(name), { textContent: text, ...fields })

const main = document.querySelector("main")!

const button = (text: string, onclick: () => void): HTMLElement => element("button", text, { type: "button", onclick })

const isFilled = ({ mark }: DrawnRows): boolean => mark === "bar" || mark === "histogram"

const styleOf = (shown: DrawnRows, colour: string): Partial<uPlot.Series> => {
  if (shown.mark === "point") return { paths: () => null, points: { show: true, size: 5, fill: colour } }
  if (!isFilled(shown)) return { points: { show: false } }
  // The x of a histogram's bin is where the bin begins.
  const paths = uPlot.paths.bars!({ size: [0.8, 60], align: shown.mark === "histogram" ? 1 : 0 })
  return { fill: colour, paths, points: { show: false } }
}

const fromZero = (_: uPlot, least: number, greatest: number): uPlot.Range.MinMax =>
  uPlot.rangeNum(Math.min(0, least), Math.max(0, greatest), 0.1, true)

const drawn = (shown: DrawnRows, parent: HTMLElement): uPlot => {
  const { labels, series, columns } = aligned(shown)
  const ink = getComputedStyle(document.body).color
  const axis = { stroke: ink, grid: { stroke: "#8883" }, ticks: { stroke: "#8886" } }
  const named = labels === undefined ? {} : { values: (_: uPlot, splits: number[]) => splits.map((at) => labels[at] ?? "") }
  const valueOf = (_: uPlot, at: number | null): string => (at === null ? "" : (labels?.[at] ?? String(at)))
  const options: uPlot.Options = {
    width: parent.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC"),
    scales: {
      ...(isFilled(shown) && { y: { range: fromZero } }),
      x: { time: shown.x.type === "temporal", ...(labels !== undefined && { range: [-0.5, labels.length - 0.5] }) },
    },
    axes: [
      { ...axis, label: shown.x.title, ...named },
      { ...axis, label: shown.y.title },
    ],
    series: [
      { label: shown.x.title, ...(shown.x.type !== "temporal" && { value: valueOf }) },
      ...series.map((label, i): uPlot.Series => {
        const colour = COLOURS[i % COLOURS.length]!
        return Object.assign(styleOf(shown, colour), { label, stroke: colour, spanGaps: series.length > 1 })
      }),
    ],
  }
  return new uPlot(options, columns as unknown as uPlot.AlignedData, parent)
}

/** Scales the shown part of x by `factor`, about its middle. */
const zoom = (chart: uPlot, factor: number): void => {
  const { min = 0, max = 0 } = chart.scales["x"]!
  const [middle, half] = [(min + max) / 2, ((max - min) * factor) / 2]
  chart.setScale("x", { min: middle - half, max: middle + half })
}

const tableOf = ({ rows, x, y, color }: DrawnRows): HTMLElement => {
  const columns = [x, y, ...(color === undefined ? [] : [color])]
  const table = element("table")
  const place = element("span")
  let from = 0
  const cell = (value: string | number | null | undefined, temporal: boolean): string =>
    value === null || value === undefined
      ? ""
      : temporal
        ? new Date(Number(value)).toISOString().slice(0, 19).replace("T", " ")
        : String(value)
  const show = (): void => {
    const head = element("tr")
    head.append(...columns.map(({ title }) => element("th", title, { scope: "col" })))
    const lines = rows.slice(from, from + PAGE).map((row) => {
      const line = element("tr")
      line.append(...columns.map(({ field, type }) => element("td", cell(row.get(field), type === "temporal"))))
      return line
    })
    table.replaceChildren(head, ...lines)
    place.textContent = ` ${rows.length === 0 ? 0 : from + 1} to ${Math.min(rows.length, from + PAGE)} of ${rows.length} `
  }
  const go = (step: number) => () => {
    const to = from + step * PAGE
    if (to >= 0 && to < rows.length) from = to
    show()
  }
  show()
  const details = element("details")
  const bar = element("p")
  bar.append(button("Earlier", go(-1)), place, button("Later", go(1)))
  details.append(element("summary", "Data"), bar, table)
  return details
}

const show = (shown: DrawnRows): void => {
  const parent = element("div")
  main.append(parent)
  const chart = drawn(shown, parent)
  const all = { ...chart.scales["x"] }
  const bar = element("p", "", { className: "bar" })
  bar.append(
    button("Zoom in", () => zoom(chart, 0.5)),
    button("Zoom out", () => zoom(chart, 2)),
    button("All", () => chart.setScale("x", { min: all.min!, max: all.max! })),
  )
  parent.before(bar)
  main.append(tableOf(shown))
  new ResizeObserver(() => chart.setSize({ width: parent.clientWidth, height: HEIGHT })).observe(parent)
}

const ADDRESS = /^k3:\/\/sessions\/([^/]+)\/plots\/(\d+)$/

const received = async ({ content = [], structuredContent = {} }: { content?: readonly any[]; structuredContent?: any }): Promise<void> => {
  main.replaceChildren()
  const summary: readonly string[] = structuredContent.summary ?? content.filter(({ type }) => type === "text").map(({ text }) => text)
  const [, session, plot] = ADDRESS.exec(structuredContent.svg ?? "") ?? []
  const found = session === undefined ? {} : await host.call("k_view", { session: decodeURIComponent(session), plot: Number(plot) })
  if (found.error !== undefined) throw new Error(found.error.text)
  const { data } = found
  const image = content.find(({ type }) => type === "image")
  main.append(element("h1", summary[0]))
  if (data !== undefined && data !== null) show({ ...data, rows: data.rows.map((row: object) => new Map(Object.entries(row))) })
  else if (image !== undefined)
    main.append(element("img", "", { src: `data:${image.mimeType};base64,${image.data}`, alt: summary.join(" ") }))
  const list = element("ul")
  list.append(...summary.slice(1).map((each) => element("li", each)))
  main.append(list)
}

const host = new AppHost((method, params) => {
  if (method === "ui/notifications/tool-result") received(params).catch((error: Error) => main.append(element("p", error.message)))
})
void host.start("k3-mcp plot")
