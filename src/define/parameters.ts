/**
 * What a parameter of a defined tool may be: the words for it, its JSON Schema, and JSON made fit for it. Pure.
 *
 *     int  float  string  symbol  any  list (of any)  list of int  list of list of float …
 *
 * Guarantees: text that is a number, `true` or `false` is taken where a number is wanted, and text that is JSON where a list is; what does not fit is a
 * sentence that says where. Does not: know K; see `toK.ts`.
 */
import * as Result from "effect/Result"
import { shortened } from "../shortened.ts"

export type Kind = "int" | "float" | "string" | "symbol" | "any" | { readonly listOf: Kind }

const kinds = ["int", "float", "string", "symbol", "any"] as const
/** JSON Schema's words for the same. */
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

/** Lists in lists that a type may name. */
const deepest = 4

/** Undefined for what is no type. */
export const kindOf = (text: string, depth = 0): Kind | undefined => {
  const written = text.trim()
  const word = synonyms.get(written.replace(/s$/, "")) ?? written
  if (word === "list") return { listOf: "any" }
  const items = /^list of (.+)$/.exec(word)?.[1]
  if (items === undefined) return kinds.find((kind) => kind === word || `${kind}s` === word)
  const of = depth < deepest ? kindOf(items, depth + 1) : undefined
  return of && { listOf: of }
}

export const wordOf = (kind: Kind): string => (typeof kind === "string" ? kind : `list of ${wordOf(kind.listOf)}`)

/** As a client is told what to give. */
export const schemaOf = (kind: Kind): { readonly [key: string]: unknown } => {
  if (typeof kind !== "string") return { type: "array", items: schemaOf(kind.listOf) }
  switch (kind) {
    case "int":
      return { type: "integer" }
    case "float":
      return { type: "number" }
    case "string":
    case "symbol":
      return { type: "string" }
    case "any":
      return {}
  }
}

/** The greatest int that is none of K's own: 0N, 0I and -0I take the others of 32 bits. */
export const GREATEST_INT = 2 ** 31 - 2

const number = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/
const shown = (value: unknown): string => shortened(JSON.stringify(value), 60)

const parsed = (text: string): unknown =>
  Result.getOrElse(
    Result.try(() => JSON.parse(text) as unknown),
    () => undefined,
  )

/** A number where a number may be meant: a boolean or a text is taken for one, `true` in either spelling. */
const plainOf = (value: unknown): unknown => {
  if (typeof value === "boolean" || value === "true" || value === "false") return Number(String(value) === "true")
  return typeof value === "string" && number.test(value) ? Number(value) : value
}

/** The value as it is to be written in K, or what is wrong with it; `at` names it in the sentence. */
export const fit = (kind: Kind, value: unknown, at: string): Result.Result<unknown, string> => {
  if (typeof kind !== "string") {
    const items = typeof value === "string" ? parsed(value) : value
    if (!Array.isArray(items)) return Result.fail(`${at} is a ${wordOf(kind)}: give an array, not ${shown(value)}`)
    return Result.all(items.map((item, i) => fit(kind.listOf, item, `${at}[${i}]`)))
  }
  const plain = plainOf(value)
  switch (kind) {
    case "int":
      if (plain === null) return Result.succeed(null)
      if (typeof plain !== "number" || !Number.isInteger(plain))
        return Result.fail(`${at} is an int: give a whole number, not ${shown(value)}`)
      return Math.abs(plain) <= GREATEST_INT
        ? Result.succeed(plain + 0)
        : Result.fail(`${at} is an int, and K's have 32 bits: ${shown(value)} needs type float`)
    case "float":
      return plain === null || typeof plain === "number"
        ? Result.succeed(plain)
        : Result.fail(`${at} is a float: give a number, not ${shown(value)}`)
    case "string":
    case "symbol":
      return typeof value === "string" ? Result.succeed(value) : Result.fail(`${at} is a ${kind}: give text, not ${shown(value)}`)
    case "any":
      return Result.succeed(value)
  }
}
