/** Random K values of every type and nesting for property tests: data, functions, and data that holds functions. All shrink. */
import * as fc from "fast-check"
import { Composition } from "../../src/k3/values/Composition.ts"
import { Lambda } from "../../src/k3/values/Lambda.ts"
import { Projection, type Applicable } from "../../src/k3/values/function.ts"
import { derive } from "../../src/k3/compile/runtime.ts"
import { char, Chars, collapse, Dict, Float, Floats, Ints, List, NIL, sym, Symbols, type Value } from "../../src/k3/values/value.ts"
import { vocabulary } from "../../src/k3/primitives/vocabulary.ts"

const int = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))
/** Floats, among them whole numbers beyond the range of an int, which print without a point. */
const double = fc.oneof(fc.double(), fc.integer({ min: -9, max: 9 }), fc.maxSafeInteger())
const name = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 6 }).map((codes) => String.fromCharCode(...codes)),
  fc.array(fc.constantFrom("a", "B", "1", "_", "."), { maxLength: 4 }).map((parts) => parts.join("")),
)
/** Symbols but `d` and `t`, which as attributes hold K code that runs. */
const symbol = name.filter((text) => text !== "d" && text !== "t").map(sym)

export const vector = fc.oneof(
  fc.array(int, { maxLength: 5 }).map((v) => new Ints(Int32Array.from(v))),
  fc.array(double, { maxLength: 5 }).map((v) => new Floats(Float64Array.from(v))),
  fc.uint8Array({ maxLength: 8 }).map((v) => new Chars(v)),
  fc.array(symbol, { maxLength: 5 }).map((v) => new Symbols(Int32Array.from(v, (s) => s.id))),
)

export const atom = fc.oneof(
  int,
  double.map((v) => new Float(v)),
  fc.integer({ min: 0, max: 255 }).map(char),
  symbol,
  fc.constant(NIL),
)

const nests = (leaf: fc.Arbitrary<Value>, list: (items: Value[]) => Value): fc.Arbitrary<Value> =>
  fc.letrec<{ value: Value; dict: Dict }>((tie) => ({
    value: fc.oneof({ maxDepth: 4, depthSize: "small" }, leaf, fc.array(tie("value"), { maxLength: 4 }).map(list), tie("dict")),
    dict: fc
      .uniqueArray(fc.tuple(symbol, tie("value"), fc.option(tie("dict"), { nil: NIL, freq: 4 })), {
        maxLength: 3,
        selector: ([key]) => key,
      })
      .map(
        (entries) =>
          new Dict(
            entries.map(([key]) => key),
            entries.map(([, value]) => value),
            entries.map(([, , attributes]) => attributes),
          ),
      ),
  })).value

/** Data, among it lists of atoms of one type that are no vectors. */
export const data = nests(fc.oneof(atom, vector), (items) => new List(items))

const verbNamed = (text: string): Applicable => vocabulary().verb(text)!
const dyads = [..."+-*%|&^!<>=~?_,#@.$", "_in", "_ss", "_dot", "0:", "4:"].map(verbNamed)
const monads = [...[..."+-*%|&^!<>=~?_,#@.$"].map((glyph) => `${glyph}:`), "::", "_abs", "_bd"].map(verbNamed)
/** Functions from K text, with their valence. They are never applied. */
const lambdas = (
  [
    ["{x}", 1],
    ["{[]1}", 0],
    ["{[a;b] a+b}", 2],
    ["{x+\n y*z}", 3],
    ['{"}",x} ', 1],
    ["{{x+1} x}", 1],
    ["{[f] f[1;;2]/x\n }", 1],
  ] as const
).map(([text, valence]) => new Lambda(text.trimEnd(), valence, () => NIL, ""))

const functions: fc.Arbitrary<Value> = fc.letrec<{ f: Applicable; nouns: Applicable[]; derived: Applicable; given: Value }>((tie) => ({
  f: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom<Applicable>(...dyads, ...monads, ...lambdas),
    tie("derived"),
    fc
      .tuple(fc.constantFrom(...dyads), tie("given"), fc.boolean())
      .map(([f, x, left]) => new Projection(f, left ? [x, undefined] : [undefined, x])),
    fc.tuple(fc.constantFrom(...dyads), tie("given")).map(([f, x]) => new Projection(f, [x, undefined], true)),
    fc.tuple(tie("given"), tie("given")).map(([x, y]) => new Projection(lambdas[3]!, [x, undefined, y])),
    fc.tuple(fc.constantFrom(...monads), fc.constantFrom(...monads, ...dyads)).map((parts) => new Composition(parts)),
    fc.tuple(fc.constantFrom(...monads), tie("derived"), tie("derived")).map((parts) => new Composition(parts)),
    // A noun before a verb would be the verb's argument, so one or more nouns are followed by a section.
    fc
      .array(
        fc.oneof(
          fc.constantFrom(...monads).map((f) => [f]),
          tie("derived").map((f) => [f]),
          tie("nouns"),
        ),
        { minLength: 2, maxLength: 3 },
      )
      .map((parts) => new Composition(parts.flat() as [Applicable, ...Applicable[]])),
  ),
  nouns: fc
    .tuple(fc.array(tie("f"), { maxLength: 2 }), fc.oneof(fc.constantFrom(...dyads), tie("derived")), tie("given"))
    .map(([nouns, f, x]) =>
      nouns.filter((each) => !(each instanceof Projection && each.section)).concat(new Projection(f, [x, undefined], true)),
    ),
  derived: fc.tuple(tie("f"), fc.constantFrom("/", "\\", "'", "/:", "\\:", "':")).map(([f, adverb]) => derive(f, adverb)),
  given: fc.oneof({ maxDepth: 2 }, atom, vector, fc.array(atom, { maxLength: 3 }).map(collapse), tie("f")),
})).f

/** Every type in every nesting, in the form that K text would give. */
export const anything = nests(fc.oneof({ weight: 3, arbitrary: fc.oneof(atom, vector) }, { weight: 1, arbitrary: functions }), collapse)
