/**
 * The loops of the atomic verbs: for one expression and one pair of item types, a function that applies it to atoms and vectors.
 *
 * Guarantees: each loop is a JavaScript function of its own, written from a template, so that the engine specialises it to one kind
 * of typed array and no item is boxed; it pays its steps in blocks, so that an interrupt is honoured, and announces its result's
 * memory. Loops are made when first used.
 * Does not: dispatch on types (`atomic.ts`).
 */
import { lazily } from "../lazily.ts"
import { blocks, tick } from "../run/budget.ts"
import { unequal } from "../run/mismatch.ts"
import { inLanes, suitsLanes, type LaneVerb } from "./lanes.ts"
import { floatDiv, floatMod, floor, intDiv, intMod, intModPositive, power } from "./rounding.ts"
import { near, widen } from "../values/tolerance.ts"
import { char, Float, Ints, isAtom, stored, sym, symbolOf, type Value, vectorOf } from "../values/value.ts"

/** The type of an item. `widened` is an int read as a float: 0N becomes 0n, 0I and -0I become 0i and -0i. */
export type ItemKind = "int" | "float" | "char" | "symbol" | "widened"

export type Items = { [i: number]: number; readonly length: number }

const textOf = (id: number): string => {
  const { text } = symbolOf(id)
  tick(text.length >> 4)
  return text
}

/** The names that loop expressions may use besides `a` and `b`. */
const scope = {
  near,
  widen,
  floor,
  floatMod,
  floatDiv,
  intMod,
  intModPositive,
  intDiv,
  power,
  textOf,
  handleOf: (id: number): number => sym(textOf(id) + ".").id,
}

/** Source that reads an item. */
const read = (kind: ItemKind, from: string): string => (kind === "widened" ? `widen(${from})` : from)

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
/** Writes a block of results to `out`. */
type Block = (x: Operand, y: Operand, out: Items, i: number, end: number) => void

/** Source of an item of `x` or `y`. */
const at = (items: "x" | "y") => (place: string) => `${items}[${place}]`

/** Source that writes the result for a place. */
const storing = (expression: string) => (place: string) => `out[${place}] = ${expression}`

/** A function that runs `body` for each place from `i` up to `end`, its last parameters, and gives `result`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the source text is
export const placeLoop = <F>(parameters: string, body: (place: string) => string, result = ""): (() => F) =>
  lazily(() => make<F>(`${parameters}, i, end`, `${forEachPlace(body)} return ${result}`))

/** Fills `out` block by block; in lanes when the verb on ints has them and the length suits. */
const fillBlocks = (fill: () => Block, x: Operand, y: Operand, out: Items, lanes?: LaneVerb): void => {
  const n = out.length
  if (lanes !== undefined && suitsLanes(n)) inLanes(lanes, x as Int32Array | number, y as Int32Array | number, out as Int32Array)
  else blocks(n, (from, to) => fill()(x, y, out, from, to))
}

/** The type code of a vector of a kind. */
const CODES: Record<ItemKind, number> = { int: -1, float: -2, char: -3, symbol: -4, widened: -2 }

const atom = (kind: ItemKind, v: number): Value =>
  kind === "float" ? new Float(v) : kind === "char" ? char(v) : kind === "symbol" ? symbolOf(v) : v | 0

const items = (x: Value): Items => (x as Ints).v

/** Applies to two values, each an atom or a vector of the kind the loop was made for. Unequal counts are a length error. */
export type DyadLoop = (x: Value, y: Value) => Value

/**
 * A loop over `expression` in the items `a` and `b`, of the given kinds; its value is of kind `result`. `lanes`: the name of the same verb there.
 */
export const dyadLoop = (expression: string, left: ItemKind, right: ItemKind, result: ItemKind, lanes?: LaneVerb): DyadLoop => {
  const whole = result === "int" ? `(${expression}) | 0` : expression
  /** Source of the operands, at the places of which `x` and `y` are the source. */
  const operands = (x: string, y: string): string => `const a = ${read(left, x)}, b = ${read(right, y)};`
  const loop = (x: (place: string) => string, y: (place: string) => string): (() => Block) =>
    placeLoop<Block>("x, y, out", (i) => `${operands(x(i), y(i))} ${storing(whole)(i)}`)
  const atoms = lazily(() => make<(x: number, y: number) => number>("x, y", `${operands("x", "y")} return ${whole}`))
  const atomVector = loop(() => "x", at("y"))
  const vectorAtom = loop(at("x"), () => "y")
  const vectors = loop(at("x"), at("y"))
  const filled = (fill: () => Block, x: Operand, y: Operand, n: number): Value => {
    const out = vectorOf(CODES[result], n)
    fillBlocks(fill, x, y, out.v, lanes)
    return out
  }
  return (x, y) => {
    if (isAtom(x)) {
      if (isAtom(y)) return atom(result, atoms()(stored(x), stored(y)))
      return filled(atomVector, stored(x), items(y), items(y).length)
    }
    if (isAtom(y)) return filled(vectorAtom, items(x), stored(y), items(x).length)
    if (items(x).length !== items(y).length) throw unequal(items(x).length, items(y).length)
    return filled(vectors, items(x), items(y), items(x).length)
  }
}

export type MonadLoop = (x: Value) => Value

/** A loop over `expression` in `a`. */
export const monadLoop = (expression: string, argument: ItemKind, result: ItemKind): MonadLoop => {
  const loop = dyadLoop(expression, argument, "int", result)
  return (x) => loop(x, 0)
}
