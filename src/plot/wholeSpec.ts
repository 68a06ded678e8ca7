/**
 * A caller's Vega-Lite spec over the data of a K value. Pure; throws `PlotRefused`.
 *
 * Guarantees: transforms of the spec see every row, or the spec is refused; rows are left out only after the transforms, and extremes stay. A field
 * that no column has is refused by its name. Does not: leave out rows of several views that are not all lines; such a spec is refused when it draws
 * too many.
 */
import { categories, type Column, indexColumn } from "./Column.ts"
import { type Chart, type Json, reduction, typeOf } from "./encoding.ts"
import { columnNamed, columnsText, tableOf } from "./plan.ts"
import { fewerInViews, rowsOfTable, withRows } from "./fewerRows.ts"
import { extentOf } from "./reduce.ts"
import { PlotRefused } from "./PlotRefused.ts"
import { counted, type Data, grouped, type DrawnTable } from "./shapes.ts"
import { isObject, markName, viewFields } from "./specProblem.ts"
import { valuesText } from "./summary.ts"

/** Rows that are passed to transforms, and marks that are drawn one by one. */
const CARRIED = 100_000
const MOST_DRAWN = 20_000
/** Views of one picture: 20 by 20, of 100 pixels at most. */
const MOST_VIEWS = 400
/** Columns whose figures are in the summary. */
const MOST_TOLD = 8

/** K code that replaces a transform, or a part of an encoding. */
const inK: ReadonlyMap<string, string> = new Map([
  ["filter", "filter: x@&x>0"],
  ["calculate", "calculate: 2*x"],
  ["aggregate", "aggregate: g:=k; (?k;(+/'v@g)%#:'g) are the means of v by k"],
  ["joinaggregate", "joinaggregate: x-(+/x)%#x"],
  ["bin", "bin: b:_ x%w; (w*?b;#:'=b)"],
  ["timeUnit", "timeUnit: _ d%100 is the month of a date yyyymmdd"],
  ["window", "window: +\\x"],
  ["stack", "stack: +\\x"],
  ["sample", "sample: x@1000 _draw #x"],
  ["fold", "fold: ,/(a;b)"],
  ["regression", "regression: y _lsq (x;1.0+0*x)"],
  ["density", "density: mark histogram"],
  ["quantile", "quantile: (x@<x)@_ 0.25 0.5 0.75*#x"],
])

/** Fields of a channel that make its values from those of a column. */
const derivations = ["aggregate", "bin", "timeUnit"]
const encodings = [...derivations, "stack", "impute", "sort"]
/** Fields whose value is a view or a list of views. */
const innerFields = [...viewFields, "spec"]

/** A part of a spec as a list of objects: an object alone, those of a list and of lists in it, and none of anything else. */
const objectsIn = (part: unknown): readonly Json[] => (Array.isArray(part) ? part.flatMap(objectsIn) : isObject(part) ? [part] : [])

/** Does a field of a channel make Vega compute something of all rows? */
const computes = (key: string, value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(key === "sort" && typeof value === "string")

/** The transforms, aggregates and composite marks of a spec, which must see all rows. */
const workOf = (spec: unknown): readonly string[] =>
  objectsIn(spec).flatMap((view) => {
    const { transform, encoding } = view
    const transforms = objectsIn(Array.isArray(transform) ? transform : []).map(
      (each) => [...inK.keys()].find((key) => Object.hasOwn(each, key)) ?? Object.keys(each)[0] ?? "transform",
    )
    const channels = isObject(encoding) ? Object.values(encoding).filter(isObject) : []
    const encoded = channels.flatMap((each) => encodings.filter((key) => computes(key, each[key])))
    const inner = innerFields.flatMap((key) => workOf(view[key]))
    const marks = ["boxplot", "errorbar", "errorband"].filter((each) => each === markName(view["mark"]))
    return [transforms, encoded, inner, marks].flat()
  })

/** A spec and all objects in it. */
const allObjectsIn = (part: unknown): readonly Json[] =>
  objectsIn(part).flatMap((each) => [[each], Object.values(each).flatMap(allObjectsIn)].flat())

/** Transforms whose fields the spec does not tell. */
const untold = ["pivot", "fold", "flatten", "density", "regression", "loess", "quantile", "lookup", "repeat"]

/** The field names that transforms make; undefined when the spec does not tell them. */
const madeBy = (spec: unknown): readonly string[] | undefined => {
  const all = allObjectsIn(spec)
  if (all.some((each) => untold.some((key) => Object.hasOwn(each, key)))) return undefined
  return all.flatMap(({ as }): readonly unknown[] => (Array.isArray(as) ? as : [as])).filter((name) => typeof name === "string")
}

/** The spec with the type of its column on each encoded field that has none. `path` is the place in the spec, for errors. */
const typed = (spec: unknown, table: DrawnTable, made: readonly string[] | undefined, path: string): unknown => {
  if (Array.isArray(spec)) return spec.map((each, i) => typed(each, table, made, `${path}[${i}]`))
  if (!isObject(spec)) return spec
  // A view with its own data has its own fields.
  if (path !== "spec" && spec["data"] !== undefined && spec["data"] !== null) return spec
  return mapped(spec, (value, key) => {
    const at = `${path}.${key}`
    if (key === "encoding" && isObject(value)) return mapped(value, (each, channel) => channelOf(each, table, made, `${at}.${channel}`))
    return innerFields.includes(key) ? typed(value, table, made, at) : value
  })
}

/** The object with another value for each key. */
const mapped = (object: Json, other: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, other(value, key)]))

/** The name of a field, in which Vega-Lite wants some letters escaped. */
const nameOf = (field: string): string => field.replaceAll(/\\(.)/g, "$1")

const isLogarithmic = ({ scale }: Json): boolean => isObject(scale) && scale["type"] === "log"

const channelOf = (given: unknown, table: DrawnTable, made: readonly string[] | undefined, path: string): unknown => {
  if (Array.isArray(given)) return given.map((each, i) => channelOf(each, table, made, `${path}[${i}]`))
  if (!isObject(given)) return given
  // By default Vega stacks bars from 0, which is nowhere on a logarithmic axis, and draws none.
  const channel: Json = isLogarithmic(given) ? { stack: null, ...given } : given
  if (typeof channel["field"] !== "string") return channel
  const field = nameOf(channel["field"])
  const column = table.columns.find(({ name }) => name === field)
  if (column === undefined) {
    if (made === undefined || made.includes(field)) return channel
    throw new PlotRefused(
      `${path}.field: there is no column ${JSON.stringify(field)}; the value has ${columnsText(table)}`,
      "Name one of them, or plot code that makes it.",
    )
  }
  const isPlain = ["type", ...derivations].every((key) => channel[key] === undefined)
  return isPlain ? { ...channel, type: typeOf(column) } : channel
}

/** Makes times of the columns that the spec calls temporal. */
const withTimes = (table: DrawnTable, spec: unknown): DrawnTable => {
  const text = JSON.stringify(spec)
  const isTemporal = (name: string): boolean =>
    new RegExp(`\\{[^{}]*"field":${JSON.stringify(name).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}[^{}]*\\}`, "g")
      .exec(text)?.[0]
      .includes('"temporal"') === true
  return { ...table, columns: table.columns.map((each) => (isTemporal(each.name) ? columnNamed(table, "spec", `${each.name}:T`) : each)) }
}

/** Runs the top-level transforms of a spec over rows. */
export type Transform = (transforms: unknown, rows: readonly Json[]) => Promise<readonly Json[]>

const columnsOf = (rows: readonly Json[], table: DrawnTable): DrawnTable => {
  const names = [...new Set([...table.columns.map(({ name }) => name), ...Object.keys(rows[0] ?? {})])].filter((name) =>
    Object.hasOwn(rows[0] ?? {}, name),
  )
  const columns = names.map((name): Column => {
    const before = table.columns.find((each) => each.name === name)
    const isText = rows.some((row) => typeof row[name] === "string")
    if (isText)
      return categories(
        name,
        Array.from(rows, (row) => String(row[name])),
      )
    const values = Float64Array.from(rows, (row) => (row[name] === null ? Number.NaN : Number(row[name])))
    return { name, kind: before?.kind === "time" ? "time" : "number", values }
  })
  return { ...table, columns, rows: rows.length }
}

const allRows = (table: DrawnTable): Float64Array => indexColumn(table.rows).values

/** The columns that a channel's field names: one or none. */
const columnsNamed = (channel: unknown, { columns }: DrawnTable): readonly Column[] =>
  isObject(channel) && typeof channel["field"] === "string" && derivations.every((key) => channel[key] === undefined)
    ? columns.filter(({ name }) => name === nameOf(channel["field"] as string))
    : []

/**
 * Refuses rows that a picture cannot show: on more views than it has room for (a facet has one for each value of its field, or of two fields for
 * each pair), or on a logarithmic axis with zeros or both signs, where Vega draws all of them in one place. Views with transforms of their own are
 * not looked into.
 */
const mustFit = (spec: Json, table: DrawnTable): void => {
  if (spec["transform"] !== undefined) return
  const countOf = (views: unknown): number =>
    Array.isArray(views) ? views.length : new Set(columnsNamed(views, table)[0]?.values).size || 1
  const n = ["facet", "repeat", "row", "column", "concat", "hconcat", "vconcat"].reduce((product, key) => product * countOf(spec[key]), 1)
  if (n > MOST_VIEWS)
    throw new PlotRefused(
      `the spec has ${grouped(n)} views; at most ${MOST_VIEWS} are drawn`,
      "Facet by a field with fewer values, or take some of them in K or with a filter.",
    )
  for (const { name, values } of isLogarithmic(spec) ? columnsNamed(spec, table) : []) {
    const { least, greatest } = extentOf(values) ?? { least: 1, greatest: 1 }
    if (least <= 0 && greatest >= 0)
      throw new PlotRefused(
        `${name} has numbers that are not above 0, which a logarithmic axis cannot place`,
        `Filter them in the spec's transform (datum[${JSON.stringify(name)}] > 0) or in K, or give the scale type symlog.`,
      )
  }
  objectsIn(Object.values(spec)).forEach((each) => mustFit(each, table))
}

/** The columns along the axes on which a missing or infinite number has no place. */
const alongAxes = (spec: unknown, table: DrawnTable): readonly Column[] =>
  objectsIn(spec).flatMap((view) => {
    const { encoding } = view
    const axes = isObject(encoding) ? [encoding["x"], encoding["y"]].filter(isObject) : []
    const measured = axes.filter(({ type }) => type === "quantitative" || type === "temporal")
    return [measured.flatMap((each) => columnsNamed(each, table)), innerFields.flatMap((key) => alongAxes(view[key], table))].flat()
  })

/** The refusal of transforms over too many rows, with K that does the same. */
const tooMany = (rows: number, work: readonly string[]): PlotRefused => {
  const known = [...new Set(work)].flatMap((each) => inK.get(each) ?? [])
  return new PlotRefused(
    `the spec transforms (${[...new Set(work)].join(", ")}) ${grouped(rows)} rows, and ${grouped(CARRIED)} are carried to a transform`,
    `Do it in K, which has no such limit, and plot what it gives${known.length === 0 ? "." : `: ${known.join("; ")}.`}`,
  )
}

/** The sentence on rows of which a part is drawn. */
const fewerText = (spec: Json, { rows }: DrawnTable, drawn: number): string => {
  const views = viewFields.some((key) => Object.hasOwn(spec, key)) ? ", all views together" : ""
  return `${grouped(drawn)} of ${grouped(rows)} rows are drawn${views}: the first, least, greatest and last of each interval of x.`
}

const aggregatedText = ({ rows }: DrawnTable): string =>
  rows === 0 ? "" : `${rows === 1 ? "The only row goes" : `All ${grouped(rows)} rows go`} into its aggregates.`

/** The sentence on rows that are drawn one by one; rows without a place on an axis are not. */
const drawnText = (spec: Json, table: DrawnTable): string => {
  const axes = alongAxes(spec, table).map(({ values }) => values)
  const placed = allRows(table).filter((row) => axes.every((values) => Number.isFinite(values[row]))).length
  return table.rows === 0 ? "" : reduction({ rows: table.rows, placed, what: "row" })
}

/** The sentence on bars along a logarithmic axis. */
const barsText = (spec: Json): string => {
  const all = allObjectsIn(spec)
  const isAlong = all.some(({ x, y }) => [x, y].filter(isObject).some(isLogarithmic))
  return isAlong && all.some(({ mark }) => markName(mark) === "bar")
    ? "Bars on a logarithmic axis are not stacked, and begin at its lower end: the least may have no height. Mark point shows each row."
    : ""
}

/** The figures of a column. */
const columnText = (column: Column): string =>
  column.kind === "category"
    ? `${column.name}: ${counted(column.labels!.length, "category", "categories")}.`
    : valuesText(column, (row) => ` in row ${row}`)

/** The columns that the spec names, as a field or in an expression; all of them when it names none. A key, such as the channel `x`, names none. */
const namedIn = (given: object, { columns }: DrawnTable): readonly Column[] => {
  const text = JSON.stringify(given)
    .replaceAll(/"\w+":/g, "")
    .replaceAll("\\", "")
  const items = new Set(Array.from(text.matchAll(/\bdatum\.([\p{L}\p{N}_$]+)/gu), ([, name]) => name))
  const named = columns.filter(({ name }) => items.has(name) || text.includes(`"${name}"`) || text.includes(`'${name}'`))
  return named.length === 0 ? columns : named
}

export const wholeChart = async (given: object, data: Data, transform: Transform): Promise<Chart> => {
  const { data: _, transform: transforms, ...rest } = given as Json
  const table = withTimes(tableOf(data), rest)
  const spec = typed(rest, table, madeBy(given), "spec") as Json
  const work = workOf(given)
  const { rows } = table
  if (work.length > 0 && rows > CARRIED) throw tooMany(rows, work)
  const after = transforms === undefined ? table : columnsOf(await transform(transforms, rowsOfTable(table, allRows(table))), table)
  mustFit(spec, after)
  const isAggregated = workOf(rest).length > 0
  const isMany = !isAggregated && after.rows > MOST_DRAWN
  const fewer = isMany ? fewerInViews(spec, after) : withRows(spec, after, allRows(after))
  if (fewer === undefined)
    throw new PlotRefused(
      `the spec draws ${grouped(after.rows)} marks; at most ${grouped(MOST_DRAWN)} are drawn one by one`,
      "Leave spec out and give mark point, which draws their density, or heatmap or histogram; or aggregate or sample in the spec or in K.",
    )
  const first = markName(rest["mark"])
  return {
    mark: typeof first === "string" ? first : "spec",
    spec: fewer.spec,
    rows,
    drawn: fewer.drawn,
    summary: [
      transforms === undefined
        ? ""
        : `${counted(after.rows, "row")} ${after.rows === 1 ? "is" : "are"} left of ${grouped(rows)} after its transforms.`,
      isMany ? fewerText(spec, after, fewer.drawn) : isAggregated ? aggregatedText(after) : drawnText(spec, after),
      barsText(rest),
      ...namedIn(given, table).slice(0, MOST_TOLD).map(columnText),
    ],
  }
}
