/**
 * The rows in view of a table of any length. Pure.
 *
 * Guarantees: every row can be scrolled to, by keys and wheel too. Browsers lay out no more than about ten million pixels; in a longer table a long way
 * on the scroll bar is scaled, and a step of at most two views is not. A step that comes to an end of the scroll bar before the end of the rows moves
 * the scroll bar back to where those rows are.
 */

/** Pixels of a row, and of the scrolled area at most. */
export const rowHeight = 26
const mostPixels = 8_000_000

export interface Window {
  /** Pixels of the scrolled area. */
  readonly height: number
  /** The first row in view, and the number of rows from it on. */
  readonly first: number
  readonly count: number
  /** Pixels by which the first row begins above the view. */
  readonly shift: number
}

export interface ScrollPlace {
  /** The scroll position in pixels. */
  readonly top: number
  /** Pixels of rows above the view. */
  readonly above: number
}

/** `view`: pixels of the visible part. */
const heightOf = (rows: number, view: number): number => Math.min(rows * rowHeight, Math.max(mostPixels, view))

/** The place after a scroll to `top`; its own `top` is where the scroll bar has to be. */
export const scrolled = (rows: number, view: number, before: ScrollPlace, top: number): ScrollPlace => {
  const height = heightOf(rows, view)
  const most = Math.max(0, rows * rowHeight - view)
  const step = top - before.top
  const bar = Math.max(1, height - view)
  const isStep = height < rows * rowHeight && Math.abs(step) <= 2 * view
  const above = Math.min(most, Math.max(0, isStep ? Math.min(most, before.above) + step : (most * top) / bar))
  const isAtEnd = top <= 0 || top >= bar - 1
  if (!isStep || !isAtEnd || above === 0 || above === most) return { top, above }
  // On each side there is room for the rows that are left there, or for a step.
  const room = (left: number): number => Math.min(left, 2 * view)
  return { top: Math.min(bar - room(most - above), Math.max(room(above), Math.round((above / most) * bar))), above }
}

/** The place of the first row, or of the last one. */
export const endPlace = (rows: number, view: number, isLast: boolean): ScrollPlace =>
  isLast ? { top: Math.max(0, heightOf(rows, view) - view), above: Math.max(0, rows * rowHeight - view) } : { top: 0, above: 0 }

export const windowOf = (rows: number, view: number, above: number): Window => {
  const at = Math.max(0, Math.min(above, rows * rowHeight - view))
  const first = Math.floor(at / rowHeight)
  const count = Math.min(rows - first, Math.ceil(view / rowHeight) + 1)
  return { height: heightOf(rows, view), first, count, shift: at - first * rowHeight }
}
