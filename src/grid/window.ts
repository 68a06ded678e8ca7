/**
 * The rows in view of a table of any length. Pure.
 *
 * Guarantees: every row can be scrolled to. Browsers lay out no more than about ten million pixels; for longer tables the scroll position is scaled.
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

/** `view`: pixels of the visible part; `top`: the scroll position in pixels. */
export const windowOf = (rows: number, view: number, top: number): Window => {
  const whole = rows * rowHeight
  const height = Math.min(whole, Math.max(mostPixels, view))
  const scroll = height - view
  const at = scroll <= 0 ? 0 : Math.min(1, Math.max(0, top / scroll)) * (whole - view)
  const first = Math.floor(at / rowHeight)
  return { height, first, count: Math.min(rows - first, Math.ceil(view / rowHeight) + 1), shift: at - first * rowHeight }
}
