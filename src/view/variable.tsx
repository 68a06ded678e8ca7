/**
 * The view of a variable in a host with MCP Apps: an array, or a dictionary of columns, as a table of any length whose rows are read as they come
 * into view. Any other value is shown as the text of the reply. Does not: follow the variable; a row shows the value at the time it was read.
 */
import { signal } from "@preact/signals"
import { render } from "preact"
import { figure } from "../grid/figure.ts"
import { type Layout, layoutOf, type ListedVariable } from "../grid/layout.ts"
import { Live } from "../grid/Live.tsx"
import { Reader } from "../grid/Reader.ts"
import { AppHost } from "./AppHost.ts"

interface ShownVariable {
  readonly path: string
  readonly inspection: Inspection
  /** The text of the reply. */
  readonly text: string
  /** Only when the value is a table. */
  readonly rows?: { readonly layout: Layout; readonly reader: Reader }
}

/** Arguments of `k_inspect`. */
interface InspectionRequest {
  readonly path?: string
  readonly session?: string
  readonly slice?: string
  readonly find?: string
  readonly cursor?: string
}

/** The reply of `k_inspect`. */
interface Inspection {
  readonly path?: string
  readonly value?: ListedVariable & { readonly bytes?: number; readonly least?: number; readonly greatest?: number; readonly mean?: number }
  readonly entries?: readonly ListedVariable[]
  readonly omitted?: number
}

const shown = signal<ShownVariable | undefined>(undefined)
const problem = signal("")
/** The latest request. */
let request: InspectionRequest = {}

const about = ({ value, entries = [], omitted = 0 }: Inspection, { layout, reader }: NonNullable<ShownVariable["rows"]>): string => {
  const table = reader.table.value
  const rows = table?.rows ?? Number(value?.shape ?? entries[0]?.shape)
  const figures = (["least", "greatest", "mean"] as const).flatMap((name) =>
    value?.[name] === undefined ? [] : [`${name} ${figure(value[name])}`],
  )
  const columns = layout.kind === "table" ? layout.names.length : (table?.columns.length ?? 1)
  const shape = columns > 1 ? `${figure(rows)} by ${columns}` : figure(rows)
  const all = omitted === 0 ? [] : [`the first ${columns} of ${figure(columns + omitted)} entries`]
  return [`${value?.kind ?? "columns"}, ${shape}`, ...all, ...figures].join("; ")
}

const View = () => {
  if (shown.value === undefined) return null
  const { path, inspection, text, rows } = shown.value
  return (
    <>
      <h1>{path}</h1>
      {rows === undefined ? <pre>{text}</pre> : <p class="quiet">{about(inspection, rows)}</p>}
      {problem.value !== "" && <p role="alert">{problem.value}</p>}
      {rows !== undefined && <Live reader={rows.reader} />}
    </>
  )
}

/** Was a whole value asked for, not a part of it? */
const isWhole = ({ path = "", slice, find, cursor }: InspectionRequest): boolean =>
  (slice ?? find ?? cursor) === undefined && !path.includes("[")

const received = async ({
  content = [],
  structuredContent = {},
}: {
  content?: readonly any[]
  structuredContent?: Inspection
}): Promise<void> => {
  const text = content.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n")
  const { path = "" } = structuredContent
  const layout = isWhole(request) ? layoutOf(structuredContent) : undefined
  const rows = layout && { layout, reader: new Reader({ path, session: request.session, layout }, (args) => host.call("k_rows", args)) }
  shown.value = { path: path === "" ? "Variables" : path, inspection: structuredContent, text, ...(rows !== undefined && { rows }) }
  await rows?.reader.open()
}

const host = new AppHost((method, params) => {
  if (method === "ui/notifications/tool-input") request = params.arguments ?? {}
  if (method === "ui/notifications/tool-result") received(params).catch((error: Error) => (problem.value = error.message))
})
render(<View />, document.querySelector("main")!)
void host.start("k3-mcp variable")
