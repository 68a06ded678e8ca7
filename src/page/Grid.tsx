/** A table of any length: only the rows in view are there. Sorted by a press on a column's name, filtered by K, a column drawn with one press. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { Copy, type Table } from "./Copy.ts"
import { filterNames, type Layout, windowOf } from "./arrange.ts"
import { Printed } from "./Printed.tsx"
import type { Store } from "./Store.ts"

const count = new Intl.NumberFormat("en")

interface Drawn {
  readonly column: string
  readonly image: string
  readonly summary: readonly string[]
}

const sorting = (table: Table, column: number): "ascending" | "descending" | "none" =>
  table.order?.column !== column ? "none" : table.order.down ? "descending" : "ascending"
const arrows = { ascending: " ↑", descending: " ↓", none: "" } as const

/** Up, down, and as it was. */
const nextOrder = ({ order }: Table, column: number) =>
  order?.column !== column ? { column, down: false } : order.down ? undefined : { column, down: true }

const Head = ({ table, copy, onDraw }: { readonly table: Table; readonly copy: Copy; readonly onDraw: (column: number) => void }) => (
  <thead>
    <tr aria-rowindex={1}>
      <th scope="col" class="at">
        row
      </th>
      {table.columns.map((name, column) => (
        <th key={name} scope="col" aria-sort={sorting(table, column)}>
          <button
            type="button"
            class="plain"
            title={`Sort by ${name}`}
            onClick={() => void copy.arrange(table.filter, nextOrder(table, column))}
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
    </tr>
  </thead>
)

const Rows = ({ table, copy, onDraw }: { readonly table: Table; readonly copy: Copy; readonly onDraw: (column: number) => void }) => {
  const scroller = useRef<HTMLElement>(null)
  const [view, setView] = useState(400)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const seen = new ResizeObserver(() => setView(Math.max(100, scroller.current!.clientHeight - headHeight)))
    seen.observe(scroller.current!)
    return () => seen.disconnect()
  }, [])
  const { height, first, count: shown, shift } = windowOf(table.rows, view, top)
  const { rowsOfPage } = copy
  const pages = copy.pages.value
  useEffect(() => {
    const last = Math.max(first, first + shown - 1)
    const [a, b] = [Math.floor(first / rowsOfPage), Math.floor(last / rowsOfPage)]
    copy.want(Array.from({ length: b - a + 1 }, (_, n) => a + n))
  }, [first, shown, rowsOfPage, table])
  useEffect(() => scroller.current!.scrollTo({ top: 0 }), [table.filter, table.order])
  const cell = (row: number, column: number) => pages.get(Math.floor(row / rowsOfPage))?.[column]?.[row % rowsOfPage]
  return (
    <section
      class="grid"
      ref={scroller}
      tabIndex={0}
      aria-label="Rows"
      onScroll={() => requestAnimationFrame(() => scroller.current !== null && setTop(scroller.current.scrollTop))}
    >
      <div class="whole" style={{ height: `${height + headHeight}px` }}>
        <table aria-rowcount={table.rows + 1}>
          <Head table={table} copy={copy} onDraw={onDraw} />
          <tbody style={{ transform: `translateY(${-shift}px)` }}>
            {Array.from({ length: shown }, (_, n) => first + n).map((row) => (
              <tr key={row} aria-rowindex={row + 2}>
                <th scope="row" class="at">
                  {row}
                </th>
                {table.columns.map((name, column) => (
                  <td key={name}>{cell(row, column) ?? "…"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Pixels of the names above. */
const headHeight = 34

const Filter = ({ table, copy }: { readonly table: Table; readonly copy: Copy }) => {
  const [text, setText] = useState(table.filter)
  const names = filterNames(table.columns)
  const submit = (event: Event): void => {
    event.preventDefault()
    void copy.arrange(text, table.order)
  }
  return (
    <form class="filter" onSubmit={submit}>
      <label>
        Filter in K
        <input
          class="k"
          type="text"
          value={text}
          placeholder={`such as ${names[0]}>0`}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Filter</button>
    </form>
  )
}

const Picture = ({ drawn, onClose }: { readonly drawn: Drawn; readonly onClose: () => void }) => (
  <figure class="drawn">
    <img src={drawn.image} alt={`Plot of ${drawn.column}`} width={800} height={500} />
    <figcaption>
      {drawn.summary.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <button type="button" onClick={onClose}>
        Close the plot
      </button>
    </figcaption>
  </figure>
)

interface GridParts {
  readonly store: Store
  readonly path: string
  readonly layout: Layout
  /** Is the variable another one than when the grid was opened? */
  readonly isOld: boolean
  readonly onRenewed: () => void
}

export const Grid = ({ store, path, layout, isOld, onRenewed }: GridParts) => {
  const session = store.session.value
  const copy = useMemo(() => new Copy(store, session, path, layout), [store, session, path, JSON.stringify(layout)])
  const [drawn, setDrawn] = useState<Drawn | undefined>(undefined)
  useEffect(() => {
    void copy.open()
    setDrawn(undefined)
    return () => copy.close()
  }, [copy])
  const draw = async (column: number): Promise<void> => {
    const picture = await copy.plot(column)
    if (picture !== undefined) setDrawn({ column: copy.table.value!.columns[column]!, ...picture })
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
            {count.format(table.rows)} {table.rows === 1 ? "row" : "rows"}
            {isOld && (
              <>
                {"; it has changed since. "}
                <button type="button" onClick={() => void copy.renew().then(onRenewed)}>
                  Take the new one
                </button>
              </>
            )}
          </p>
          {drawn !== undefined && <Picture drawn={drawn} onClose={() => setDrawn(undefined)} />}
          <Rows table={table} copy={copy} onDraw={(column) => void draw(column)} />
        </>
      )}
    </div>
  )
}
