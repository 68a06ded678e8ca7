/** The compiler lets a variable keep the ownership of a value that is only passed to a `fresh` verb, so the word must be true. */
import { describe, expect, it } from "vitest"
import { TreeEvaluator } from "../../../src/k3/interpreter/TreeEvaluator.ts"
import { systemNames } from "../../../src/k3/primitives/systemTable.ts"
import { verbs } from "../../../src/k3/primitives/table.ts"
import { Char, chars, collapse, Dict, Float, Floats, List, NIL, sym, type Value } from "../../../src/k3/values/value.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

const samples = (): Value[] => [
  5,
  new Float(1.5),
  new Char(97),
  sym("a"),
  collapse([3, 1, 2]),
  collapse([1]),
  new Floats(Float64Array.of(2.5, 1)),
  chars("abc"),
  collapse([sym("a"), sym("b")]),
  new List([collapse([1, 2]), collapse([3, 4])]),
  new List([collapse([1, 2]), chars("ab")]),
  new List([]),
  new Dict([sym("a")], [collapse([1, 2])], [NIL]),
  // Of longer vectors a part may be a view.
  collapse(Array.from({ length: 100 }, (_, i) => i % 7)),
  new Floats(Float64Array.from({ length: 100 }, (_, i) => i / 8)),
  chars("abcd".repeat(25)),
  collapse(Array.from({ length: 100 }, (_, i) => sym(`s${i % 9}`))),
  new List(Array.from({ length: 20 }, () => collapse(Array.from({ length: 20 }, (_, i) => i)))),
  new Dict([sym("a"), sym("b")], [collapse(Array.from({ length: 20 }, (_, i) => i)), 1], [NIL, NIL]),
]

/** Everything below a value that could be changed in place. */
const parts = (x: Value, out: Set<unknown> = new Set()): Set<unknown> => {
  if (typeof x === "number" || (x.t > 0 && x.t !== 5)) return out
  out.add(x)
  if (x instanceof Dict) for (const entries of [x.keys, x.values, x.attributes]) if (entries.length > 0) out.add(entries)
  if (x instanceof Dict) for (const v of x.values) parts(v, out)
  else if (x.t === 0) for (const v of x.v) parts(v, out)
  else if ((x as Floats).v.length > 0) out.add((x as Floats).v.buffer)
  return out
}
const sharesWith = (x: Value, y: Value): boolean => {
  const mine = parts(x)
  return [...parts(y)].some((part) => mine.has(part))
}

const kernel = new TreeEvaluator(memoryHost())
const attempt = (run: () => Value): Value => {
  try {
    return run()
  } catch {
    return 0
  }
}

describe("a fresh verb's result shares nothing with its arguments", () => {
  const rows = [...verbs, ...systemNames].filter((row) => row.valence !== 0 && row.valence !== 3 && row.fresh === true)
  it.each(rows.map((row) => [`${row.glyph} ${row.name}`, row] as const))("%s", (_, row) => {
    for (const x of samples())
      if (row.valence === 1)
        expect(
          sharesWith(
            x,
            attempt(() => row.run(x, kernel)),
          ),
        ).toBe(false)
      else if (row.valence === 2)
        for (const y of samples()) {
          const result = attempt(() => row.run(x, y, kernel))
          expect(sharesWith(x, result) || sharesWith(y, result)).toBe(false)
        }
  })
})
