/**
 * Refuses a Vega-Lite spec that brings its own data, would load anything, or wants a view beyond the largest picture, before it is drawn. Pure. The
 * answer names the field and the next step.
 */
import { mostPixels } from "./Picture.ts"

/** Bounds on the depth and the number of objects, lists and values in a spec. */
const DEEPEST = 40
const MOST_PARTS = 5000

type Json = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const loads: ReadonlyMap<string, string> = new Map([
  ["url", "a spec loads nothing: its data is the value of code. Remove it"],
  ["href", "a picture has no links. Remove it"],
  ["bind", "a picture has no inputs. Remove it"],
  ["usermeta", "it is not read. Remove it"],
])

/** Fields whose number is a length in pixels, or counts parts of a view: Vega takes time and memory for each. */
const measures = /^(?:(?:continuous|discrete)?(?:width|height)|tickcount|(?:min|max)?steps)$/i

/** A list is never too much: the `steps` of `bin` are widths in the units of the data. */
const isTooMuch = (value: unknown): boolean => !Array.isArray(value) && Number(isObject(value) ? value["step"] : value) > mostPixels

/** Marks that Vega-Lite does not take without channels: it fails with an error of its own code. The others are drawn once. */
const marksOfChannels = "area boxplot errorband errorbar line rule trail".split(" ")
const marks = "arc area bar boxplot circle errorband errorbar line point rect rule square text tick trail".split(" ")

/** Fields whose lists are views. */
export const viewFields: readonly string[] = ["layer", "concat", "hconcat", "vconcat"]

/** The name in a view's mark, if it has one. */
export const markName = (mark: unknown): unknown => (isObject(mark) ? mark["type"] : mark)

/** The problem with a view's mark; undefined without one. `encodes`: the view, or one that it is a layer of, has channels. */
const markProblem = (mark: unknown, path: string, encodes: boolean): string | undefined => {
  const name = markName(mark)
  if (typeof name !== "string" || !marks.includes(name)) return `${path}.mark: it is no mark; there are ${marks.join(", ")}`
  if (encodes || !marksOfChannels.includes(name)) return undefined
  return `${path}.encoding: missing. Give it channels, such as x and y, each with the field and type of a column`
}

/** The problem with a spec; undefined when it may be drawn. */
export const specProblem = (spec: unknown): string | undefined => {
  if (!isObject(spec)) return "spec: it is no JSON object of Vega-Lite"
  const { data } = spec
  if (data !== undefined && data !== null && !(isObject(data) && Object.keys(data).every((key) => key === "name" || key === "url")))
    return "spec.data: the data is the value of code. Remove it, and name the columns that the reply to a plot without spec tells"
  if ("marks" in spec || "signals" in spec) return "spec.marks: this is Vega. Give Vega-Lite: mark and encoding"
  if (!["mark", ...viewFields, "facet", "repeat"].some((key) => Object.hasOwn(spec, key)))
    return "spec.mark: missing. Give mark and encoding, or layer, hconcat, vconcat, concat, facet or repeat"
  let parts = 0
  /** Yields each problem, in order. `around`: does the view that the value is a layer of have channels? */
  function* problemsIn(value: unknown, path: string, depth: number, around = false): Generator<string | undefined, void> {
    if (depth > DEEPEST || ++parts > MOST_PARTS) yield `${path.slice(0, 200)}: the spec is too large or nested too deeply. Make it simpler`
    if (Array.isArray(value)) for (const [i, each] of value.entries()) yield* problemsIn(each, `${path}[${i}]`, depth + 1, around)
    if (!isObject(value)) return
    const encodes = around || Object.hasOwn(value, "encoding")
    for (const [key, each] of Object.entries(value)) {
      const why = loads.get(key)
      if (why !== undefined) yield `${path}.${key}: ${why}`
      if (viewFields.includes(key) && Array.isArray(each) && each.length === 0)
        yield `${path}.${key}: it holds no view. Give it one, with mark and encoding`
      if (measures.test(key) && !/\.data\b/.test(path) && isTooMuch(each))
        yield `${path}.${key}: it is more than a picture has pixels. Give at most ${mostPixels}`
      // A sort names a channel as its encoding, and rows have fields of any name.
      const isView = !/\.(?:config|params|encoding|data)\b/.test(path)
      if (isView && key === "encoding" && !isObject(each)) yield `${path}.encoding: it is no JSON object of channels`
      yield* problemsIn(each, `${path}.${key}`, depth + 1, key === "layer" && encodes)
      if (isView && key === "mark") yield markProblem(each, path, encodes)
    }
  }
  for (const problem of problemsIn(spec, "spec", 0)) if (problem !== undefined) return problem
  return undefined
}
