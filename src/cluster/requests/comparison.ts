/** The schema of a comparison between machines. */
import * as Schema from "effect/Schema"
import type { Comparison } from "../../session/builds/compare.ts"
import type { Outcome } from "../../session/builds/Scratch.ts"
import { DifferenceOf, flag, list, losses, maybe, nullOr, number, oneOf, struct, text } from "./shapes.ts"

export const OutcomeOf: Schema.Codec<Outcome> = struct({
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
