/**
 * Heatmaps of a matrix, and of the density of rows: a grid of values as one image mark, with axes and a legend. Pure but for `Paint`. The image has a
 * pixel for each cell, and is enlarged without smoothing.
 */
import { type Column, numbers, shown } from "./Column.ts"
import { type Chart, type Json, reduction } from "./encoding.ts"
import { type Deflate, pngOf } from "./png.ts"
import { extentOf, type Extent, fewerCells, type Grid, gridOf, sharesIn } from "./reduce.ts"
import { PlotRefused } from "./PlotRefused.ts"
import { counted, grouped, type Matrix } from "./shapes.ts"
import { statisticsOf } from "./statistics.ts"
import { placed, valuesText } from "./summary.ts"
import { inUnits } from "./units.ts"

export interface Paint {
  readonly deflate: Deflate
  /** The colour of a share from 0 to 1, as `rgb(0, 0, 0)`. */
  readonly ramp: (share: number) => string
}

const LEVELS = 128

const base64 = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** The grid as a PNG in a `data:` address. `curve` takes a share of the extent to a share of the colours. */
const urlOf = ({ width, height, cells }: Grid, extent: Extent, curve: (share: number) => number, paint: Paint): string => {
  const colours = Array.from({ length: LEVELS }, (_, i) =>
    paint
      .ramp(i / (LEVELS - 1))
      .match(/\d+/g)!
      .map(Number),
  )
  const rgba = new Uint8Array(4 * cells.length).fill(255)
  const shareOf = sharesIn(extent)
  for (const [i, cell] of cells.entries()) {
    if (cell - cell !== 0) continue
    const share = curve(extent.greatest > extent.least ? shareOf(cell) : 1)
    rgba.set(colours[Math.round(share * (LEVELS - 1))]!, 4 * i)
  }
  return `data:image/png;base64,${base64(pngOf({ width, height, rgba }, paint.deflate).png)}`
}

/** One axis of the grid: its scale, and the labels of a category along it. */
interface Side {
  readonly title: string
  readonly column?: Column
  readonly extent: Extent
  /** True: values grow from the top down. */
  readonly reverse?: boolean
}

/** Texts as the literal of a list in Vega's expression language: nothing in a text is read as code. */
const inExpression = (texts: readonly string[]): string =>
  JSON.stringify(texts).replaceAll(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)

const channel = (field: string, { title, column, extent, reverse }: Side): Json => {
  const labels = column?.kind === "category" ? column.labels : undefined
  return {
    field,
    type: column?.kind === "time" ? "temporal" : "quantitative",
    title,
    scale: { domain: [extent.least, extent.greatest], nice: false, zero: false, ...(reverse === true && { reverse }) },
    axis: {
      grid: false,
      labelOverlap: true,
      ...((column === undefined || column.whole === true) && { tickMinStep: 1 }),
      ...(labels !== undefined && {
        values: labels.map((_, i) => i),
        labelExpr: `${inExpression(labels)}[datum.value]`,
        labelLimit: 120,
      }),
    },
  }
}

interface Painted {
  readonly grid: Grid
  readonly x: Side
  readonly y: Side
  readonly legend: string
  readonly scale: "linear" | "sqrt"
}

const layersOf = ({ grid, x, y, legend, scale }: Painted, paint: Paint): Json => {
  const found = extentOf(grid.cells)
  if (found === undefined) throw new PlotRefused("none of the cells has a number", "Look at the value with k_inspect.")
  const extent = scale === "sqrt" ? { least: 0, greatest: found.greatest } : found
  const url = urlOf(grid, extent, scale === "sqrt" ? Math.sqrt : (share) => share, paint)
  const corners = { x: x.extent.least, x2: x.extent.greatest, y: y.extent.least, y2: y.extent.greatest, url }
  return {
    layer: [
      {
        data: { values: [corners] },
        mark: { type: "image", aspect: false, smooth: false },
        encoding: { x: channel("x", x), x2: { field: "x2" }, y: channel("y", y), y2: { field: "y2" }, url: { field: "url" } },
      },
      {
        // An invisible layer that carries the legend.
        data: { values: [{ value: extent.least }, { value: extent.greatest }] },
        mark: { type: "point", opacity: 0 },
        encoding: {
          color: {
            field: "value",
            type: "quantitative",
            title: legend,
            scale: { scheme: "viridis", type: scale, domain: [extent.least, extent.greatest], zero: false },
          },
        },
      },
    ],
  }
}

/** The most cells that are drawn of a matrix. */
const MOST_WIDE = 400
const MOST_HIGH = 300

/** A heatmap of a matrix, its first row at the top. */
export const matrixChart = (given: Matrix, paint: Paint): Chart => {
  const { width, height } = given
  const column = inUnits([numbers("value", given.values)])[0]!
  const { values } = column
  const statistics = statisticsOf(values)
  const fewer = fewerCells({ width, height, values }, [MOST_WIDE, MOST_HIGH], statistics.mean)
  const grid = { width: fewer.width, height: fewer.height, cells: fewer.values }
  const sides = {
    x: { title: "column", extent: { least: -0.5, greatest: width - 0.5 } },
    y: { title: "row", extent: { least: -0.5, greatest: height - 0.5 }, reverse: true },
  }
  const isCut = fewer.values !== values
  const drawn = fewer.width * fewer.height
  const cell = (i: number): string => ` at row ${Math.floor(i / width)}, column ${i % width}`
  return {
    mark: "heatmap",
    spec: layersOf({ grid, ...sides, legend: column.name, scale: "linear" }, paint),
    rows: values.length,
    drawn,
    summary: [
      isCut
        ? `${grouped(drawn)} of ${grouped(values.length)} cells are drawn: of each block the one that is farthest from the mean.`
        : reduction({ rows: values.length, placed: statistics.count, what: "cell" }),
      valuesText(column, cell),
    ],
  }
}

/** The extent and the number of cells along one axis; a category has a cell for each label. */
const cutOf = (column: Column, cells: number) => {
  if (column.kind === "category") {
    const n = column.labels!.length
    if (n > 2 * cells)
      throw new PlotRefused(`${column.name} has ${grouped(n)} categories; at most ${2 * cells} are drawn`, "Take some of them in K first.")
    return { extent: { least: -0.5, greatest: n - 0.5 }, cells: n }
  }
  const extent = extentOf(column.values)
  if (extent === undefined) throw new PlotRefused(`${column.name} has no number`, "Look at it with k_inspect.")
  return {
    extent: extent.least === extent.greatest ? { least: extent.least - 0.5, greatest: extent.least + 0.5 } : extent,
    cells,
  }
}

/** The cells of a density. */
const WIDE = 140
const HIGH = 90

/** A heatmap of the number of rows in each cell, or of the mean of a third column there. */
export const densityChart = (x: Column, y: Column, color: Column | undefined, paint: Paint): Chart => {
  const axes = [cutOf(x, WIDE), cutOf(y, HIGH)] as const
  const grid = gridOf(x.values, y.values, axes, color?.values)
  const full = grid.cells.filter((cell) => !Number.isNaN(cell))
  const fullest = grid.cells.indexOf(full.reduce((a, b) => Math.max(a, b), -Infinity))
  const sides = { x: { title: x.name, column: x, extent: axes[0].extent }, y: { title: y.name, column: y, extent: axes[1].extent } }
  const legend = color === undefined ? "rows" : `mean ${color.name}`
  const rows = x.values.length
  const centre = (column: Column, { extent: { least, greatest }, cells }: (typeof axes)[number], cell: number): string => {
    if (column.kind === "category") return column.labels![cell]!
    const share = (cell + 0.5) / cells
    const value = least * (1 - share) + greatest * share
    return column.kind === "time" ? shown(column, value) : String(Number(value.toPrecision(4)))
  }
  const fullestText = (): string => {
    const [column, up] = [fullest % grid.width, grid.height - 1 - Math.floor(fullest / grid.width)]
    const place = `${x.name} ${centre(x, axes[0], column)}, ${y.name} ${centre(y, axes[1], up)}`
    return `${color === undefined ? "Fullest" : "Greatest"} cell: ${Number(grid.cells[fullest]!.toPrecision(6))} near ${place}.`
  }
  return {
    mark: "heatmap",
    spec: layersOf({ grid, ...sides, legend, scale: color === undefined ? "sqrt" : "linear" }, paint),
    rows,
    drawn: full.length,
    summary: [
      `${grid.placed < rows ? `${grouped(grid.placed)} of ` : ""}${counted(rows, "row")} as ${color === undefined ? "density" : legend} in ${grid.width} by ${grid.height} cells, of which ${grouped(full.length)} ${full.length === 1 ? "is" : "are"} not empty.`,
      fullest < 0 ? "" : fullestText(),
      ...[x, y].filter(({ kind }) => kind !== "category").map((each) => valuesText(each, each === y ? placed(x) : () => "")),
    ],
  }
}
