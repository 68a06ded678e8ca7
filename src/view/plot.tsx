/**
 * The view of a plot in a host with MCP Apps: zoom by dragging or by buttons, values under the pointer, the rows as a table. A plot without rows,
 * such as a heatmap, is shown as the image of the reply.
 */
import { type ComponentChild, render } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import uPlot from "uplot"
import { AppHost } from "./AppHost.ts"
import { aligned, type DrawnRows } from "./chart.ts"

const COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#9d755d"]
const HEIGHT = 340
/** Rows of the table that are shown at once. */
const PAGE = 100

const isFilled = ({ mark }: DrawnRows): boolean => mark === "bar" || mark === "histogram"

const styleOf = (data: DrawnRows, colour: string): Partial<uPlot.Series> => {
  if (data.mark === "point") return { paths: () => null, points: { show: true, size: 5, fill: colour } }
  if (!isFilled(data)) return { points: { show: false } }
  // The x of a histogram's bin is where the bin begins.
  const paths = uPlot.paths.bars!({ size: [0.8, 60], align: data.mark === "histogram" ? 1 : 0 })
  return { fill: colour, paths, points: { show: false } }
}

const fromZero = (_: uPlot, least: number, greatest: number): uPlot.Range.MinMax =>
  uPlot.rangeNum(Math.min(0, least), Math.max(0, greatest), 0.1, true)

const chartIn = (parent: HTMLElement, data: DrawnRows): uPlot => {
  const { labels, series, columns } = aligned(data)
  const ink = getComputedStyle(document.body).color
  const axis = { stroke: ink, grid: { stroke: "#8883" }, ticks: { stroke: "#8886" } }
  const named = labels === undefined ? {} : { values: (_: uPlot, splits: number[]) => splits.map((at) => labels[at] ?? "") }
  const valueOf = (_: uPlot, at: number | null): string => (at === null ? "" : (labels?.[at] ?? String(at)))
  const options: uPlot.Options = {
    width: parent.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC"),
    scales: {
      ...(isFilled(data) && { y: { range: fromZero } }),
      x: { time: data.x.type === "temporal", ...(labels !== undefined && { range: [-0.5, labels.length - 0.5] }) },
    },
    axes: [
      { ...axis, label: data.x.title, ...named },
      { ...axis, label: data.y.title },
    ],
    series: [
      { label: data.x.title, ...(data.x.type !== "temporal" && { value: valueOf }) },
      ...series.map((label, i): uPlot.Series => {
        const colour = COLOURS[i % COLOURS.length]!
        return Object.assign(styleOf(data, colour), { label, stroke: colour, spanGaps: series.length > 1 })
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

interface DataParts {
  readonly data: DrawnRows
}

const Chart = ({ data }: DataParts) => {
  const parent = useRef<HTMLDivElement>(null)
  const [chart, setChart] = useState<uPlot | undefined>(undefined)
  useEffect(() => {
    const element = parent.current!
    const made = chartIn(element, data)
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    setChart(made)
    return () => {
      resized.disconnect()
      made.destroy()
    }
  }, [data])
  return (
    <>
      <p class="bar">
        <button type="button" onClick={() => chart && zoom(chart, 0.5)}>
          Zoom in
        </button>
        <button type="button" onClick={() => chart && zoom(chart, 2)}>
          Zoom out
        </button>
        <button type="button" onClick={() => chart?.setData(chart.data)}>
          All
        </button>
      </p>
      <div ref={parent} />
    </>
  )
}

const cellText = (value: string | number | null | undefined, type: string): string =>
  value === null || value === undefined
    ? ""
    : type === "temporal"
      ? new Date(Number(value)).toISOString().slice(0, 19).replace("T", " ")
      : String(value)

const Table = ({ data: { rows, x, y, color } }: DataParts) => {
  const columns = [x, y, ...(color === undefined ? [] : [color])]
  const [from, setFrom] = useState(0)
  const to = Math.min(rows.length, from + PAGE)
  return (
    <details>
      <summary>Data</summary>
      <p>
        <button type="button" disabled={from === 0} onClick={() => setFrom(from - PAGE)}>
          Earlier
        </button>
        {` ${rows.length === 0 ? 0 : from + 1} to ${to} of ${rows.length} `}
        <button type="button" disabled={to === rows.length} onClick={() => setFrom(from + PAGE)}>
          Later
        </button>
      </p>
      <table>
        <tr>
          {columns.map(({ field, title }) => (
            <th key={field} scope="col">
              {title}
            </th>
          ))}
        </tr>
        {rows.slice(from, to).map((row, i) => (
          <tr key={from + i}>
            {columns.map(({ field, type }) => (
              <td key={field}>{cellText(row.get(field), type)}</td>
            ))}
          </tr>
        ))}
      </table>
    </details>
  )
}

interface ShownPlot {
  readonly summary: readonly string[]
  /** Undefined for a plot without rows. */
  readonly data: DrawnRows | undefined
  readonly image: { readonly mimeType: string; readonly data: string } | undefined
}

const View = ({ summary, data, image }: ShownPlot) => (
  <>
    <h1>{summary[0]}</h1>
    {data !== undefined && <Chart data={data} />}
    {data !== undefined && <Table data={data} />}
    {data === undefined && image !== undefined && <img src={`data:${image.mimeType};base64,${image.data}`} alt={summary.join(" ")} />}
    <ul>
      {summary.slice(1).map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  </>
)

const show = (content: ComponentChild): void => render(content, document.querySelector("main")!)

const ADDRESS = /^k3:\/\/sessions\/([^/]+)\/plots\/(\d+)$/

/** The rows of a plot, by its address. */
const dataOf = async (address: string): Promise<DrawnRows | undefined> => {
  const [, session, number] = ADDRESS.exec(address) ?? []
  if (session === undefined) return undefined
  const { data, error } = await host.call("k_view", { session: decodeURIComponent(session), plot: Number(number) })
  if (error !== undefined) throw new Error(error.text)
  return data === undefined || data === null ? undefined : { ...data, rows: data.rows.map((row: object) => new Map(Object.entries(row))) }
}

const received = async ({ content = [], structuredContent = {} }: { content?: readonly any[]; structuredContent?: any }): Promise<void> => {
  const { summary = content.filter(({ type }) => type === "text").map(({ text }) => text), svg = "" } = structuredContent
  show(null)
  show(<View summary={summary} data={await dataOf(svg)} image={content.find(({ type }) => type === "image")} />)
}

const host = new AppHost((method, params) => {
  if (method === "ui/notifications/tool-result") received(params).catch(({ message }: Error) => show(<p role="alert">{message}</p>))
})
void host.start("k3-mcp plot")
