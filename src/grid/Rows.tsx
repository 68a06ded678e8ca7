/** A table of any length. Only the rows in view are in the document. Scrolls by pointer and by keyboard. */
import type { ComponentChildren } from "preact"
import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Pages } from "./Pages.ts"
import { endPlace, type ScrollPlace, scrolled, windowOf } from "./window.ts"

export interface RowsParts {
  readonly columns: readonly string[]
  readonly rows: number
  readonly pages: Pages
  /** Cells of the head, one for each column. */
  readonly head: ComponentChildren
  /** A new value scrolls to the first row. */
  readonly arranged?: unknown
}

/** Pixels of the head. */
const headHeight = 34

export const Rows = ({ columns, rows, pages, head, arranged }: RowsParts) => {
  const scroller = useRef<HTMLElement>(null)
  const [view, setView] = useState(400)
  const place = useSignal<ScrollPlace>({ top: 0, above: 0 })
  useLayoutEffect(() => {
    const seen = new ResizeObserver(() => setView(Math.max(100, scroller.current!.clientHeight - headHeight)))
    seen.observe(scroller.current!)
    return () => seen.disconnect()
  }, [])
  const { height, first, count: shown, shift } = windowOf(rows, view, place.value.above)
  useEffect(() => pages.want(first, shown), [pages, first, shown, rows, arranged])
  const move = (next: ScrollPlace): void => {
    place.value = next
    if (Math.abs(next.top - scroller.current!.scrollTop) > 1) scroller.current!.scrollTo({ top: next.top, behavior: "instant" })
  }
  useEffect(() => move(endPlace(rows, view, false)), [arranged])
  /** Home and End go at once: the browser loses them while it still scrolls smoothly by a page. */
  const jump = (event: KeyboardEvent): void => {
    const isEnd = event.key === "End"
    if (event.target !== scroller.current || (!isEnd && event.key !== "Home")) return
    event.preventDefault()
    move(endPlace(rows, view, isEnd))
  }
  return (
    <section
      class="grid"
      ref={scroller}
      style={{ "--seen": `${view + headHeight}px` }}
      tabIndex={0}
      aria-label="Rows"
      onKeyDown={jump}
      onScroll={() =>
        requestAnimationFrame(() => scroller.current !== null && move(scrolled(rows, view, place.value, scroller.current.scrollTop)))
      }
    >
      <div class="whole" style={{ height: `${height + headHeight}px` }}>
        <table aria-rowcount={rows + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col" class="at">
                row
              </th>
              {head}
            </tr>
          </thead>
          <tbody style={{ transform: `translateY(${-shift}px)` }}>
            {Array.from({ length: shown }, (_, n) => first + n).map((row) => (
              <tr key={row} aria-rowindex={row + 2}>
                <th scope="row" class="at">
                  {row}
                </th>
                {columns.map((name, column) => (
                  <td key={name}>{pages.cell(row, column) ?? "…"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
