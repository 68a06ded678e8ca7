/** Random JSON values, and the JSON of a value after its way through K. */
import * as fc from "fast-check"

const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 12 }), fc.string({ unit: "binary-ascii", maxLength: 12 }))
/** A symbol holds no NUL. */
const key = fc.string({ unit: "grapheme", maxLength: 6 }).filter((each) => !each.includes("\0"))

export const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.constant(null),
    fc.boolean(),
    fc.array(fc.integer({ min: -1000, max: 1000 }), { maxLength: 4 }),
    fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)), { maxLength: 4 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
})).value

/** True and false are 1 and 0 in K, and JSON writes -0 as 0. */
export const asRead = (value: unknown): unknown => {
  if (typeof value === "boolean") return Number(value)
  if (Array.isArray(value)) return value.map(asRead)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asRead(each)]))
}
