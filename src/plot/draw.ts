/**
 * Draws the image of a K value. Guarantees: the same value and request give the same pixels on every machine; a value or spec that cannot be drawn
 * fails with `PlotRefused`. Does not: limit its own time; the server kills the process that runs it.
 */
import { initWasm, Resvg } from "@resvg/resvg-wasm"
import { type Item, itemOf } from "../child/engines/image.ts"
import { chartOf, multiplesChart } from "./charts.ts"
import { type Column, numbers } from "./Column.ts"
import { DEEPEST, describedIn } from "./described.ts"
import type { Chart, Json } from "./encoding.ts"
import { matrixChart } from "./grid.ts"
import { longestSentence, marks, mostBytes, type Picture, type PictureRequest } from "./Picture.ts"
import { planOf } from "./plan.ts"
import { type Deflate, pngOf } from "./png.ts"
import { PlotRefused } from "./PlotRefused.ts"
import { shortened } from "../shortened.ts"
import { type Data, dataOf, grouped } from "./shapes.ts"
import { statisticsOf } from "./statistics.ts"
import { drawnRows } from "./drawnRows.ts"
import { ramp, svgOf, transformed } from "./svg.ts"
import { wholeChart } from "./wholeSpec.ts"

/** The library functions and files that drawing needs. */
export interface Materials {
  readonly deflate: Deflate
  /** TrueType: the letters of Latin-1, and the other letters of the same family. */
  readonly font: Uint8Array
  readonly others: readonly Uint8Array[]
  /** The WebAssembly module of resvg. */
  readonly wasm: Uint8Array
}

/** Characters. A longer SVG has too many marks to be rendered in time. */
const LONGEST_SVG = 12 * 1024 ** 2

const utf8 = new TextEncoder()

/** Letters that the first font lacks. Dashes, quotation marks and the minus sign are in the first font. */
const beyondLatin1 = /[^\0-\xff\u2000-\u206f\u2212]/
/** Letters that all fonts lack. */
const lacking = /[^\0-\u024f\u0374-\u03ff\u0400-\u04ff\u1e00-\u1ffe\u2000-\u206f\u2074\u20a0-\u20c0\u2116\u2122\u2191\u2193\u2212\u2215]/gu
const MOST_LETTERS = 20

const boxesText = (svg: string): string => {
  const shown = (svg.match(/<text[^>]*>[^<]*/g) ?? []).join("")
  const letters = [...new Set(shown.match(lacking))]
  if (letters.length === 0) return ""
  const more = letters.length > MOST_LETTERS ? `, and ${letters.length - MOST_LETTERS} more` : ""
  return `Drawn as boxes, for the font has Latin, Greek and Cyrillic letters alone: ${letters.slice(0, MOST_LETTERS).join(" ")}${more}.`
}

let resvg: Promise<void> | undefined
/** Compiles the rasteriser, once. The compilation runs on other threads. */
export const prepare = ({ wasm }: Materials): Promise<void> => (resvg ??= initWasm(wasm))

/** Runs a step of resvg. A spec can make Vega write an SVG without a size, or one that is invalid in another way. */
const painted = <A>(work: () => A): A => {
  try {
    return work()
  } catch (error) {
    throw new PlotRefused(`the picture cannot be painted: ${(error as Error).message ?? String(error)}`, "Mend the spec, or leave it out.")
  }
}

const rastered = async (svg: string, { width: wanted, height: most }: PictureRequest, materials: Materials) => {
  await prepare(materials)
  // Resvg reads the fonts again for each picture, so the others are given only when they are needed.
  const fontBuffers = beyondLatin1.test(svg) ? [materials.font, ...materials.others] : [materials.font]
  const font = { fontBuffers, defaultFontFamily: "Inter", sansSerifFamily: "Inter" }
  const drawnAt = (value: number | undefined) =>
    new Resvg(svg, { background: "white", font, ...(value !== undefined && { fitTo: { mode: "width", value } }) })
  const first = painted(() => drawnAt(undefined))
  const scale = Math.min(1, wanted / first.width, most / first.height)
  const sized = scale < 1 ? drawnAt(Math.max(1, Math.floor(first.width * scale))) : first
  const image = sized.render()
  const { width, height } = image
  const rgba = image.pixels.slice()
  image.free()
  if (sized !== first) first.free()
  sized.free()
  return { width, height, rgba }
}

/** Refuses data that would give an empty frame. */
const mustHaveNumbers = (columns: readonly Column[]): void => {
  if (columns.length > 0 && columns.every(({ kind, values }) => kind !== "category" && statisticsOf(values).count === 0))
    throw new PlotRefused(`${columns.map(({ name }) => name).join(", ")}: none of its values is a number`, "Look at it with k_inspect.")
}

const chartOfData = (data: Data, request: PictureRequest, { deflate }: Materials): Chart | Promise<Chart> => {
  const paint = { deflate, ramp }
  if (request.spec !== undefined) return wholeChart(request.spec, data, transformed)
  const { mark, x, y, color } = request
  const isWhole = x === undefined && y === undefined && color === undefined
  if (data.shape === "matrix" && isWhole && (mark ?? "heatmap") === "heatmap") {
    mustHaveNumbers([numbers("value", data.values)])
    return matrixChart(data, paint)
  }
  if (data.shape === "multiples" && isWhole) return multiplesChart(data, request, paint)
  const plan = planOf(data, request)
  mustHaveNumbers([plan.x])
  mustHaveNumbers(plan.y)
  const chart = chartOf(plan, paint)
  const undrawn = plan.undrawn.length === 0 ? [] : [`Not drawn: ${plan.undrawn.slice(0, 10).join(", ")}; name one as y or color.`]
  return { ...chart, summary: [...chart.summary, ...undrawn] }
}

/** Adds the description in the value to the request; the request's own fields win. */
const asDescribed = (item: Item, request: PictureRequest): readonly [Item, PictureRequest] => {
  const described = describedIn(item, request.engine)
  if (described === undefined) return [item, request]
  const { mark, ...said } = described.said
  const known = marks.find((each) => each === mark)
  if (mark !== undefined && known === undefined) throw new PlotRefused(`there is no mark ${mark}`, `There are ${marks.join(", ")}.`)
  const asked = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as unknown as PictureRequest
  const { spec } = request
  return [described.data, { ...(spec === undefined ? { ...said, mark: known } : { title: said.title }), ...asked }]
}

export const draw = async (image: Uint8Array, given: PictureRequest, materials: Materials): Promise<Picture> => {
  const value = itemOf(image, DEEPEST)
  if (value === undefined) throw new PlotRefused("the value cannot be read", "Give a vector, a matrix, or a dictionary of vectors.")
  const [item, request] = asDescribed(value, given)
  const data = dataOf(item, request.engine)
  const { spec, mark, rows, drawn, summary } = await chartOfData(data, request, materials)
  const titled: Json = request.title === undefined ? spec : { ...spec, title: request.title }
  const svg = await svgOf(titled, request, request.spec === undefined ? "us" : "caller")
  if (svg.length > LONGEST_SVG)
    throw new PlotRefused(
      `the picture has too many marks: its SVG takes ${grouped(svg.length)} characters`,
      "Aggregate in K or in the spec, or give mark heatmap or histogram.",
    )
  const pixels = await rastered(svg, request, materials)
  const { png, exact } = pngOf(pixels, materials.deflate, mostBytes)
  const told = [
    `${mark[0]!.toUpperCase()}${mark.slice(1)} of ${data.what}.`,
    ...summary,
    boxesText(svg),
    exact ? "" : "Its colours are near, not exact: the PNG would be too large. The SVG has them.",
  ]
  return {
    mark,
    rows,
    drawn,
    summary: told.filter((each) => each !== "").map((each) => shortened(each, longestSentence)),
    png,
    svg: utf8.encode(svg),
    data: utf8.encode(drawnRows({ mark, spec })),
    width: pixels.width,
    height: pixels.height,
  }
}
