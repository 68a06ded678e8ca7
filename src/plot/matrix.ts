/** A matrix as a heatmap of one image. Pure but for `Paint`. */
import { numbers } from "./Column.ts"
import type { Chart } from "./encoding.ts"
import { matrixSpec, type Paint } from "./grid.ts"
import { reduction } from "./groups.ts"
import { fewerCells } from "./reduce.ts"
import { grouped, type Matrix } from "./shapes.ts"
import { statisticsOf } from "./statistics.ts"
import { valuesText } from "./summary.ts"
import { inUnits } from "./units.ts"

const MOST_WIDE = 400
const MOST_HIGH = 300

export const matrixChart = (given: Matrix, paint: Paint): Chart => {
  const { width } = given
  const column = inUnits([numbers("value", given.values)])[0]!
  const { values } = column
  const matrix = { ...given, values }
  const statistics = statisticsOf(values)
  const fewer = fewerCells(matrix, [MOST_WIDE, MOST_HIGH], statistics.mean)
  const grid = { width: fewer.width, height: fewer.height, cells: fewer.values }
  const isCut = fewer.values !== values
  const drawn = fewer.width * fewer.height
  const cell = (i: number): string => ` at row ${Math.floor(i / width)}, column ${i % width}`
  return {
    mark: "heatmap",
    spec: matrixSpec(grid, matrix, column.name, paint),
    rows: values.length,
    drawn,
    summary: [
      isCut
        ? `${grouped(drawn)} of ${grouped(values.length)} cells are drawn: of each block the one that is farthest from the mean.`
        : reduction(values.length, values.length, "", statistics.count, "cell"),
      valuesText(column, cell),
    ],
  }
}
