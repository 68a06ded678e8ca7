/** The K that sorts, filters and cuts the copy of a table. Pure. Does not: evaluate. */
import type { Layout } from "../grid/layout.ts"

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
