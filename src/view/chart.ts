/** The rows of a plot in the form that uPlot takes. Pure. */
interface Axis {
  readonly field: string
  readonly title: string
  readonly type: "quantitative" | "temporal" | "nominal"
}

type Cell = string | number | null

/** The data of `plot/drawnRows.ts`, with rows as maps. */
export interface DrawnRows {
  readonly mark: string
  readonly x: Axis
  readonly y: Axis
  readonly color?: Axis
  /** Values by field. */
  readonly rows: readonly ReadonlyMap<string, Cell>[]
}

export interface Aligned {
  /** The names of a nominal x axis; a name's index is its x. */
  readonly labels: readonly string[] | undefined
  readonly series: readonly string[]
  /** x, ascending, then a list for each series. */
  readonly columns: readonly (readonly (number | null)[])[]
}

const place = (labels: Map<string, number>, label: string): number => {
  if (!labels.has(label)) labels.set(label, labels.size)
  return labels.get(label)!
}

/** A y that is no number becomes null; rows without x are left out. */
export const aligned = ({ x, y, color, rows }: DrawnRows): Aligned => {
  const labels = new Map<string, number>()
  const isNamed = x.type === "nominal"
  const groups = color?.type === "nominal" ? color.field : undefined
  const points = rows
    .flatMap((row) => {
      const at = row.get(x.field)
      const value = row.get(y.field)
      if (at === null || at === undefined) return []
      return [
        {
          at: isNamed ? place(labels, String(at)) : x.type === "temporal" ? Number(at) / 1000 : Number(at),
          value: typeof value === "number" ? value : null,
          group: groups === undefined ? y.title : String(row.get(groups)),
        },
      ]
    })
    .sort((a, b) => a.at - b.at)
  const series = [...new Set(points.map(({ group }) => group))]
  return {
    labels: isNamed ? [...labels.keys()] : undefined,
    series,
    columns: [points.map(({ at }) => at), ...series.map((name) => points.map(({ group, value }) => (group === name ? value : null)))],
  }
}
