/**
 * The data that can be drawn of a K value, by this table. Pure.
 *
 * | K                                                   | data                                                     |
 * | --------------------------------------------------- | -------------------------------------------------------- |
 * | vector of numbers                                   | columns `index`, `value`                                 |
 * | vector of symbols, list of strings                  | the column `value`, categories                           |
 * | two vectors of one length                           | columns `x`, `y`                                         |
 * | names and as many columns: `` (`a`b;(1 2;3 4)) ``   | columns of those names                                   |
 * | other vectors of one length, all numbers            | a matrix: `row`, `column`, `value`                       |
 * | the same with a vector of symbols among them        | columns `c0`, `c1`, …                                    |
 * | dictionary of vectors of one length                 | columns of its names                                     |
 * | dictionary of vectors of other lengths              | small multiples: `name`, `index`, `value`                |
 * | dictionary of atoms                                 | columns `name`, `value`                                  |
 *
 * A column of ints that are all dates (yyyymmdd) is a column of times. Guarantees: a value without data is refused with K code that makes some.
 */
import type { EngineKind } from "../engineKinds.ts"
import type { DictionaryItem, Item, ListItem } from "../child/engines/image.ts"
import { categories, type Column, columnOf, columnOfList, indexColumn, symbolOf } from "./Column.ts"
import { withDates } from "./times.ts"
import { PlotRefused } from "./PlotRefused.ts"

export interface Matrix {
  readonly shape: "matrix"
  readonly what: string
  readonly height: number
  readonly width: number
  /** Row by row. */
  readonly values: Float64Array
}

export interface DrawnTable {
  readonly shape: "table"
  readonly what: string
  readonly columns: readonly Column[]
  readonly rows: number
}

export interface Multiples {
  readonly shape: "multiples"
  readonly what: string
  readonly parts: readonly Column[]
}

export type Data = Matrix | DrawnTable | Multiples

/** A number with its noun: "1 row", "2 rows". */
export const counted = (n: number, noun: string, nouns = `${noun}s`): string => `${grouped(n)} ${n === 1 ? noun : nouns}`

export const grouped = (n: number): string => String(n).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")

const empty = (): PlotRefused => new PlotRefused("there are no rows: the value is empty", "Look at it with k_inspect, or plot other code.")

const table = (what: string, columns: readonly Column[]): DrawnTable => {
  const rows = columns.at(-1)!.values.length
  if (rows === 0) throw empty()
  return { shape: "table", what, columns, rows }
}

const asVector = (column: Column): DrawnTable =>
  column.kind === "category"
    ? table(counted(column.values.length, "category", "categories"), [column])
    : table(`a vector of ${grouped(column.values.length)}`, [indexColumn(column.values.length), column])

const sameLength = (columns: readonly Column[]): boolean => columns.every(({ values }) => values.length === columns[0]!.values.length)

/** A column for each name; undefined when an item makes none. */
const columnsOf = (names: readonly string[], items: readonly Item[], engine: EngineKind): readonly Column[] | undefined => {
  const columns = items.map((item, i) => columnOf(names[i]!, item, engine))
  return columns.every((each) => each !== undefined) ? columns : undefined
}

/** The columns of a list `(names; columns)`; undefined for other lists. */
const named = ([names, columns]: readonly Item[], engine: EngineKind): readonly Column[] | undefined => {
  const labels = names === undefined ? undefined : columnOf("names", names, engine)
  if (labels?.kind !== "category" || columns?.type !== 0 || columns.items.length !== labels.values.length) return undefined
  const found = columnsOf(
    Array.from(labels.values, (code) => labels.labels![code]!),
    columns.items,
    engine,
  )
  // A list of names and as many texts is two columns, not names with columns.
  return found !== undefined && sameLength(found) && columns.items.every(({ type }) => type <= 0) ? found : undefined
}

const matrixOf = (columns: readonly Column[]): Matrix => {
  const [height, width] = [columns.length, columns[0]!.values.length]
  const values = new Float64Array(height * width)
  for (const [i, row] of columns.entries()) values.set(row.values, i * width)
  return { shape: "matrix", what: `a matrix of ${grouped(height)} by ${grouped(width)}`, height, width, values }
}

const ofList = (list: ListItem, engine: EngineKind): Data | undefined => {
  const { items } = list
  const whole = columnOf("value", list, engine)
  if (whole !== undefined) return asVector(whole)
  const names = items.length === 2 ? named(items, engine) : undefined
  if (names !== undefined) return table(counted(names.length, "column"), names.map(withDates))
  const columns = columnsOf(items.length === 2 ? ["x", "y"] : items.map((_, i) => `c${i}`), items, engine)
  if (columns === undefined || columns.length === 0) return undefined
  if (!sameLength(columns))
    throw new PlotRefused(
      `the vectors of the list differ in length: ${columns
        .slice(0, 8)
        .map(({ values }) => values.length)
        .join(", ")}`,
      "Give them one length, or a dictionary of them, which is drawn as small multiples: .+(`a`b;(1 2 3;4 5))",
    )
  if (columns.length === 2) return table("a pair of vectors", columns.map(withDates))
  if (columns.every(({ kind }) => kind === "number") && columns[0]!.values.length > 0) return matrixOf(columns)
  return table(counted(columns.length, "column"), columns.map(withDates))
}

const ofDictionary = (dictionary: DictionaryItem, engine: EngineKind): Data | undefined => {
  // Of entries with one key, K finds the last.
  const entries = new Map(dictionary.items.map(({ items: [key, value] }) => [symbolOf(key.text, engine), value] as const))
  const [names, items] = [[...entries.keys()], [...entries.values()]]
  if (names.length === 0) return undefined
  if (items.every(({ type }) => type === 1 || type === 2))
    return table("a dictionary of atoms", [categories("name", names), columnOfList("value", items, engine)!])
  const columns = columnsOf(names, items, engine)
  if (columns === undefined) return undefined
  if (sameLength(columns)) return table(`a dictionary of ${counted(columns.length, "column")}`, columns.map(withDates))
  if (columns.some(({ kind }) => kind !== "number"))
    throw new PlotRefused("its columns differ in length, and one is of symbols", "Give all one length, or take numbers alone.")
  return { shape: "multiples", what: `a dictionary of ${columns.length} vectors`, parts: columns.filter(({ values }) => values.length > 0) }
}

const kinds = new Map([
  [1, "one int"],
  [2, "one float"],
  [3, "one char"],
  [4, "one symbol"],
  [5, "a dictionary that holds more than vectors"],
  [6, "nil"],
  [10, "a function"],
  [0, "a list that holds more than vectors"],
])

/** The data in a value; throws `PlotRefused` for a value that has none. */
export const dataOf = (item: Item, engine: EngineKind): Data => {
  const found = item.type === 5 ? ofDictionary(item, engine) : item.type === 0 ? ofList(item, engine) : ofVector(item, engine)
  if (found !== undefined) return found
  if ((item.type === 0 || item.type === 5) && item.items.length === 0) throw empty()
  throw new PlotRefused(
    `the value is ${kinds.get(item.type) ?? "nothing"}, which has no points to draw`,
    "Give a vector, two vectors (x;y), a matrix, names and columns (`a`b;(1 2;3 4)), or a dictionary of vectors.",
  )
}

const ofVector = (item: Item, engine: EngineKind): Data | undefined => {
  const column = columnOf("value", item, engine)
  return column && asVector(column)
}
