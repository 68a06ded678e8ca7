/**
 * The transcript. Only rows near the view are in the document, and all of them while it is printed. It scrolls along while the newest row is in view,
 * and stays where it is while a person reads further up.
 */
import type { Signal } from "@preact/signals"
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  type Rect,
  Virtualizer,
} from "@tanstack/virtual-core"
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks"
import { Code } from "./Code.tsx"
import { RowView } from "./RowView.tsx"
import type { Pending } from "./Shown.ts"
import type { PageStore } from "./PageStore.ts"
import { mostRows, type Row } from "./transcript.ts"

type Rows = Virtualizer<HTMLElement, HTMLElement>

/** Estimated pixels of a row that is not measured yet. */
const usualHeight = 76
/** Within so many pixels of the end counts as at the end. */
const nearEnd = 40

const allRows = ({ count }: Range): number[] => Array.from({ length: count }, (_, index) => index)

const printing = ["beforeprint", "afterprint"] as const

/** Browsers lay the page out for printing once these listeners, and the drawing that they ask for, have run. */
const usePrinting = (): boolean => {
  const [isPrinting, setIsPrinting] = useState(false)
  useEffect(() => {
    const follow = ({ type }: Event): void => setIsPrinting(type === "beforeprint")
    for (const type of printing) addEventListener(type, follow)
    return () => printing.forEach((type) => removeEventListener(type, follow))
  }, [])
  return isPrinting
}

/** `following`: is the newest row in view? */
const useRows = (rows: readonly Row[], scroller: { readonly current: HTMLElement | null }, following: Signal<boolean>): Rows => {
  const isPrinting = usePrinting()
  const [, redraw] = useReducer((n: number) => n + 1, 0)
  /** Pixels of all rows when they were drawn last. */
  const height = useRef(0)
  const options = {
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => usualHeight,
    getItemKey: (index: number) => rows[index]!.key,
    observeElementRect: (of: Rows, tell: (rect: Rect) => void) =>
      observeElementRect(of, (rect) => {
        const isFollowed = following.value
        tell(rect)
        // A message, a longer input or the keyboard of a phone makes the view lower; the newest row stays in it.
        if (isFollowed) of.scrollToEnd()
        following.value = isFollowed
      }),
    observeElementOffset,
    rangeExtractor: isPrinting ? allRows : defaultRangeExtractor,
    scrollToFn: elementScroll,
    overscan: 6,
    anchorTo: "end" as const,
    followOnAppend: true,
    scrollEndThreshold: nearEnd,
    onChange: (of: Rows) => {
      // While a new height of the view is not observed yet, its end moved without a person: `observeElementRect` scrolls to it.
      const isObserved = Math.abs((scroller.current?.offsetHeight ?? 0) - (of.scrollRect?.height ?? 0)) <= 1
      // The same when the rows became higher, for example by a plot between them: the effect below scrolls.
      const isAtEnd = of.isAtEnd(nearEnd)
      if (isObserved && (isAtEnd || of.getTotalSize() === height.current)) following.value = isAtEnd
      redraw(undefined)
    },
  }
  const [virtual] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options))
  virtual.setOptions(options)
  useLayoutEffect(() => virtual._didMount(), [])
  useLayoutEffect(() => virtual._willUpdate())
  useLayoutEffect(() => {
    const now = virtual.getTotalSize()
    if (following.value && height.current !== now) virtual.scrollToEnd()
    height.current = now
  })
  useEffect(() => {
    // Forgets the heights of rows that are not held any more.
    if (virtual.isAtEnd(nearEnd) && virtual.itemSizeCache.size > rows.length + mostRows) virtual.measure()
  })
  return virtual
}

const Waiting = ({ pending }: { readonly pending: readonly Pending[] }) => (
  <ol class="pending" aria-label="Asked here, not answered yet">
    {pending.map(({ id, code }) => (
      <li key={id}>
        <span class="by by-page">page</span>
        <pre class="code">
          <Code text={code} />
        </pre>
      </li>
    ))}
  </ol>
)

export const TranscriptView = ({ store }: { readonly store: PageStore }) => {
  const scroller = useRef<HTMLElement>(null)
  const { rows, older } = store.transcript.value
  const following = store.following.value
  const pending = store.pending.value.filter(({ session }) => session === store.session.value)
  const virtual = useRows(rows, scroller, store.following)
  const items = virtual.getVirtualItems()
  useEffect(() => {
    store.wholes.want(items.flatMap(({ index }) => wholeOf(rows[index])).toReversed())
  })
  useLayoutEffect(() => virtual.scrollToEnd(), [store.toNewest.value])
  return (
    <section class="transcript" aria-label="Transcript">
      {older !== undefined && (
        <button type="button" class="older" onClick={() => void store.recall()}>
          Show older entries
        </button>
      )}
      <section class="rows" ref={scroller} tabIndex={0} aria-label="Evaluations, the newest last" data-rows={rows.length}>
        {rows.length === 0 && <p class="quiet empty">Nothing was evaluated in this session yet.</p>}
        <ol class="canvas" style={{ height: `${virtual.getTotalSize()}px` }}>
          {items.map(({ index, key, start }) => (
            <li
              key={key}
              data-index={index}
              ref={(element: HTMLElement | null) => virtual.measureElement(element)}
              class={`row row-${rows[index]!.kind}`}
              aria-setsize={-1}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <RowView row={rows[index]!} store={store} />
            </li>
          ))}
        </ol>
      </section>
      {pending.length > 0 && <Waiting pending={pending} />}
      {!following && (
        <button type="button" class="newest" onClick={() => virtual.scrollToEnd()}>
          Show the newest
        </button>
      )}
    </section>
  )
}

const wholeOf = (row: Row | undefined) => (row?.kind === "entry" && !row.isWhole ? [row.entry] : [])
