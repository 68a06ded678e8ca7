/**
 * The loops of the atomic verbs: for one expression and one pair of item types, a function that applies it to atoms and vectors.
 *
 * Guarantees: each loop is a JavaScript function of its own, written from a template, so that the engine specialises it to one kind
 * of typed array and no item is boxed; it pays its steps in blocks, so that an interrupt is honoured, and announces its result's
 * memory. Loops are made when first used.
 * Does not: dispatch on types (`atomic.ts`).
 */
import { blocks, tick, unfilledBytes } from "../run/budget.ts"
import { unequal } from "../run/mismatch.ts"
import { inLanes, overInLanes, scanInLanes, suitsLanes, type LaneFold, type LaneVerb } from "./lanes.ts"
import { floats, ints } from "../run/room.ts"
import { floatDiv, floatMod, floor, intDiv, intMod, power } from "./rounding.ts"
import { near, widen } from "../values/tolerance.ts"
import { char, Float, Ints, isAtom, stored, sym, symbolOf, type Value, vector } from "../values/value.ts"

/** The type of an item. `widened` is an int read as a float: 0N becomes 0n, 0I and -0I become 0i and -0i. */
export type Kind = "int" | "float" | "char" | "symbol" | "widened"

type Items = { [i: number]: number; readonly length: number }

/** The names that loop expressions may use besides `a` and `b`. */
const scope = {
  near,
  widen,
  floor,
  floatMod,
  floatDiv,
  intMod,
  intDiv,
  power,
  textOf: (id: number): string => {
    const { text } = symbolOf(id)
    tick(text.length >> 4)
    return text
  },
  handleOf: (id: number): number => sym(symbolOf(id).text + ".").id,
}

const READ: Record<Kind, (from: string) => string> = {
  int: (from) => from,
  float: (from) => from,
  char: (from) => from,
  symbol: (from) => from,
  widened: (from) => `widen(${from})`,
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the source text is
const make = <F>(parameters: string, body: string): F =>
  // Loops are our own source text: no user's text is in it.
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func
  new Function(...Object.keys(scope), `"use strict"; return (${parameters}) => { ${body} }`)(...Object.values(scope)) as F

/**
 * Source that runs `body` for each place from `i` up to `end`. Four places a turn, since a turn costs as much as the arithmetic in it. The odd places
 * come first: the engine drops code optimised within one loop when another loop follows. The function runs for one block, since the engine optimises
 * functions that are called often, not loops that run long.
 */
const forEachPlace = (body: (place: string) => string): string => `
  for (const even = i + ((end - i) & 3); i < even; i++) { ${body("i")} }
  for (; i < end; i += 4) {
    ${[0, 1, 2, 3].map((k) => `{ ${body(`i + ${k}`)} }`).join("\n    ")}
  }`

type Operand = Items | number
/** Writes a block of `out`. */
type Block = (x: Operand, y: Operand, out: Items, i: number, end: number) => void

/** `a` and `b` give the source of the operands at a place; `prepare` is source that runs once per block. */
const block = (prepare: string, a: (place: string) => string, b: (place: string) => string, expression: string): Block =>
  make("x, y, out, i, end", prepare + forEachPlace((i) => `const a = ${a(i)}, b = ${b(i)}; out[${i}] = ${expression}`))

/** Makes the value when it is first asked for, once. */
export const lazily = <A>(made: () => A): (() => A) => {
  let value: A | undefined
  return () => (value ??= made())
}

/** A function that runs `body` for each place from `i` up to `end`, its last parameters, and gives `result`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the source text is
export const placeLoop = <F>(parameters: string, body: (place: string) => string, result = ""): (() => F) =>
  lazily(() => make<F>(`${parameters}, i, end`, `${forEachPlace(body)} return ${result}`))

/** Fills `out` block by block; in lanes when the verb on ints has them and the length suits. */
const fillBlocks = (fill: () => Block, x: Operand, y: Operand, out: Items, lanes?: LaneVerb): void => {
  const n = out.length
  if (lanes !== undefined && suitsLanes(n)) return inLanes(lanes, x as Int32Array | number, y as Int32Array | number, out as Int32Array)
  const one = fill()
  blocks(n, (from, to) => one(x, y, out, from, to))
}

const room = (kind: Kind, n: number): Int32Array | Float64Array | Uint8Array => {
  if (kind === "float") return floats(n)
  return kind === "char" ? unfilledBytes(n) : ints(n)
}

/** The type code of a vector of a kind. */
const CODES: Record<Kind, number> = { int: -1, float: -2, char: -3, symbol: -4, widened: -2 }

const atom = (kind: Kind, v: number): Value =>
  kind === "float" ? new Float(v) : kind === "char" ? char(v) : kind === "symbol" ? symbolOf(v) : v | 0

const items = (x: Value): Items => (x as Ints).v

/** Applies to two values, each an atom or a vector of the kind the loop was made for. Unequal counts are a length error. */
export type DyadLoop = (x: Value, y: Value) => Value

/** A loop over `expression` in the items `a` and `b`, of the given kinds; its value is of kind `result`. `lanes`: the same verb in lanes. */
export const dyadLoop = (expression: string, left: Kind, right: Kind, result: Kind, lanes?: LaneVerb): DyadLoop => {
  const [a, b] = [READ[left], READ[right]]
  const whole = result === "int" ? `${expression} | 0` : expression
  const code = CODES[result]
  let atoms: ((x: number, y: number) => number) | undefined
  const atomVector = lazily(() =>
    block(
      `const a0 = ${a("x")};`,
      () => "a0",
      (i) => b(`y[${i}]`),
      whole,
    ),
  )
  const vectorAtom = lazily(() =>
    block(
      `const b0 = ${b("y")};`,
      (i) => a(`x[${i}]`),
      () => "b0",
      whole,
    ),
  )
  const vectors = lazily(() =>
    block(
      "",
      (i) => a(`x[${i}]`),
      (i) => b(`y[${i}]`),
      whole,
    ),
  )
  const filled = (fill: () => Block, x: Operand, y: Operand, n: number): Value => {
    const out = room(result, n)
    fillBlocks(fill, x, y, out, lanes)
    return vector(code, out)
  }
  return (x, y) => {
    if (isAtom(x)) {
      if (isAtom(y)) {
        atoms ??= make<(x: number, y: number) => number>("x, y", `const a = ${a("x")}, b = ${b("y")}; return ${whole}`)
        return atom(result, atoms(stored(x), stored(y)))
      }
      return filled(atomVector, stored(x), items(y), items(y).length)
    }
    if (isAtom(y)) return filled(vectorAtom, items(x), stored(y), items(x).length)
    if (items(x).length !== items(y).length) throw unequal(items(x).length, items(y).length)
    return filled(vectors, items(x), items(y), items(x).length)
  }
}

/** A loop over ints `a` with one int `y`; `prepare` computes constants from y. */
export const scaleLoop = (prepare: string, expression: string, lanes: LaneVerb): ((x: Ints, y: number) => Ints) => {
  const fill = lazily(() =>
    block(
      prepare + ";",
      (i) => `x[${i}]`,
      () => "y",
      expression,
    ),
  )
  return (x, y) => {
    const out = ints(x.v.length)
    fillBlocks(fill, x.v, y, out, lanes)
    return new Ints(out)
  }
}

export type MonadLoop = (x: Value) => Value

/** A loop over `expression` in `a`. */
export const monadLoop = (expression: string, argument: Kind, result: Kind): MonadLoop => {
  const whole = result === "int" ? `${expression} | 0` : expression
  const a = READ[argument]
  let one: ((x: number) => number) | undefined
  const code = CODES[result]
  const many = lazily(() =>
    block(
      "",
      (i) => a(`x[${i}]`),
      () => "0",
      whole,
    ),
  )
  return (x) => {
    if (isAtom(x)) {
      one ??= make<(x: number) => number>("x", `const a = ${a("x")}; return ${whole}`)
      return atom(result, one(stored(x)))
    }
    const out = room(result, items(x).length)
    fillBlocks(many, items(x), 0, out)
    return vector(code, out)
  }
}

/** Folds `expression` in `s` (the result so far) and `a` (the next item) over the items from `from` on. `lanes`: the same fold of ints in lanes. */
export type FoldLoop = (v: Items, start: number, from: number) => number

export const foldLoop = (expression: string, lanes?: LaneFold): FoldLoop => {
  const fold = placeLoop<(v: Items, s: number, i: number, end: number) => number>(
    "v, s",
    (i) => `const a = v[${i}]; s = ${expression}`,
    "s",
  )
  return (v, start, from) => {
    let [s, left] = lanes !== undefined && suitsLanes(v.length) ? overInLanes(lanes, v as Int32Array, start, from) : [start, from]
    blocks(v.length - left, (i, to) => {
      s = fold()(v, s, left + i, left + to)
    })
    return s
  }
}

/** As `FoldLoop`, with each step written to `out` from place `at` on. */
export type ScanLoop = (v: Items, start: number, from: number, out: Items, at: number) => void

export const scanLoop = (expression: string, lanes?: LaneFold): ScanLoop => {
  const scan = placeLoop<(v: Items, s: number, out: Items, o: number, i: number, end: number) => number>(
    "v, s, out, o",
    (i) => `const a = v[${i}]; out[o++] = s = ${expression}`,
    "s",
  )
  return (v, start, from, out, at) => {
    if (lanes !== undefined && suitsLanes(v.length)) return scanInLanes(lanes, v as Int32Array, start, from, out as Int32Array, at)
    let s = start
    blocks(v.length - from, (i, to) => {
      s = scan()(v, s, out, at + i, from + i, from + to)
    })
  }
}

/** Folds a row item by item into `into`, which has the same length. */
export type RowLoop = (into: Items, row: Items) => void

export const rowLoop = (expression: string, lanes?: LaneFold): RowLoop => {
  const fill = placeLoop<Block>("into, row, out", (i) => `const s = into[${i}], a = row[${i}]; out[${i}] = ${expression}`)
  return (into, row) => fillBlocks(fill, into, row, into, lanes)
}
