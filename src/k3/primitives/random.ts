/**
 * `n _draw m`: random numbers.
 *
 * Guarantees: the same numbers for the same seed (`\r`), on every machine. The generator is mulberry32: a counter stepped by the golden
 * ratio and scrambled, of period 2^32, its state the kernel's `seed`.
 * Does not: give Kx's own sequence, whose generator is not on record; serve cryptography.
 */
import { alloc, filledBy, inBlocks } from "../run/budget.ts"
import type { Dyad, Kernel } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { unfit, wrongType } from "../run/mismatch.ts"
import { Floats, INF_INT, Ints, isAtom, NULL_INT } from "../values/value.ts"
import { intsBelow } from "./enumerate.ts"
import type { SystemRow } from "./Row.ts"
import { checkRank, take } from "./take.ts"

/** The next 32 bits, unsigned. */
const next = (k: Kernel): number => {
  k.seed = (k.seed + 0x6d2b79f5) | 0
  let z = k.seed
  z = Math.imul(z ^ (z >>> 15), z | 1)
  z ^= z + Math.imul(z ^ (z >>> 7), z | 61)
  return (z ^ (z >>> 14)) >>> 0
}

const unit = 2 ** -32
const below = (m: number, k: Kernel): number => Math.floor(next(k) * unit * m)

/** n different ints below m: the first n of a shuffle. */
const withoutRepetition = (n: number, m: number, k: Kernel): Int32Array => {
  if (n > m) throw new KError("length", { what: "draw", below: m })
  return m <= 16 * n ? shuffled(n, m, k) : sparselyShuffled(n, m, k)
}

const shuffled = (n: number, m: number, k: Kernel): Int32Array => {
  const all = intsBelow(m)
  inBlocks(n, (i) => {
    const j = i + below(m - i, k)
    ;[all[i], all[j]] = [all[j]!, all[i]!]
  })
  return all.slice(0, n)
}

/** The same shuffle, storing only the places that moved. */
const sparselyShuffled = (n: number, m: number, k: Kernel): Int32Array => {
  const moved = new Map<number, number>()
  alloc(64 * n)
  return filledBy(new Int32Array(n), (i) => {
    const j = i + below(m - i, k)
    const item = moved.get(j) ?? j
    moved.set(j, moved.get(i) ?? i)
    moved.delete(i)
    return item
  })
}

/** A float from 0 up to 1, with 53 random bits. */
const fraction = (k: Kernel): number => ((next(k) >>> 5) * 2 ** 26 + (next(k) >>> 6)) * 2 ** -53

const flat = (n: number, y: number, k: Kernel): Floats | Ints => {
  if (y === 0) return new Floats(filledBy(new Float64Array(n), () => fraction(k)))
  return new Ints(y > 0 ? filledBy(new Int32Array(n), () => below(y, k)) : withoutRepetition(n, -y, k))
}

const draw: Dyad = (x, y, k) => {
  if (typeof y !== "number") throw unfit(isAtom(y) ? "type" : "rank", "the right of _draw is an int", y)
  if (typeof x !== "number" && x.t !== -1) throw wrongType("the left of _draw is a count or a shape, of ints", x)
  const shape = typeof x === "number" ? Int32Array.of(x) : x.v
  checkRank(shape)
  if (shape.some((n) => n < 0)) throw new KError("domain", "a negative count")
  const n = shape.reduce((a, b) => a * b, 1)
  if (n > INF_INT) throw new KError("wsfull")
  if (y === NULL_INT) throw new KError("domain", "0N is no number to draw from")
  alloc(8 * n)
  return typeof x === "number" ? flat(n, y, k) : take(x, flat(n, y, k))
}

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_draw", valence: 2, name: "draw", class: "math", run: draw, fresh: true,
    doc: "x random numbers, x being a count or a shape: ints below y, different ones below -y when y is negative, floats below 1 for 0.",
    words: "rand random roll deal shuffle",
    examples: [["#5 _draw 10", "5"], ["x:6 _draw -6\nx[<x]", "0 1 2 3 4 5"], ["^2 3 _draw 0", "2 3"]] },
]
