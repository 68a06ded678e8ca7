/**
 * Draws a Vega-Lite spec as SVG. Guarantees: nothing is loaded; no expression of a caller's spec runs as JavaScript (Vega's own interpreter evaluates
 * it); the same spec gives the same SVG. An error, or a grave warning, of Vega becomes a `PlotRefused` that quotes it.
 */
import * as vega from "vega"
import { expressionInterpreter } from "vega-interpreter"
import { compile } from "vega-lite"
import type { Json } from "./encoding.ts"
import { PlotRefused } from "./PlotRefused.ts"
import { isObject } from "./specProblem.ts"
import { active } from "../visible.ts"

export interface Size {
  readonly width: number
  readonly height: number
}

/** Without descriptions for screen readers, in which Vega-Lite runs a title with a line end, or with `\"`, as an expression. */
const configOf = ({ width, height }: Size): Json => ({
  font: "Inter",
  background: "white",
  padding: 12,
  aria: false,
  mark: { aria: false },
  title: { fontWeight: "normal", fontSize: 15, anchor: "middle", limit: width },
  axisX: { titleLimit: width },
  axisY: { titleLimit: height },
  axis: { titleFontWeight: "normal", titleFontSize: 12, labelFontSize: 11, gridColor: "#e6e6e6", domainColor: "#888", tickColor: "#888" },
  legend: { titleFontWeight: "normal", titleFontSize: 12, labelFontSize: 11 },
  view: { stroke: "#ddd" },
})

const IMAGE = "data:image/png;base64,"

/** Loads nothing; images of the picture's own data are allowed. */
const closed: vega.Loader = {
  load: () => Promise.reject(new Error("a spec loads nothing")),
  sanitize: (uri) => (uri.startsWith(IMAGE) ? Promise.resolve({ href: uri }) : Promise.reject(new Error("a spec loads nothing"))),
}

/** A logger that keeps errors and warnings. Vega calls its methods on another object, so they do not use `this`. */
const listenerOf = () => {
  const [errors, warnings]: [string[], string[]] = [[], []]
  const keep =
    (said: string[]) =>
    (...words: readonly unknown[]): vega.Logger => {
      said.push(words.join(" "))
      return logger
    }
  const pass = (): vega.Logger => logger
  const logger: vega.Logger = { level: pass, error: keep(errors), warn: keep(warnings), info: pass, debug: pass }
  return { logger, errors, warnings }
}

const fix = "Mend that field of spec, or leave spec out and give mark, x and y. Vega-Lite's reference has the fields there are."

const refused = (problem: string, said: string): PlotRefused => new PlotRefused(`${problem}: ${said.replace(/\.$/, "")}`, fix)

/** The author of a spec's expressions. A caller's are never run as JavaScript; ours are, which is faster. */
export type Author = "caller" | "us"

const viewOf = (spec: object, author: Author, logger: vega.Logger): vega.View => {
  try {
    const compiled = compile(spec, { logger }).spec
    const options = { renderer: "none", loader: closed, logger } as const
    return author === "us"
      ? new vega.View(vega.parse(compiled), options)
      : new vega.View(vega.parse(compiled, null, { ast: true }), { ...options, expr: expressionInterpreter })
  } catch (error) {
    throw refused("Vega-Lite cannot take the spec", (error as Error).message)
  }
}

const many = ["concat", "hconcat", "vconcat", "facet", "repeat"]

/** A spec with several views has no single size; facets in an encoding are views, too. */
const isComposed = (spec: Json): boolean =>
  many.some((key) => Object.hasOwn(spec, key)) || /"(?:row|column|facet)":\{/.test(JSON.stringify(spec["encoding"] ?? {}))

const sizedParts = (spec: Json, { width, height }: Size): Json => {
  const { concat, columns } = spec
  if (!Array.isArray(concat) || typeof columns !== "number") return spec
  const [across, down] = [columns, Math.ceil(concat.length / columns)]
  const size = { width: Math.max(40, Math.floor(width / across) - 75), height: Math.max(30, Math.floor(height / down) - 80) }
  return { ...spec, concat: concat.map((each: Json): Json => Object.assign({}, size, each)) }
}

const sized = (spec: Json, size: Size): Json => {
  const told = { ...spec, config: { ...configOf(size), ...(isObject(spec["config"]) && spec["config"]) } }
  return isComposed(spec) ? sizedParts(told, size) : { ...size, autosize: { type: "fit", contains: "padding" }, ...told }
}

/** Warnings after which the picture would lack a part of the spec. */
const isGrave = (warning: string): boolean =>
  /Invalid (?:field type|specification|channel)|is not a valid|not a valid transform|Unknown|non-linear scale \(log/i.test(warning)

const draw = async <A>(spec: object, author: Author, work: (view: vega.View) => Promise<A>): Promise<A> => {
  const { logger, errors, warnings } = listenerOf()
  const view = viewOf(spec, author, logger)
  try {
    const done = await work(view)
    const said = errors[0] ?? warnings.find(isGrave)
    if (said !== undefined) throw refused("Vega says of the spec", said)
    return done
  } catch (error) {
    if (error instanceof PlotRefused) throw error
    // An error that Vega reports first is the cause.
    throw refused("Vega cannot draw the spec", errors[0] ?? (error as Error).message)
  } finally {
    view.finalize()
  }
}

/** Characters that XML cannot hold, beside those of `active`. */
const noCharacters = /[\ufffe\uffff]/g

export const svgOf = async (spec: Json, size: Size, author: Author): Promise<string> => {
  const svg = await draw(sized(spec, size), author, (view) => view.toSVG())
  // Renderers of SVG know only the older of the two CSS words for "do not smooth".
  return svg
    .replaceAll(/image-rendering: optimizeSpeed;\s*image-rendering: pixelated;?/g, "image-rendering: optimizeSpeed;")
    .replaceAll(active, "\ufffd")
    .replaceAll(noCharacters, "\ufffd")
}

/** The rows after the transforms of a spec. */
export const transformed = (transform: unknown, rows: readonly Json[]): Promise<readonly Json[]> =>
  draw({ data: { name: "rows", values: rows }, transform, mark: "point", encoding: {} }, "caller", async (view) => {
    await view.runAsync()
    return (view.data("data_0") as readonly Json[]).map((row): Json => Object.assign({}, row))
  })

export const ramp = (share: number): string => vega.scheme("viridis")(share)
