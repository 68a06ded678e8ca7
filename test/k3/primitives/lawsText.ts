/** Values of K as they are written, for laws that are said in K: extreme numbers, numbers that are nearly equal, nulls and empties. All shrink. */
import * as fc from "fast-check"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { runs } from "../../fuzz/scale.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

type Text = fc.Arbitrary<string>

const int: Text = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map(String),
  fc.integer({ min: -2147483647, max: 2147483647 }).map(String),
  fc.constantFrom("0N", "0I", "-0I", "2147483646", "-2147483646", "1073741824", "46341", "65536"),
)

/** A float with all its digits. */
export const floatText = (v: number): string => {
  if (Number.isNaN(v)) return "0n"
  if (!Number.isFinite(v)) return v < 0 ? "-0i" : "0i"
  const text = Object.is(v, -0) ? "-0" : String(v)
  return /[.e]/.test(text) ? text : `${text}.0`
}

/** Around small fractions and large wholes, some a few roundings or less than the tolerance apart. */
export const double = fc.oneof(
  fc.integer({ min: -40, max: 40 }).map((n) => n / 4),
  fc.integer({ min: -40, max: 40 }).map((n) => n / 10),
  fc.tuple(fc.integer({ min: -9, max: 9 }), fc.constantFrom(1e-15, -1e-15, 1e-14, -1e-14, 1e-12, -1e-12)).map(([n, e]) => n * (1 + e)),
  fc.double(),
  fc.constantFrom(1e15, -1e15, 1e16, 2147483647, 2147483648, -2147483648, 1e-300, -1e-300, 1e308, 1999999999.9999, 123456789.99999),
)
export const float: Text = double.map(floatText)
export { int }

const vectorOf = (item: Text, empty: string, maxLength: number): Text =>
  fc
    .array(item, { maxLength })
    .map((items) => (items.length === 0 ? empty : items.length === 1 ? `(,${items[0]!})` : `(${items.join(" ")})`))
export const ints = vectorOf(int, "(!0)", 12)
export const floats = vectorOf(float, "(0#0.0)", 12)
export const number: Text = fc.oneof(int, float).map((text) => `(${text})`)
export const numbers: Text = fc.oneof(ints, floats)

/** Not empty: adverbs make `()` of any vector without items. */
export const someNumbers = numbers.filter((text) => !/^\((?:!0|0#0\.0)\)$/.test(text))

const quoted = (codes: readonly number[]): string => `"${codes.map((c) => `\\${c.toString(8).padStart(3, "0")}`).join("")}"`
const char = fc.integer({ min: 0, max: 255 }).map((c) => quoted([c]))
export const string: Text = fc
  .array(fc.constantFrom(97, 98, 99, 0, 255), { maxLength: 8 })
  .map((codes) => (codes.length === 1 ? `(,${quoted(codes)})` : quoted(codes)))
const symbol = fc.constantFrom("`a", "`b", "`ab", "`", "`a.b", '`"x y"')
const symbols = vectorOf(symbol, "(0#`)", 8)

/** Vectors of every type, lists of them and of atoms, lists in lists. */
const { list } = fc.letrec<{ value: string; list: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, number, char, symbol, ints, floats, string, symbols, fc.constant("_n"), tie("list")),
  list: fc.array(tie("value"), { maxLength: 5 }).map((items) => (items.length === 1 ? `(,${items[0]!})` : `(${items.join(";")})`)),
}))
export const sequence: Text = fc.oneof(ints, floats, string, symbols, list)
export const anything: Text = fc.oneof(number, char, symbol, sequence)

/** Laws are about `x`, `y` and `z`; all digits are shown, so that a difference in the last digit shows. */
const host = memoryHost()
const interpreter = makeInterpreter(host, { steps: 1e6 })
interpreter.evaluate("\\p 17")

/** The output of K text, or the name of its error. */
export const printed = (code: string): string => {
  const failure = interpreter.evaluate(code)
  const text = host.take()
  return failure === undefined ? text : `'${failure.name}`
}

export const assign = (values: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(values)) interpreter.evaluate(`${name}:${value}`)
}

/** A law over assigned values: both sides print the same, errors by their name. */
export const holds = (values: Readonly<Record<string, Text>>, ...laws: readonly (readonly [left: string, right: string])[]): void => {
  fc.assert(
    fc.property(fc.record(values), (given) => {
      assign(given)
      for (const [left, right] of laws) {
        const [a, b] = [printed(left), printed(right)]
        if (a !== b) throw new Error(`${JSON.stringify(given)}\n${left} prints ${a}${right} prints ${b}`)
      }
    }),
    runs(30),
  )
}
