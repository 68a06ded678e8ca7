/**
 * Values as the console shows them.
 *
 * Guarantees: `display` gives the text of Kx's own console; no
 * line is cut or wrapped; time and memory are linear in the text. Numbers are C's `%.{p}g`, ties rounded away from zero as on Windows, with exponents
 * of at least two digits.
 *
 * Does not: end the text in a newline, or format for `$` (`primitives/dollar.ts` does, with `numberText`).
 */
import * as budget from "../run/budget.ts"
import { TextBuffer } from "./TextBuffer.ts"
import {
  bytes,
  Func,
  isAtom,
  NIL,
  NULL_INT,
  INF_INT,
  symbolOf,
  type Dict,
  type Floats,
  type List,
  typeOf,
  type Value,
  type Vector,
} from "./value.ts"

/** An int: digits, `0N`, `0I` or `-0I`. */
export const intText = (x: number): string => (x === NULL_INT ? "0N" : x === INF_INT ? "0I" : x === -INF_INT ? "-0I" : String(x))

/** A precision: as many digits as are needed to read the same float back, at least 7. */
export const EXACT = -1

const needed = (x: number): number => Math.max(7, x.toExponential().replace(/e.*|\D/g, "").length)

/** A float as C's `%.{precision}g` with K's names for nan and infinities; precision 0 means 17. Never adds `.0`. */
export const numberText = (x: number, precision: number): string => {
  if (!Number.isFinite(x)) return x !== x ? "0n" : x > 0 ? "0i" : "-0i"
  const digits = precision > 0 ? precision : precision === EXACT ? needed(x) : 17
  if (Number.isInteger(x) && Math.abs(x) < 2 ** 53) {
    const text = Object.is(x, -0) ? "-0" : String(x)
    if (text.length <= digits) return text
  }
  const text = x.toPrecision(digits)
  const e = text.indexOf("e")
  if (e >= 0) return withoutTrailingZeros(text.slice(0, e)) + exponentText(Number(text.slice(e + 1)))
  if (Math.abs(x) < 1e-4) {
    const scientific = x.toExponential(digits - 1)
    const at = scientific.indexOf("e")
    const exponent = Number(scientific.slice(at + 1))
    // A value just below 1e-4 may round up to it, and is then shown without an exponent.
    if (exponent < -4) return withoutTrailingZeros(scientific.slice(0, at)) + exponentText(exponent)
  }
  return withoutTrailingZeros(text)
}

/** `e+07`: sign and at least two digits, as C writes exponents. */
export const exponentText = (e: number): string => (e < 0 ? "e-" : "e+") + (Math.abs(e) < 10 ? "0" : "") + Math.abs(e)

const withoutTrailingZeros = (text: string): string => {
  if (!text.includes(".")) return text
  let end = text.length
  while (text.charCodeAt(end - 1) === 48) end--
  return text.slice(0, text.charCodeAt(end - 1) === 46 ? end - 1 : end)
}

const showsFloat = (text: string): boolean => /[.eni]/.test(text)

/** A float atom as displayed: with `.0` when nothing else in its text shows that it is a float. */
const floatText = (x: number, precision: number): string => {
  const text = numberText(x, precision)
  return showsFloat(text) ? text : text + ".0"
}

const named: ReadonlyMap<number, string> = new Map([
  [8, "\\b"],
  [9, "\\t"],
  [10, "\\n"],
  [13, "\\r"],
  [34, '\\"'],
  [92, "\\\\"],
])
/** The text of each byte in a string. */
const escapes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const plain = byte < 32 || byte > 126 ? "\\" + byte.toString(8).padStart(3, "0") : String.fromCharCode(byte)
  return named.get(byte) ?? plain
})

const PLAIN_SYMBOL = /^(?:\.?[A-Za-z_][A-Za-z0-9_]*(?:\.\.?[A-Za-z_][A-Za-z0-9_]*)*\.?)?$/

const BLANK = 32
const QUOTE = 34
const COMMA = 44
const BACKQUOTE = 96

/** The console's text of a value, without a final newline; the empty string for nil. `precision` is that of `\p`. */
export const display = (x: Value, precision: number): string => (typeof x === "number" ? intText(x) : shown(x, precision, false))

/**
 * The text of `5:`, which reads back as the value. It differs from the console's text where that would not: a nil item in a list by lines has `;` on
 * both sides, a single nil item is `_n`, and a single verb has parentheses.
 */
export const written = (x: Value, precision: number): string => shown(x, precision, true)

const shown = (x: Value, precision: number, toRead: boolean): string => {
  const display = new Display(precision, toRead)
  display.value(x, 0)
  return display.out.toString()
}

/** One value being displayed. `column`: the brackets, commas and dots before it, which is the indentation of its further lines. */
class Display {
  readonly out = new TextBuffer()
  constructor(
    private readonly precision: number,
    private readonly toRead: boolean,
  ) {}

  value(x: Value, column: number): void {
    if (typeof x === "number") return this.int(x)
    if (x.t < 0 && (x as Vector).v.length === 1) this.out.byte(COMMA)
    switch (x.t) {
      case 2:
        return this.out.put(floatText(x.v, this.precision))
      case 3:
        return this.out.put('"' + escapes[x.v]! + '"')
      case 4:
        return this.symbol(x.text)
      case 5:
        return this.dict(x, column)
      case 6:
        return
      case 7:
        return this.out.put(x.text)
      case 0:
        return this.list(x.v, column)
      case -1:
        return this.row(x.v, "!0", (i) => this.int(i))
      case -2:
        return this.floats(x)
      case -3:
        return this.chars(x.v)
      case -4:
        return this.row(x.v, "0#`", (id) => this.symbol(symbolOf(id).text))
    }
  }

  /** Items in one line with blanks between, or `none` for an empty vector. */
  private row(v: Int32Array | Float64Array, none: string, put: (item: number) => void): void {
    if (v.length === 0) this.out.put(none)
    for (let i = 0; i < v.length; i++) {
      if (i > 0) this.out.byte(BLANK)
      put(v[i]!)
    }
  }

  private int(x: number): void {
    if (x === INF_INT || x <= -INF_INT) this.out.put(intText(x))
    else this.out.int(x)
  }

  private floats({ v }: Floats): void {
    let isMarked = v.length === 0
    this.row(v, "0#0.0", (x) => {
      const text = numberText(x, this.precision)
      isMarked ||= showsFloat(text)
      this.out.put(text)
    })
    if (!isMarked) this.out.put(".0")
  }

  /** A symbol with its backquote, quoted when its text is not a plain dotted name. */
  private symbol(name: string): void {
    this.out.byte(BACKQUOTE)
    if (PLAIN_SYMBOL.test(name)) this.out.put(name)
    else this.chars(bytes(name))
  }

  private chars(v: Uint8Array): void {
    this.out.byte(QUOTE)
    for (let i = 0; i < v.length; i++) {
      if ((i & 1023) === 0) budget.tick(Math.min(1024, v.length - i))
      const escape = escapes[v[i]!]!
      if (escape.length > 1) this.out.put(escape)
      else this.out.byte(v[i]!)
    }
    this.out.byte(QUOTE)
  }

  private list(items: List["v"], column: number): void {
    if (items.length === 0) this.out.put("()")
    else if (items.length === 1) {
      this.out.byte(COMMA)
      if (this.toRead) this.onlyItem(items[0]!, column + 1)
      else this.value(items[0]!, column + 1)
    } else this.items(items.length, breaks(items), column, (i, inner) => this.value(items[i]!, inner), this.toRead ? items : undefined)
  }

  private onlyItem(x: Value, column: number): void {
    if (x === NIL) this.out.put("_n")
    else if (x instanceof Func && !/[\]}]$/.test(x.text)) this.out.put(`(${x.text})`)
    else this.value(x, column)
  }

  private dict(x: Dict, column: number): void {
    const n = x.keys.length
    const entry = (i: number, inner: number): void => {
      const parts = [x.keys[i]!, x.values[i]!, x.attributes[i]!]
      // A nil at the end of an entry by lines reads as a missing attribute, which is also nil.
      this.items(3, breaks(parts), inner, (j, innermost) => this.value(parts[j]!, innermost), this.toRead ? parts.slice(0, 2) : undefined)
    }
    this.out.put(n === 0 ? ".()" : n === 1 ? ".," : ".")
    if (n === 1) entry(0, column + 2)
    else if (n > 1) this.items(n, true, column + 1, entry)
  }

  /** `beside`: the items to check for nil; a nil item has `;` at its sides. */
  private items(n: number, byLines: boolean, column: number, item: (i: number, column: number) => void, beside?: readonly Value[]): void {
    const separator = byLines ? "\n" + " ".repeat(column + 1) : ";"
    this.out.put("(")
    for (let i = 0; i < n; i++) {
      if (i > 0) this.out.put(beside?.[i] === NIL || beside?.[i - 1] === NIL ? ";" : separator)
      item(i, column + 1)
    }
    this.out.put(")")
  }
}

/** A list takes a line per item when an item is a non-empty vector or list or a dictionary, or when all items are strings. */
const breaks = (items: readonly Value[]): boolean =>
  // `("ab";"c")` counts as strings too, since a string, not a char, comes first.
  !budget.holdsForAll(items, staysInLine) || (typeOf(items[0]!) === -3 && budget.holdsForAll(items, isText))

const isText = (x: Value): boolean => Math.abs(typeOf(x)) === 3

const staysInLine = (x: Value): boolean => isText(x) || (isAtom(x) ? typeOf(x) !== 5 : x.v.length === 0)
