/**
 * Which rows of a table of any length are in view. Pure.
 *
 * Guarantees: every row can be scrolled to, however many there are: browsers lay out no more than some ten million pixels, so beyond that
 * the scroll position is scaled.
 */

/** Pixels of a row, and most of a column of rows. */
export const rowHeight = 26
const mostPixels = 8_000_000

export interface Window {
  /** Pixels that the rows take together, to be scrolled in. */
  readonly height: number
  /** The first row in view, and how many there are from it on. */
  readonly first: number
  readonly count: number
  /** Pixels by which the first row is above the top. */
  readonly shift: number
}

/** `view`: pixels that are seen; `top`: those scrolled over. */
export const windowOf = (rows: number, view: number, top: number): Window => {
  const whole = rows * rowHeight
  const height = Math.min(whole, Math.max(mostPixels, view))
  const scroll = height - view
  const at = scroll <= 0 ? 0 : Math.min(1, Math.max(0, top / scroll)) * (whole - view)
  const first = Math.floor(at / rowHeight)
  return { height, first, count: Math.min(rows - first, Math.ceil(view / rowHeight) + 1), shift: at - first * rowHeight }
}
