/**
 * A table of any number of rows as the page shows it: which rows are in view, and the K that sorts, filters and cuts it. Pure.
 *
 * Guarantees: every row can be scrolled to, however many there are: browsers lay out no more than some ten million pixels, so beyond that
 * the scroll position is scaled. Does not: evaluate.
 */
import type { Inspection } from "./replies.ts"

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

/** How a value is a table: its columns by name, or to be told by its shape. */
export type Layout = { readonly kind: "vector" } | { readonly kind: "list" } | { readonly kind: "table"; readonly names: readonly string[] }

/** Undefined: it is none. */
export const layoutOf = ({ value, entries, omitted }: Inspection): Layout | undefined => {
  if (value !== undefined) return value.type < 0 ? { kind: "vector" } : value.type === 0 ? { kind: "list" } : undefined
  if (entries === undefined || entries.length === 0 || omitted !== undefined) return undefined
  const { shape } = entries[0]!
  const isTable = /^\d+$/.test(shape) && entries.every((each) => each.type <= 0 && each.shape === shape)
  return isTable ? { kind: "table", names: entries.map(({ name }) => name) } : undefined
}

/** The variable that is copied to have what is at a path: the first name below a directory. */
export const copiedFor = (path: string): string => path.split(".").slice(0, 3).join(".")

const isName = (text: string): boolean => /^[A-Za-z][A-Za-z0-9]*$/.test(text)

/** What the columns are called in a filter. */
export const filterNames = (columns: readonly string[]): readonly string[] =>
  columns.length === 1 && !isName(columns[0]!) ? ["x"] : columns.map((name, n) => (isName(name) ? name : `c${n}`))

/** In the copy: `pagev` is the value, `pagec` its columns, `pagei` the numbers of the rows that are shown, in their order. */
export const shapeCode = (path: string): string => `pagev:${path}\n^pagev`

export const columnsCode = ({ kind }: Layout, dimensions: number): string =>
  `pagec:${kind === "table" ? "pagev[]" : kind === "list" && dimensions > 1 ? "+pagev" : ",pagev"}`

export interface Order {
  readonly column: number
  readonly down: boolean
}

/** Gives the number of rows. */
export const rowsCode = (columns: readonly string[], filter: string, order: Order | undefined): string =>
  [
    filter.trim() === "" ? "pagei:!#*pagec" : `pagei:&{[${filterNames(columns).join(";")}] ${filter}} . pagec`,
    ...(order === undefined ? [] : [`pagei:pagei@${order.down ? ">" : "<"}pagec[${order.column}][pagei]`]),
    "#pagei",
  ].join("\n")

/** Characters that are shown of a cell. */
const cellOf = (columns: number): number => (columns === 1 ? 60 : 24)

/** Rows that one reply has room for. */
export const pageRows = (columns: number, characters: number): number =>
  Math.max(4, Math.min(200, Math.floor((characters * 0.7) / ((cellOf(columns) + 4) * columns))))

/** Columns of cells as K prints them. */
export const cellsCode = (columns: number, from: number, count: number): string =>
  `{{(${cellOf(columns)}&#x)#x}'5:'x[pagei[${from}+!${count}]]}'pagec`

/** What a column shows after it was plotted, sorted and filtered as it is. */
export const columnCode = (column: number): string => `pagec[${column}][pagei]`
