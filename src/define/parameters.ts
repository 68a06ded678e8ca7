/**
 * The types of a defined tool's parameters: their words, their JSON Schema, and the conversion of JSON to them. Pure.
 *
 *     int  float  string  symbol  any  list (of any)  list of int  list of list of float …
 *
 * Guarantees: for a number, text that is a number, `true` or `false` is accepted; for a list, text that is JSON. A value that does not fit gives a
 * sentence with its place. Other work of the process runs while a long list is converted. Does not: make K (`toK.ts`).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { limits } from "../limits.ts"
import { exceedsLimits } from "../nesting.ts"
import { shortened } from "../shortened.ts"

export type ParameterKind = "int" | "float" | "string" | "symbol" | "any" | { readonly listOf: ParameterKind }

const kinds = ["int", "float", "string", "symbol", "any"] as const
/** Words of JSON Schema for these types. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["integer", "int"],
  ["number", "float"],
  ["boolean", "int"],
  ["bool", "int"],
  ["array", "list"],
  ["object", "any"],
])
export const parameterName = /^[A-Za-z]\w{0,31}$/
export const parameterNameRule = "a name is 1 to 32 letters, digits and _, a letter first"

/** Nesting of lists in a type, at most. */
const deepest = 4

/** The type of a text; undefined for an unknown word. */
export const kindOf = (text: string, depth = 0): ParameterKind | undefined => {
  const written = text.trim()
  const word = synonyms.get(written.replace(/s$/, "")) ?? written
  if (word === "list") return { listOf: "any" }
  const items = /^list of (.+)$/.exec(word)?.[1]
  if (items === undefined) return kinds.find((kind) => kind === word || `${kind}s` === word)
  const of = depth < deepest ? kindOf(items, depth + 1) : undefined
  return of && { listOf: of }
}

export const wordOf = (kind: ParameterKind): string => (typeof kind === "string" ? kind : `list of ${wordOf(kind.listOf)}`)

type JsonSchema = { readonly [key: string]: unknown }

const schemas: { readonly [kind in Exclude<ParameterKind, object>]: JsonSchema } = {
  int: { type: "integer" },
  float: { type: "number" },
  string: { type: "string" },
  symbol: { type: "string" },
  any: {},
}

/** The JSON Schema of a type. */
export const schemaOf = (kind: ParameterKind): JsonSchema =>
  typeof kind === "string" ? schemas[kind] : { type: "array", items: schemaOf(kind.listOf) }

/** The greatest ordinary int of K. The greater ones of 32 bits are 0N, 0I and -0I. */
export const GREATEST_INT = 2 ** 31 - 2

const number = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/
const shown = (value: unknown): string => shortened(JSON.stringify(value), 60)

const parsed = (text: string): unknown =>
  exceedsLimits(text, limits.argumentNesting)
    ? undefined
    : Result.getOrElse(
        Result.try(() => JSON.parse(text) as unknown),
        () => undefined,
      )

/** Turns a boolean, or a text of a number or boolean, into a number. Other values stay. */
const plainOf = (value: unknown): unknown => {
  if (typeof value === "boolean" || value === "true" || value === "false") return Number(String(value) === "true")
  return typeof value === "string" && number.test(value) ? Number(value) : value
}

/** Converts a JSON value to a type, or gives a sentence about the problem. `at` names the value in the sentence. */
export const fit = (kind: ParameterKind, value: unknown, at: string): Effect.Effect<unknown, string> => {
  if (typeof kind !== "string") {
    const items = typeof value === "string" ? parsed(value) : value
    if (!Array.isArray(items)) return Effect.fail(`${at} is a ${wordOf(kind)}: give an array, not ${shown(value)}`)
    return Effect.forEach(items, (item, i) => fit(kind.listOf, item, `${at}[${i}]`))
  }
  const plain = plainOf(value)
  switch (kind) {
    case "int":
      if (plain === null) return Effect.succeed(null)
      if (typeof plain !== "number" || !Number.isInteger(plain))
        return Effect.fail(`${at} is an int: give a whole number, not ${shown(value)}`)
      return Math.abs(plain) <= GREATEST_INT
        ? Effect.succeed(plain + 0)
        : Effect.fail(`${at} is an int, and K's have 32 bits: ${shown(value)} needs type float`)
    case "float":
      return plain === null || typeof plain === "number"
        ? Effect.succeed(plain)
        : Effect.fail(`${at} is a float: give a number, not ${shown(value)}`)
    case "string":
    case "symbol":
      return typeof value === "string" ? Effect.succeed(value) : Effect.fail(`${at} is a ${kind}: give text, not ${shown(value)}`)
    case "any":
      return Effect.succeed(value)
  }
}
