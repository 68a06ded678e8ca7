/**
 * Collects short vectors of one type, or lists of such vectors, as parts of one vector: a value for each would take several times its items, and most
 * of the time that making it takes goes to collecting garbage.
 *
 * Does not: take anything else. The caller asks `fits` before `add`.
 */
import { transfer } from "../run/budget.ts"
import { IntsWriter, type Parts } from "./Parts.ts"
import { List, vector, vectorOf, type Value, type Vector } from "./value.ts"

/** Bytes of a vector, and items of a list, that are collected. */
const SHORT = 256
const FEW = 64
/** Items that are collected, so that places are ints. */
const MOST = 2 ** 30

/** The ends of the parts so far, after a 0. */
const beginning = (): IntsWriter => {
  const ends = new IntsWriter()
  ends.add(0)
  return ends
}
const between = ({ v, n }: IntsWriter): Pick<Parts, "starts" | "ends"> => ({ starts: v.subarray(0, n - 1), ends: v.subarray(1, n) })

const isShort = (x: Value): x is Vector => typeof x !== "number" && x.t < 0 && (x as Vector).v.byteLength <= SHORT

class Vectors {
  private readonly ends = beginning()
  private n = 0
  private items: Vector["v"]
  constructor(private readonly t: Vector["t"]) {
    this.items = vectorOf(t, SHORT).v
  }

  /** The number of vectors. */
  get count(): number {
    return this.ends.n - 1
  }

  fits(x: Value): boolean {
    return isShort(x) && x.t === this.t && this.n < MOST
  }

  add(x: Value): void {
    const { v } = x as Vector
    const n = this.n + v.length
    if (n > this.items.length) this.items = transfer(vectorOf(this.t, 2 * n).v, 0, this.items, 0, this.n)
    transfer(this.items, this.n, v)
    this.n = n
    this.ends.add(n)
  }

  parts(): Parts {
    return { of: vector(this.t, this.items.subarray(0, this.n)), ...between(this.ends) }
  }
}

class Lists {
  private readonly ends = beginning()
  constructor(private readonly of: Vectors) {}

  fits(x: Value): boolean {
    return x instanceof List && x.length > 0 && x.length <= FEW && x.v.every((item) => this.of.fits(item))
  }

  add(x: Value): void {
    for (const item of (x as List).v) this.of.add(item)
    this.ends.add(this.of.count)
  }

  parts(): Parts {
    return { of: this.of.parts(), ...between(this.ends) }
  }
}

export type PartsWriter = Vectors | Lists

/** A writer for values like x, when these can be collected. */
export const partsWriter = (x: Value): PartsWriter | undefined => {
  const first = x instanceof List && x.length > 0 ? x.at(0) : x
  if (!isShort(first)) return undefined
  const vectors = new Vectors(first.t)
  return first === x ? vectors : new Lists(vectors)
}
