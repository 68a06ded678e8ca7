/**
 * A column of data to draw, as numbers. Pure. Values of a category are indices into its labels; dates and times are milliseconds since 1970 in UTC;
 * NaN is missing. Does not: copy the floats of an image.
 */
import type { EngineKind } from "../engineKinds.ts"
import { k3csharpSymbol, utf8Of } from "../child/engines/letters.ts"
import { type ByType, byType, type Item } from "../child/engines/image.ts"
import { shortened } from "../shortened.ts"

export interface Column {
  readonly name: string
  readonly kind: "number" | "category" | "time"
  readonly values: Float64Array
  /** Only of a category. */
  readonly labels?: readonly string[]
  /** True when all values are whole numbers, which may be dates of K. */
  readonly whole?: boolean
}

const NULL = -(2 ** 31)
const MOST = 2 ** 31 - 1

const fromInts = (ints: Int32Array): Float64Array => {
  const values = new Float64Array(ints.length)
  for (let i = 0; i < ints.length; i++) {
    const int = ints[i]!
    values[i] = int === NULL ? Number.NaN : int === MOST ? Infinity : int === -MOST ? -Infinity : int
  }
  return values
}

export const numbers = (name: string, values: Float64Array, whole = false): Column => ({ name, kind: "number", values, whole })

export const categories = (name: string, texts: readonly string[]): Column => {
  const codes = new Map<string, number>()
  const values = new Float64Array(texts.length)
  for (const [i, text] of texts.entries()) {
    let code = codes.get(text)
    if (code === undefined) codes.set(text, (code = codes.size))
    values[i] = code
  }
  return { name, kind: "category", values, labels: [...codes.keys()] }
}

/** The column 0, 1, 2, …. Its values are made when they are first read: a histogram of many rows never reads them. */
export const indexColumn = (rows: number): Column => {
  let made: Float64Array | undefined
  return {
    name: "index",
    kind: "number",
    whole: true,
    get values() {
      return (made ??= new Float64Array(rows).map((_, row) => row))
    },
  }
}

/** The text of a string in an image. */
const lettersOf = (text: string): string => utf8Of(text) ?? text

/** The text of a symbol in an engine's image. */
export const symbolOf = (text: string, engine: EngineKind): string => (engine === "k3csharp" ? k3csharpSymbol(text) : lettersOf(text))

/** The rows of each label of a category. */
export const rowsByLabel = ({ labels, values }: Column): readonly Uint32Array[] => {
  const rows = labels!.map((): number[] => [])
  for (const [row, code] of values.entries()) rows[code]!.push(row)
  return rows.map((each) => Uint32Array.from(each))
}

const withLetters = (column: Column, letters: (text: string) => string): Column => {
  const labels = column.labels!.map(letters)
  return new Set(labels).size === labels.length
    ? { ...column, labels }
    : categories(
        column.name,
        Array.from(column.values, (code) => labels[code]!),
      )
}

const columns: Partial<ByType<Column | undefined, [name: string, engine: EngineKind]>> = {
  [-1]: ({ values }, name) => numbers(name, fromInts(values as Int32Array), true),
  [-2]: ({ values }, name) => numbers(name, values as Float64Array),
  [-3]: ({ text }, name) => withLetters(categories(name, [...text]), lettersOf),
  [-4]: ({ texts }, name, engine) => withLetters(categories(name, texts), (text) => symbolOf(text, engine)),
  0: ({ items }, name, engine) => columnOfList(name, items, engine),
}

/** The column that a vector, or a list of atoms or texts, makes; undefined for other values. */
export const columnOf = (name: string, item: Item, engine: EngineKind): Column | undefined => byType(columns, item, name, engine)

/** The text of a symbol, string or char; undefined for other values. */
export const textOf = (item: Item, engine: EngineKind): string | undefined => {
  if (item.type === 4) return symbolOf(item.text, engine)
  return item.type === 3 || item.type === -3 ? lettersOf(item.text) : undefined
}

/** The column that a list of numbers and nils, or of texts, makes; undefined for other lists. */
export const columnOfList = (name: string, items: readonly Item[], engine: EngineKind): Column | undefined => {
  if (items.length === 0) return undefined
  if (items.every(({ type }) => type === 1 || type === 2 || type === 6)) {
    const values = Float64Array.from(items, (each) =>
      each.type === 1 ? fromInts(Int32Array.of(each.value))[0]! : each.type === 2 ? each.value : Number.NaN,
    )
    return numbers(name, values)
  }
  const texts = items.map((each) => textOf(each, engine))
  return texts.every((text) => text !== undefined) ? categories(name, texts) : undefined
}

/** The column with only these rows, in this order. */
export const at = (column: Column, rows: ArrayLike<number>): Column => ({
  ...column,
  values: Float64Array.from(rows, (row) => column.values[row]!),
})

/** Letters of a label in a sentence. */
const MOST_SHOWN = 60

/** A value of a column as text. */
export const shown = ({ kind, labels }: Pick<Column, "kind" | "labels">, value: number): string => {
  if (kind === "category") return shortened(labels![value] ?? String(value), MOST_SHOWN)
  if (Number.isNaN(value)) return "missing"
  if (kind === "number") {
    const rounded = Number.isSafeInteger(value) ? value : Number(value.toPrecision(6))
    return Number.isInteger(rounded) && !Number.isSafeInteger(rounded) ? rounded.toExponential() : String(rounded)
  }
  const text = new Date(value).toISOString()
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ")
}
