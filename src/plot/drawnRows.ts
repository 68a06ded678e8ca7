/** The drawn rows as JSON, for a view that draws them itself (`view/chart.ts`). Pure. */
import type { Chart } from "./encoding.ts"
import { isObject } from "./specProblem.ts"

/** Characters of JSON. */
const MOST = 2_000_000

const axisOf = (channel: unknown) => {
  if (!isObject(channel) || typeof channel["field"] !== "string") return undefined
  const { field, title, type } = channel
  return { field, title: typeof title === "string" ? title : field, type: type === "ordinal" ? "nominal" : (type ?? "nominal") }
}

/** Empty for a picture whose rows have no x and y, and for too many rows. */
export const drawnRows = ({ mark, spec }: Pick<Chart, "mark" | "spec">): string => {
  const { data, encoding } = spec
  if (!isObject(data) || !Array.isArray(data["values"]) || !isObject(encoding)) return ""
  const [x, y, color] = [axisOf(encoding["x"]), axisOf(encoding["y"]), axisOf(encoding["color"])]
  if (x === undefined || y === undefined || x.type === "geojson") return ""
  const text = JSON.stringify({ mark, x, y, color, rows: data["values"] })
  return text.length > MOST ? "" : text
}
