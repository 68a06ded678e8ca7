/** A variable as a table: sorted by a press on a column's name, filtered by a K expression, a column plotted by its button. */
import { useEffect, useState } from "preact/hooks"
import { figure } from "../grid/figure.ts"
import type { Layout } from "../grid/layout.ts"
import { Rows } from "../grid/Rows.tsx"
import { Copy, type Drawn, type CopiedTable } from "./Copy.ts"
import { filterExample, filterNames } from "./arrange.ts"
import { Picture } from "./Picture.tsx"
import { Printed } from "./Printed.tsx"
import type { PageStore } from "./PageStore.ts"
import { visible } from "../visible.ts"

const sorting = (table: CopiedTable, column: number): "ascending" | "descending" | "none" =>
  table.order?.column !== column ? "none" : table.order.down ? "descending" : "ascending"
const arrows = { ascending: " ↑", descending: " ↓", none: "" } as const

/** Cycles through ascending, descending and unsorted. */
const nextOrder = ({ order }: CopiedTable, column: number) =>
  order?.column !== column ? { column, down: false } : order.down ? undefined : { column, down: true }

const Head = ({ table, copy, onDraw }: { readonly table: CopiedTable; readonly copy: Copy; readonly onDraw: (column: number) => void }) => (
  <>
    {table.columns.map(visible).map((name, column) => (
      <th key={column} scope="col" aria-sort={sorting(table, column)}>
        <button
          type="button"
          class="plain"
          title={`Sort by ${name}`}
          onClick={() => void copy.arrange((now) => ({ filter: now.filter, order: nextOrder(now, column) }))}
        >
          {name}
          {arrows[sorting(table, column)]}
        </button>
        <button type="button" class="plain draw" aria-label={`Plot ${name}`} title={`Plot ${name}`} onClick={() => onDraw(column)}>
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <path d="M1 1v14h14M4 11l3-4 3 2 4-6" fill="none" stroke="currentColor" stroke-width="1.5" />
          </svg>
        </button>
      </th>
    ))}
  </>
)

const Filter = ({ table, copy }: { readonly table: CopiedTable; readonly copy: Copy }) => {
  const [text, setText] = useState(table.filter)
  const example = filterExample(filterNames(table.columns)[0]!, copy.pages.cell(0, 0))
  const submit = (event: Event): void => {
    event.preventDefault()
    void copy.arrange(({ order }) => ({ filter: text, order }))
  }
  return (
    <form class="filter" onSubmit={submit}>
      <label>
        Filter in K
        <input
          class="k"
          type="text"
          value={text}
          placeholder={visible(example)}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Filter</button>
    </form>
  )
}

const Figure = ({ drawn, store, onClose }: { readonly drawn: Drawn; readonly store: PageStore; readonly onClose: () => void }) => (
  <figure class="drawn">
    <Picture key={drawn.uri} uri={drawn.uri} alt={`Plot of ${drawn.title}`} store={store} />
    <figcaption>
      {drawn.summary.map((line) => (
        <p key={line}>{visible(line)}</p>
      ))}
      <button type="button" onClick={onClose}>
        Close the plot
      </button>
    </figcaption>
  </figure>
)

interface GridParts {
  readonly store: PageStore
  readonly path: string
  readonly layout: Layout
  /** The variable's value in short; undefined while it is not known. */
  readonly now: string | undefined
}

/** A copy for as long as the table is shown. */
const useCopy = ({ store, path, layout }: GridParts): Copy => {
  const [copy] = useState(() => new Copy(store, store.session.value, path, layout))
  useEffect(() => {
    void copy.open()
    const leave = (): void => copy.leave()
    addEventListener("pagehide", leave)
    return () => {
      removeEventListener("pagehide", leave)
      copy.close()
    }
  }, [])
  return copy
}

/** The table of one variable and layout; others need another `key`. */
export const Grid = (parts: GridParts) => {
  const { store, now } = parts
  const copy = useCopy(parts)
  /** The value when it was copied. */
  const [copied, setCopied] = useState<string | undefined>(undefined)
  useEffect(() => setCopied((before) => before ?? now), [now])
  const isOld = copied !== undefined && now !== undefined && copied !== now
  const [drawn, setDrawn] = useState<Drawn | undefined>(undefined)
  const draw = async (column: number): Promise<void> => {
    const plot = await copy.plot(column)
    if (plot !== undefined) setDrawn(plot)
  }
  const table = copy.table.value
  return (
    <div class="gridded">
      {copy.problem.value !== "" && (
        <div role="alert">
          <Printed look="error" text={copy.problem.value} />
          <button type="button" onClick={() => void copy.renew()}>
            Copy it again
          </button>
        </div>
      )}
      {table === undefined && copy.problem.value === "" && <p class="quiet">Copying it…</p>}
      {table !== undefined && (
        <>
          <Filter table={table} copy={copy} />
          <p class="quiet" role="status">
            {figure(table.rows)} {table.rows === 1 ? "row" : "rows"}
            {isOld && (
              <>
                {"; it has changed since. "}
                <button type="button" onClick={() => void copy.renew().then(() => setCopied(now))}>
                  Take the new one
                </button>
              </>
            )}
          </p>
          {drawn !== undefined && <Figure drawn={drawn} store={store} onClose={() => setDrawn(undefined)} />}
          <Rows
            columns={table.columns}
            rows={table.rows}
            pages={copy.pages}
            head={<Head table={table} copy={copy} onDraw={(column) => void draw(column)} />}
            arranged={JSON.stringify([table.filter, table.order])}
          />
        </>
      )}
    </div>
  )
}
