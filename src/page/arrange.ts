/** The K that sorts, filters and cuts the copy of a table. Pure. Does not: evaluate. */
import type { Layout } from "../grid/layout.ts"

/** The variable to copy in order to have the value at a path: of a name below a directory, the first name. */
export const copiedFor = (path: string): string => path.split(".").slice(0, 3).join(".")

const isName = (text: string): boolean => /^[A-Za-z][A-Za-z0-9]*$/.test(text)

/** The names of the columns in a filter: their own, or `x` for a lone column, or `c0`, `c1`, …, each once. */
export const filterNames = (columns: readonly string[]): readonly string[] => {
  if (columns.length === 1 && !isName(columns[0]!)) return ["x"]
  const free = (name: string): string => (columns.includes(name) ? free(`${name}c`) : name)
  return columns.map((name, n) => (isName(name) ? name : free(`c${n}`)))
}

/** The K of a copy uses three variables: `pagev` is the value, `pagec` its columns, `pagei` the numbers of the shown rows in their order. */
export const shapeCode = (path: string): string => `pagev:${path}\n^pagev`

export const columnsCode = (layout: Layout, dimensions: number): string =>
  `pagec:${layout.kind === "table" ? `${layout.names.length}#pagev[]` : layout.kind === "list" && dimensions > 1 ? "+pagev" : ",pagev"}`

export interface Order {
  readonly column: number
  readonly down: boolean
}

/** K that filters and sorts; its value is the number of rows. */
export const rowsCode = (columns: readonly string[], filter: string, order: Order | undefined): string =>
  [
    filter.trim() === "" ? "pagei:!#*pagec" : `pagei:&{[${filterNames(columns).join(";")}] ${filter}} . pagec`,
    ...(order === undefined ? [] : [`pagei:pagei@${order.down ? ">" : "<"}pagec[${order.column}][pagei]`]),
    "#pagei",
  ].join("\n")

/** Characters that are shown of a cell. */
const cellOf = (columns: number): number => (columns === 1 ? 60 : 24)

/** Rows that fit in one reply. */
export const pageRows = (columns: number, characters: number): number =>
  Math.max(4, Math.min(200, Math.floor((characters * 0.7) / ((cellOf(columns) + 4) * columns))))

/** K whose value is the cells of some rows, a list for each column, as K prints them. */
export const cellsCode = (columns: number, from: number, count: number): string =>
  `{{(${cellOf(columns)}&#x)#x}'5:'x[pagei[${from}+!${count}]]}'pagec`

/** K whose value is a column as it is filtered and sorted now, for a plot. */
export const columnCode = (column: number): string => `pagec[${column}][pagei]`
