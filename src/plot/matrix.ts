/** A matrix as a heatmap of one image. Pure but for `Paint`. */
import type { Chart } from "./encoding.ts"
import { matrixSpec, type Paint } from "./grid.ts"
import { fewerCells } from "./reduce.ts"
import { grouped, type Matrix } from "./shapes.ts"
import { statisticsOf } from "./statistics.ts"
import { valuesText } from "./summary.ts"

const MOST_WIDE = 400
const MOST_HIGH = 300

export const matrixChart = (matrix: Matrix, paint: Paint): Chart => {
  const { width, values } = matrix
  const { mean } = statisticsOf(values)
  const fewer = fewerCells(matrix, [MOST_WIDE, MOST_HIGH], mean)
  const grid = { width: fewer.width, height: fewer.height, cells: fewer.values }
  const isCut = fewer.values !== values
  const drawn = fewer.width * fewer.height
  const cell = (i: number): string => ` at row ${Math.floor(i / width)}, column ${i % width}`
  return {
    mark: "heatmap",
    spec: matrixSpec(grid, matrix, paint),
    rows: values.length,
    drawn,
    summary: [
      isCut
        ? `${grouped(drawn)} of ${grouped(values.length)} cells are drawn: of each block the one that is farthest from the mean.`
        : `All ${grouped(values.length)} cells are drawn.`,
      valuesText({ name: "value", kind: "number", values }, cell),
    ],
  }
}
