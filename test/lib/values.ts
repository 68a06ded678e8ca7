/** Values of K of every type and nesting, for properties. */
import * as fc from "fast-check"
import { char, Chars, Dict, Float, Floats, Ints, List, NIL, sym, Symbols, type Value } from "../../src/k3/value.ts"

const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const double = fc.double()
/** A NUL ends a symbol's text in an image. */
const name = fc.array(fc.integer({ min: 1, max: 255 }), { maxLength: 12 }).map((codes) => String.fromCharCode(...codes))
const symbol = name.map(sym)

const vector = fc.oneof(
  fc.array(int).map((v) => new Ints(Int32Array.from(v))),
  fc.array(double).map((v) => new Floats(Float64Array.from(v))),
  fc.uint8Array().map((v) => new Chars(v)),
  fc.array(symbol).map((v) => new Symbols(Int32Array.from(v, (s) => s.id))),
)

const atom = fc.oneof(
  int,
  double.map((v) => new Float(v)),
  fc.integer({ min: 0, max: 255 }).map(char),
  symbol,
  fc.constant(NIL),
)

/** Data: no functions. */
export const data: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    atom,
    vector,
    fc.array(tie("value"), { maxLength: 6 }).map((v) => new List(v)),
    fc.uniqueArray(fc.tuple(symbol, tie("value")), { maxLength: 5, selector: ([key]) => key }).map(
      (entries) =>
        new Dict(
          entries.map(([key]) => key),
          entries.map(([, value]) => value),
          entries.map(() => NIL),
        ),
    ),
  ),
})).value
