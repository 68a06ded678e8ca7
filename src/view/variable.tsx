/**
 * The view of a variable in a host with MCP Apps: an array, or a dictionary of columns, as a table of any length, its rows asked for as they come
 * into view. Anything else is shown as the reply tells it. Does not: follow the variable; rows that are asked for later are those of then.
 */
import { signal } from "@preact/signals"
import { render } from "preact"
import { type Layout, layoutOf, type Variable } from "../grid/layout.ts"
import { Pages } from "../grid/Pages.ts"
import { Rows } from "../grid/Rows.tsx"
import { Host, Refusal } from "./Host.ts"

/** Rows of one call. */
const rowsOfPage = 100
/** ms until what waits for an evaluation is asked for again. */
const firstWait = 200
const longestWait = 3200

interface Seen {
  readonly path: string
  readonly look: Looked
  /** What the reply said, in words. */
  readonly text: string
  readonly table?: { readonly columns: readonly string[]; readonly rows: number }
}

/** Arguments of `k_inspect`. */
interface Given {
  readonly path?: string
  readonly session?: string
  readonly slice?: string
  readonly find?: string
  readonly cursor?: string
}

/** Of its reply. */
interface Looked {
  readonly path?: string
  readonly value?: Variable & { readonly bytes?: number; readonly least?: number; readonly greatest?: number; readonly mean?: number }
  readonly entries?: readonly Variable[]
  readonly omitted?: number
}

interface Reply {
  readonly rows: number
  readonly columns: readonly string[]
  readonly cells: readonly (readonly string[])[]
}

const seen = signal<Seen | undefined>(undefined)
const problem = signal("")
let given: Given = {}

const askedFor = (): { readonly path: string; readonly session?: string; readonly columns?: readonly string[] } => {
  const { path, look } = seen.value!
  const layout = layoutOf(look)
  return {
    path,
    ...(given.session !== undefined && { session: given.session }),
    ...(layout?.kind === "table" && { columns: layout.names }),
  }
}

const read = async (from: number, count: number, wait = firstWait): Promise<Reply> => {
  try {
    const reply: Reply = await host.call("k_rows", { ...askedFor(), from, count })
    problem.value = ""
    return reply
  } catch (error) {
    if (!(error instanceof Refusal) || error.name !== "busy") throw error
    problem.value = "An evaluation is running; the rows come when it is done."
    await new Promise((resolve) => setTimeout(resolve, wait))
    return read(from, count, Math.min(2 * wait, longestWait))
  }
}

const failed = (error: unknown): void => void (problem.value = (error as Error).message)

const showTable = ({ rows, columns }: Reply): void => {
  const { table } = seen.value!
  if (table?.rows === rows && table.columns.join() === columns.join()) return
  seen.value = { ...seen.value!, table: { rows, columns } }
  pages.renew()
}

const pages = new Pages({
  size: () => ({ rows: seen.value?.table?.rows ?? 0, rowsOfPage }),
  fetch: async (from, count) => {
    const reply = await read(from, count)
    showTable(reply)
    return reply.cells
  },
  failed,
})

const figure = new Intl.NumberFormat("en", { maximumSignificantDigits: 7 })

const about = ({ look, table }: Seen, layout: Layout): string => {
  const { value, entries = [] } = look
  const rows = table?.rows ?? Number(value?.shape ?? entries[0]?.shape)
  const figures = (["least", "greatest", "mean"] as const).flatMap((name) =>
    value?.[name] === undefined ? [] : [`${name} ${figure.format(value[name])}`],
  )
  const columns = layout.kind === "table" ? layout.names.length : (table?.columns.length ?? 1)
  const shape = columns > 1 ? `${figure.format(rows)} by ${columns}` : figure.format(rows)
  return [`${value?.kind ?? "columns"}, ${shape}`, ...figures].join("; ")
}

const View = () => {
  if (seen.value === undefined) return null
  const { path, look, text, table } = seen.value
  const layout = layoutOf(look)
  return (
    <>
      <h1>{path}</h1>
      {layout === undefined ? <pre>{text}</pre> : <p class="quiet">{about(seen.value, layout)}</p>}
      {problem.value !== "" && <p role="alert">{problem.value}</p>}
      {layout !== undefined && table !== undefined && (
        <Rows
          columns={table.columns}
          rows={table.rows}
          pages={pages}
          head={table.columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        />
      )}
    </>
  )
}

/** Is the reply about a whole value, and nothing of it? */
const isWhole = ({ path = "", slice, find, cursor }: Given): boolean => (slice ?? find ?? cursor) === undefined && !path.includes("[")

const received = async ({
  content = [],
  structuredContent = {},
}: {
  content?: readonly any[]
  structuredContent?: Looked
}): Promise<void> => {
  const text = content.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n")
  const { path = "" } = structuredContent
  const look = isWhole(given) ? structuredContent : {}
  seen.value = { path: path === "" ? "Variables" : path, look, text }
  if (layoutOf(look) !== undefined) showTable(await read(0, 0))
}

const host = new Host((method, params) => {
  if (method === "ui/notifications/tool-input") given = params.arguments ?? {}
  if (method === "ui/notifications/tool-result") received(params).catch(failed)
})
render(<View />, document.querySelector("main")!)
host.start("k3-mcp variable")
