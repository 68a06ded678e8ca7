/**
 * Schemas that several requests share. Their types are those of `session/` and `child/`, which load no schema for them; the compiler checks that a
 * schema fits its type. Fields that only a later version of a peer knows are dropped. Does not: notice an optional field of a type that its schema
 * lacks; such a field does not cross.
 */
import * as Schema from "effect/Schema"
import { engineKinds } from "../../engineKinds.ts"
import type { Difference, Lost, Variable } from "../../child/Contents.ts"
import type { Comparison } from "../../session/builds/compare.ts"
import type { RunResult } from "../../session/builds/Scratch.ts"

export const { Boolean: flag, Finite: number, String: text, Struct: struct, Literals: oneOf, Array: list, NullOr: nullOr } = Schema
export const kind = Schema.Literal
/** The field may be absent. */
export const maybe = Schema.optionalKey
/** The field may be absent or undefined. */
export const orNone = Schema.optional
export const pair = Schema.Tuple([number, number])

export const Engine = oneOf(engineKinds)

const LostOne: Schema.Codec<Lost> = struct({ path: text, why: text })
export const losses = list(LostOne)

export const VariableOf: Schema.Codec<Variable> = struct({
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
  before: Schema.UndefinedOr(VariableOf),
  after: Schema.UndefinedOr(VariableOf),
})

export const OutcomeOf: Schema.Codec<RunResult> = struct({
  how: oneOf(["answered", "deadline", "died", "refused"]),
  printed: text,
  error: maybe(text),
  why: maybe(text),
  ms: number,
})
const changed = nullOr(list(DifferenceOf))

export const comparisonFields = {
  items: number,
  differing: number,
  expected: maybe(struct({ items: number, a: number, b: number })),
  unanswered: number,
  fallen: number,
  ms: struct({ a: number, b: number }),
  rows: list(struct({ name: text, code: text, expected: maybe(text), a: OutcomeOf, b: OutcomeOf, differ: flag })),
  left: number,
  missing: maybe(struct({ a: losses, b: losses })),
  changes: maybe(struct({ a: changed, b: changed })),
}
export const ComparisonOf: Schema.Codec<Comparison> = struct(comparisonFields)
