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

/** A filter on a column whose first cell is `cell`, which fits its type; empty while none is known. */
export const filterExample = (name: string, cell = "…"): string =>
  /^-?\.?\d[\w.+-]*$/.test(cell)
    ? `such as ${name}>0`
    : /^`[\w.]*$/.test(cell)
      ? `such as ${name}=${cell}`
      : cell.endsWith("…")
        ? ""
        : `such as ${name}~\\:${cell}`

/**
 * The K of a copy uses three variables: `pagec` is the columns, `pagei` the numbers of the shown rows in their order, and `paget` the shown rows, as a
 * dictionary of the columns `c0`, `c1`, …. `columns`: their number.
 */
export const columnsCode = (path: string, layout: Layout, columns: number): string =>
  `pagec:${layout.kind === "table" ? `${columns}#${path}[]` : columns > 1 ? `+${path}` : `,${path}`}`

/** The path of the shown rows, and the names of their columns. */
export const shownPath = ".k.paget"
export const shownNames = (columns: readonly string[]): readonly string[] => columns.map((_, n) => `c${n}`)

export interface Order {
  readonly column: number
  readonly down: boolean
}

/** K that filters and sorts; its value is the number of rows. */
export const rowsCode = (columns: readonly string[], filter: string, order: Order | undefined): string => {
  const isWhole = filter.trim() === "" && order === undefined
  const names = shownNames(columns).map((name) => `\`${name}`)
  return [
    filter.trim() === "" ? "pagei:!#*pagec" : `pagei:&{[${filterNames(columns).join(";")}] ${filter}} . pagec`,
    ...(order === undefined ? [] : [`pagei:pagei@${order.down ? ">" : "<"}pagec[${order.column}][pagei]`]),
    `paget:.+((0#\`),${names.join("")};${isWhole ? "pagec" : "pagec[;pagei]"})`,
    "#pagei",
  ].join("\n")
}
