/**
 * The six adverbs, with one, two or more arguments.
 *
 * Guarantees: loops pay into the budget, results are collapsed as K does, and a verb uses the fast path of its row if it has one.
 *
 * Does not: bind adverbs to verbs (`parser.ts`) or print them (`function.ts`).
 *
 * Over and scan iterate a function of one argument, and fold a function of two.
 */
import { push, tick } from "./budget.ts"
import { applyDot, call, call1, call2 } from "./apply.ts"
import { Applicable, isMonadic } from "../values/function.ts"
import { Lambda } from "../values/Lambda.ts"
import { Verb } from "../values/Verb.ts"
import { Derived, type Adverb } from "../values/Derived.ts"
import { commonLength, extended } from "./extend.ts"
import type { Kernel } from "./kernel.ts"
import { KError } from "./KError.ts"
import { intOf, surplus, wrongType } from "./mismatch.ts"
import type { DyadRow, FastPaths } from "../primitives/Row.ts"
import { verbOfIdiom } from "../primitives/vocabulary.ts"
import { match } from "../values/match.ts"
import { gathered } from "./Results.ts"
import { holding } from "./roots.ts"
import { collapse, count, Float, isAtom, item, List, type Value, type Vector } from "../values/value.ts"

/** The dyadic row of a verb, or of a function that is an idiom for a verb. */
const verbRow = (f: Value): DyadRow | undefined => (f instanceof Verb ? f.rows.dyad : f instanceof Lambda ? verbOfIdiom(f.text) : undefined)

const NONE: FastPaths = {}
const fastPathsOf = (f: Value): FastPaths => verbRow(f)?.fast ?? NONE

/** The result of over for an empty list. */
const identity = (f: Value, x: Vector | List): Value => {
  const known = x.t < -2 ? undefined : verbRow(f)?.identity?.[x.t === -2 ? 1 : 0]
  if (known === undefined) throw new KError("length", "the function has no identity to give for an empty list")
  return x.t === -2 ? new Float(known) : known
}

/** `s f/x` over the items from an index on. */
const fold = (f: Value, start: Value, x: Vector | List, from: number, k: Kernel): Value => {
  let result = start
  for (let i = from; i < x.v.length; i++) {
    tick()
    result = call2(f, result, item(x, i), k)
  }
  return result
}

/** `s f\x` over the items from an index on. */
const foldSteps = (f: Value, start: Value, x: Vector | List, from: number, k: Kernel): Value => {
  let result = start
  return gathered(1 + x.v.length - from, (i) => (i === 0 ? start : (result = call2(f, result, item(x, from + i - 1), k))))
}

type Seen = (x: Value) => void
const ignore: Seen = () => {}

/** `f/x`: repeats f until its result equals the one before it, or x. */
const converge = (f: Value, x: Value, k: Kernel, seen = ignore): Value => {
  let last = x
  for (;;) {
    tick()
    const next = call1(f, last, k)
    if (match(next, last) || match(next, x)) return last
    seen((last = next))
  }
}

/** Does `n f/x` or `g f/x` go on after so many turns? */
const goesOn = (times: Value, turns: number, x: Value, k: Kernel): boolean => {
  if (typeof times === "number") return turns < times
  if (!(times instanceof Applicable)) throw wrongType("the left of an iterated function is an int or a condition", times)
  return intOf(times.call1(x, k), "a condition is an int") !== 0
}

/** `n f/x` and `g f/x`: repeats f n times, or while g gives a number other than 0. */
const repeat = (f: Value, times: Value, x: Value, k: Kernel, seen = ignore): Value => {
  for (let turns = 0; goesOn(times, turns, x, k); turns++) {
    tick()
    seen((x = call1(f, x, k)))
  }
  return x
}

const rowOf = (args: readonly Value[], i: number): Value[] => args.map((a) => extended(a, i))

/** `f/[x;y;…]`: the arguments after x go item by item. */
const foldRows = (f: Value, args: readonly Value[], k: Kernel, seen = ignore): Value => {
  const [start, ...rest] = args
  const n = commonLength(rest)
  if (n < 0) return call(f, args, k)
  let result = start!
  for (let i = 0; i < n; i++) {
    tick()
    seen((result = call(f, [result, ...rowOf(rest, i)], k)))
  }
  return result
}

/** Does `x f/y` repeat f? A matrix is a table of transitions: it takes a state and an input, as a function of two arguments. */
const repeats = (f: Value): boolean => isMonadic(f) && !(f instanceof List && f.v.length > 0 && !isAtom(f.v[0]!))

const over: Adverb = {
  text: "/",
  valence: 1,
  one(f, x, k) {
    if (f instanceof List) return applyDot(f, x, k)
    if (isMonadic(f)) return converge(f, x, k)
    if (isAtom(x)) return x
    return fastPathsOf(f).over?.(x) ?? (x.v.length === 0 ? identity(f, x) : fold(f, item(x, 0), x, 1, k))
  },
  two(f, x, y, k) {
    if (repeats(f)) return repeat(f, x, y, k)
    if (isAtom(y)) return call2(f, x, y, k)
    return fastPathsOf(f).overFrom?.(x, y) ?? fold(f, x, y, 0, k)
  },
  many: (f, args, k) => foldRows(f, args, k),
}

/** The start and all later results that `run` reports. */
const scanned = (start: Value, run: (seen: Seen) => void): Value => {
  const out = [start]
  holding(out, () => run((x) => push(out, x)))
  return collapse(out)
}

const scan: Adverb = {
  text: "\\",
  valence: 1,
  one(f, x, k) {
    if (f instanceof List && isAtom(x)) return x
    if (isMonadic(f)) return scanned(x, (seen) => converge(f, x, k, seen))
    if (isAtom(x) || x.v.length === 0) return x
    return fastPathsOf(f).scan?.(x) ?? foldSteps(f, item(x, 0), x, 1, k)
  },
  two(f, x, y, k) {
    if (repeats(f)) return scanned(y, (seen) => repeat(f, x, y, k, seen))
    if (isAtom(y)) return call2(f, x, y, k)
    if (y.v.length === 0) return x
    return fastPathsOf(f).scanFrom?.(x, y) ?? foldSteps(f, x, y, 0, k)
  },
  many(f, args, k) {
    return commonLength(args.slice(1)) < 0 ? call(f, args, k) : scanned(args[0]!, (seen) => foldRows(f, args, k, seen))
  },
}

const eachPair = (f: Value, x: Value, y: Value, k: Kernel): Value => {
  const n = commonLength([x, y])
  if (n < 0) return call2(f, x, y, k)
  return fastPathsOf(f).each?.(x, y) ?? gathered(n, (i) => call2(f, extended(x, i), extended(y, i), k))
}

/** The fast path of `f/'x`, where f is `f/`. */
const overEach = (f: Value, x: Vector | List): Value | undefined =>
  f instanceof Derived && f.adverb === over && !isMonadic(f.f) ? fastPathsOf(f.f).overEach?.(x) : undefined

const each: Adverb = {
  text: "'",
  valence: "own",
  one(f, x, k) {
    if (f instanceof Verb && f.forced !== undefined)
      throw new KError("valence", { what: "two-arguments", adverb: `${f.text}'`, monadic: `${f.text}:'` })
    return isAtom(x) ? call1(f, x, k) : (overEach(f, x) ?? gathered(count(x), (i) => call1(f, item(x, i), k)))
  },
  two: eachPair,
  many(f, args, k) {
    const n = commonLength(args)
    return n < 0 ? call(f, args, k) : gathered(n, (i) => call(f, rowOf(args, i), k))
  },
}

const onlyTwo = (_f: Value, args: readonly Value[]): Value => {
  throw surplus(args.length, 2)
}

/** Each-right and each-left: one argument goes item by item, the other stays whole. */
const eachRight: Adverb = {
  text: "/:",
  valence: 2,
  one: each.one,
  two(f, x, y, k) {
    if (isAtom(y)) return call2(f, x, y, k)
    return fastPathsOf(f).eachRight?.(x, y) ?? gathered(count(y), (i) => call2(f, x, item(y, i), k))
  },
  many: onlyTwo,
}
const eachLeft: Adverb = {
  text: "\\:",
  valence: 2,
  one: each.one,
  two(f, x, y, k) {
    if (isAtom(x)) return call2(f, x, y, k)
    return fastPathsOf(f).eachLeft?.(x, y) ?? gathered(count(x), (i) => call2(f, item(x, i), y, k))
  },
  many: onlyTwo,
}

const eachPrior: Adverb = {
  text: "':",
  valence: 1,
  one(f, x, k) {
    if (isAtom(x)) return call2(f, x, x, k)
    return fastPathsOf(f).eachPrior?.(x) ?? gathered(Math.max(0, x.v.length - 1), (i) => call2(f, item(x, i + 1), item(x, i), k))
  },
  two: (f, x, y, k) => (isAtom(y) ? x : gathered(Math.max(1, y.v.length), (i) => (i === 0 ? x : call2(f, item(y, i), item(y, i - 1), k)))),
  many: onlyTwo,
}

/** By their text. */
export const adverbs: ReadonlyMap<string, Adverb> = new Map(
  [over, scan, each, eachRight, eachLeft, eachPrior].map((each) => [each.text, each]),
)
