/**
 * The six adverbs, as what they do with one, two or more arguments.
 *
 * Guarantees: loops pay into the budget, results are collapsed as K does, and a verb over a typed vector that `fold.ts` knows runs there.
 * Does not: decide how adverbs bind (`parser.ts`) or print (`function.ts`).
 *
 * A function of one argument is iterated by over and scan; one of two is folded.
 */
import { tick } from "./budget.ts"
import { applyDot, call, call1, call2 } from "./apply.ts"
import { Applicable, isMonadic, Lambda, Verb, type Adverb } from "./function.ts"
import { KError } from "./KError.ts"
import type { Kernel } from "./kernel.ts"
import {
  fastEachBoth,
  fastEachLeft,
  fastEachPrior,
  fastEachRight,
  fastOver,
  fastOverFrom,
  fastScan,
  fastScanFrom,
} from "./primitives/fold.ts"
import { matrixProduct } from "./primitives/matrixProduct.ts"
import { match } from "./primitives/match.ts"
import { Results } from "./Results.ts"
import { collapse, count, EMPTY_LIST, Float, isAtom, item, List, type Value, type Vector } from "./value.ts"

type Items = Vector | List

/**
 * A verb that is applied with both arguments and needs no kernel of its own to be recognised by `fold.ts`. `{+/x*y}` is `_dot` in the words
 * in which K's matrix product is written.
 */
const glyphOf = (f: Value): string | undefined =>
  f instanceof Verb && f.dyad !== undefined ? f.text : f instanceof Lambda && f.text === "{+/x*y}" ? "_dot" : undefined

const itemsOf = (x: Value): Items => x as Items

// Over and scan

/** What over gives for an empty list, of ints (or of nothing) and of floats. */
const identities: Record<string, readonly [number, number]> = { "+": [0, 0], "*": [1, 1], "|": [0, -Infinity], "&": [1, Infinity] }

const identity = (f: Value, x: Items): Value => {
  const glyph = glyphOf(f)
  if (glyph === ",") return EMPTY_LIST
  const known = glyph === undefined || x.t < -2 ? undefined : identities[glyph]
  if (known === undefined) throw new KError("length", "the function has no identity to give for an empty list")
  return x.t === -2 ? new Float(known[1]) : known[0]
}

const fold = (f: Value, start: Value, x: Items, from: number, k: Kernel): Value => {
  let result = start
  const n = x.v.length
  if (f instanceof Applicable) {
    for (let i = from; i < n; i++) {
      tick()
      result = f.call2(result, item(x, i), k)
    }
    return result
  }
  for (let i = from; i < n; i++) {
    tick()
    result = call2(f, result, item(x, i), k)
  }
  return result
}

const converge = (f: Value, x: Value, k: Kernel, seen: (x: Value) => void): Value => {
  let last = x
  for (;;) {
    tick()
    const next = call1(f, last, k)
    if (match(next, last) || match(next, x)) return last
    seen(next)
    last = next
  }
}

/** `n f/x` and `g f/x`: a number of times, or while g says so. */
const repeat = (f: Value, times: Value, x: Value, k: Kernel, seen: (x: Value) => void): Value => {
  if (typeof times === "number") {
    for (let i = 0; i < times; i++) {
      tick()
      seen((x = call1(f, x, k)))
    }
    return x
  }
  if (!(times instanceof Applicable)) throw new KError("type", "the left of an iterated function is a number or a condition")
  for (;;) {
    tick()
    const go = times.call1(x, k)
    if (typeof go !== "number") throw new KError("type")
    if (go === 0) return x
    seen((x = call1(f, x, k)))
  }
}

const ignore = (): void => {}

/** The lengths of the arguments agree, atoms extending; -1 when all are atoms. */
const commonLength = (args: readonly Value[]): number => {
  let n = -1
  for (const a of args)
    if (!isAtom(a)) {
      if (n >= 0 && count(a) !== n) throw new KError("length")
      n = count(a)
    }
  return n
}
const rowOf = (args: readonly Value[], i: number): Value[] => args.map((a) => (isAtom(a) ? a : item(itemsOf(a), i)))

const over: Adverb = {
  text: "/",
  one(f, x, k) {
    if (f instanceof List) return applyDot(f, x, k)
    if (isMonadic(f)) return converge(f, x, k, ignore)
    if (isAtom(x)) return x
    const glyph = glyphOf(f)
    const fast = glyph === undefined ? undefined : fastOver(glyph, x)
    if (fast !== undefined) return fast
    const items = itemsOf(x)
    return items.v.length === 0 ? identity(f, items) : fold(f, item(items, 0), items, 1, k)
  },
  two(f, x, y, k) {
    if (isMonadic(f)) return repeat(f, x, y, k, ignore)
    if (isAtom(y)) return call2(f, x, y, k)
    const glyph = glyphOf(f)
    if (glyph === "," && count(y) === 0 && isAtom(x)) return collapse([x])
    const fast = glyph === undefined ? undefined : fastOverFrom(glyph, x, y)
    return fast ?? fold(f, x, itemsOf(y), 0, k)
  },
  many(f, args, k) {
    const rest = args.slice(1)
    const n = commonLength(rest)
    if (n < 0) return call(f, args, k)
    let result = args[0]!
    for (let i = 0; i < n; i++) {
      tick()
      result = call(f, [result, ...rowOf(rest, i)], k)
    }
    return result
  },
}

const scan: Adverb = {
  text: "\\",
  one(f, x, k) {
    if (f instanceof List && isAtom(x)) return x
    if (isMonadic(f)) {
      const out = [x]
      converge(f, x, k, (next) => out.push(next))
      return collapse(out)
    }
    if (isAtom(x)) return x
    const glyph = glyphOf(f)
    const fast = glyph === undefined ? undefined : fastScan(glyph, x)
    if (fast !== undefined) return fast
    const items = itemsOf(x)
    const n = items.v.length
    if (n === 0) return x
    const out = new Array<Value>(n)
    out[0] = item(items, 0)
    for (let i = 1; i < n; i++) {
      tick()
      out[i] = call2(f, out[i - 1]!, item(items, i), k)
    }
    return collapse(out)
  },
  two(f, x, y, k) {
    if (isMonadic(f)) {
      const out = [y]
      repeat(f, x, y, k, (next) => out.push(next))
      return collapse(out)
    }
    if (isAtom(y)) return call2(f, x, y, k)
    if (count(y) === 0) return x
    const glyph = glyphOf(f)
    const fast = glyph === undefined ? undefined : fastScanFrom(glyph, x, y)
    if (fast !== undefined) return fast
    const items = itemsOf(y)
    const out = new Array<Value>(items.v.length + 1)
    out[0] = x
    for (let i = 1; i < out.length; i++) {
      tick()
      out[i] = call2(f, out[i - 1]!, item(items, i - 1), k)
    }
    return collapse(out)
  },
  many(f, args, k) {
    const rest = args.slice(1)
    const n = commonLength(rest)
    if (n < 0) return call(f, args, k)
    const out = new Array<Value>(n + 1)
    out[0] = args[0]!
    for (let i = 0; i < n; i++) {
      tick()
      out[i + 1] = call(f, [out[i]!, ...rowOf(rest, i)], k)
    }
    return collapse(out)
  },
}

// Each

/** What `f` gives for each of n places. */
const gathered = (n: number, f: (i: number) => Value): Value => {
  const out = new Results(n)
  for (let i = 0; i < n; i++) {
    tick()
    out.add(f(i))
  }
  return out.value()
}

const eachPair = (f: Value, x: Value, y: Value, k: Kernel): Value => {
  if (isAtom(x) && isAtom(y)) return call2(f, x, y, k)
  const n = isAtom(x) ? count(y) : count(x)
  if (!isAtom(x) && !isAtom(y) && count(y) !== n) throw new KError("length")
  const glyph = glyphOf(f)
  const fast = glyph === undefined ? undefined : fastEachBoth(glyph, x, y)
  return fast ?? gathered(n, (i) => call2(f, isAtom(x) ? x : item(itemsOf(x), i), isAtom(y) ? y : item(itemsOf(y), i), k))
}

const each: Adverb = {
  text: "'",
  one(f, x, k) {
    if (f instanceof Verb && f.dyad !== undefined && f.text.length === 1)
      throw new KError("valence", `${f.text}' takes two arguments; ${f.text}:' takes one`)
    if (isAtom(x)) return call1(f, x, k)
    const items = itemsOf(x)
    const n = items.v.length
    const out = new Results(n)
    if (f instanceof Applicable)
      for (let i = 0; i < n; i++) {
        tick()
        out.add(f.call1(item(items, i), k))
      }
    else
      for (let i = 0; i < n; i++) {
        tick()
        out.add(call1(f, item(items, i), k))
      }
    return out.value()
  },
  two: eachPair,
  many(f, args, k) {
    const n = commonLength(args)
    return n < 0 ? call(f, args, k) : gathered(n, (i) => call(f, rowOf(args, i), k))
  },
}

const onlyTwo = (): Value => {
  throw new KError("valence")
}

/** Each-right and each-left: one argument goes item by item, the other is the same each time. */
const eachOf = (text: string, right: boolean, quick: (glyph: string, x: Value, y: Value) => Value | undefined): Adverb => ({
  text,
  one: (f, x, k) => each.one(f, x, k),
  two(f, x, y, k) {
    const through = right ? y : x
    if (isAtom(through)) return call2(f, x, y, k)
    const glyph = glyphOf(f)
    const fast = glyph === undefined ? undefined : quick(glyph, x, y)
    if (fast !== undefined) return fast
    const items = itemsOf(through)
    return gathered(items.v.length, right ? (i) => call2(f, x, item(items, i), k) : (i) => call2(f, item(items, i), y, k))
  },
  many: onlyTwo,
})
const eachRight = eachOf("/:", true, fastEachRight)
const eachLeft = eachOf("\\:", false, (glyph, x, y) => (glyph === "_dot" ? matrixProduct(x, y) : fastEachLeft(glyph, x, y)))

const eachPrior: Adverb = {
  text: "':",
  one(f, x, k) {
    if (isAtom(x)) return call2(f, x, x, k)
    const glyph = glyphOf(f)
    const fast = glyph === undefined ? undefined : fastEachPrior(glyph, x)
    if (fast !== undefined) return fast
    return pairs(f, [], itemsOf(x), k)
  },
  two: (f, x, y, k) => (isAtom(y) ? x : pairs(f, [x], itemsOf(y), k)),
  many: onlyTwo,
}

const pairs = (f: Value, out: Value[], x: Items, k: Kernel): Value => {
  for (let i = 1; i < x.v.length; i++) {
    tick()
    out.push(call2(f, item(x, i), item(x, i - 1), k))
  }
  return collapse(out)
}

/** By their text. */
export const adverbs: Readonly<Record<string, Adverb>> = {
  "/": over,
  "\\": scan,
  "'": each,
  "/:": eachRight,
  "\\:": eachLeft,
  "':": eachPrior,
}
