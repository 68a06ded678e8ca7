/**
 * What several requests speak of, as it crosses between machines. The types are those of `session/` and `child/`, which load no schema for
 * them; the compiler holds the two together. Of a later version of a peer, fields that are not known here are dropped.
 */
import * as Schema from "effect/Schema"
import type { Difference, Lost, Variable } from "../../child/Contents.ts"

export const { Boolean: flag, Finite: number, String: text, Struct: struct, Literals: oneOf, Array: list, NullOr: nullOr } = Schema
export const kind = Schema.Literal
/** May be absent. */
export const maybe = Schema.optionalKey
/** May be absent, or undefined. */
export const orNone = Schema.optional
export const pair = Schema.Tuple([number, number])

export const Engine = oneOf(["k3csharp", "embedded"])

const LostOne: Schema.Codec<Lost> = struct({ path: text, why: text })
export const losses = list(LostOne)

export const VariableLook: Schema.Codec<Variable> = struct({
  path: text,
  type: number,
  shape: text,
  bytes: number,
  text,
  image: orNone(text),
  attributes: orNone(text),
  why: orNone(text),
})

export const DifferenceOf: Schema.Codec<Difference> = struct({
  path: text,
  before: Schema.UndefinedOr(VariableLook),
  after: Schema.UndefinedOr(VariableLook),
})
