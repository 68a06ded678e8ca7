/**
 * Values as the console shows them.
 *
 * Guarantees: `display` gives the text of Kx's own console, by the rules of section 13 of the language page, each of which is a
 * function here; no line is cut or wrapped, and time and memory are linear in the text. Numbers are C's `%.{p}g`, ties rounded away
 * from zero as on Windows, and exponents of at least two digits.
 * Does not: end the text in a newline, or format for `$` (see `primitives/dollar.ts`, which shares `numberText`).
 */
import * as budget from "./budget.ts"
import { NULL_INT, INF_INT, symbolOf, type Chars, type Dict, type Floats, type Ints, type List, type Symbols, type Value } from "./value.ts"

/** An int: digits, `0N`, `0I` or `-0I`. */
export const intText = (x: number): string => (x === NULL_INT ? "0N" : x === INF_INT ? "0I" : x === -INF_INT ? "-0I" : String(x))

/** A float as C's `%.{precision}g` with K's names for nan and infinities; 0 means 17 digits. No `.0` is added. */
export const numberText = (x: number, precision: number): string => {
  if (x !== x) return "0n"
  if (x === Infinity) return "0i"
  if (x === -Infinity) return "-0i"
  const digits = precision === 0 ? 17 : precision
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
    // A value just below 1e-4 may round up to it, and then is shown in full.
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

/** A float atom as displayed: marked as a float by `.0` when nothing else in its text does. */
export const floatText = (x: number, precision: number): string => {
  const text = numberText(x, precision)
  return showsFloat(text) ? text : text + ".0"
}

const escapes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  switch (byte) {
    case 8:
      return "\\b"
    case 9:
      return "\\t"
    case 10:
      return "\\n"
    case 13:
      return "\\r"
    case 34:
      return '\\"'
    case 92:
      return "\\\\"
    default:
      return byte < 32 || byte > 126 ? "\\" + byte.toString(8).padStart(3, "0") : String.fromCharCode(byte)
  }
})

/** Bytes between quotes, escaped. */
export const quoted = (v: Uint8Array): string => {
  let out = '"'
  for (let i = 0; i < v.length; i++) out += escapes[v[i]!]
  return out + '"'
}

const PLAIN_SYMBOL = /^(?:\.?[A-Za-z_][A-Za-z0-9_]*(?:\.\.?[A-Za-z_][A-Za-z0-9_]*)*\.{0,2})?$/

/** A symbol with its backquote, quoted when its text is not a plain dotted name. */
export const symbolText = (name: string): string => {
  if (PLAIN_SYMBOL.test(name)) return "`" + name
  let out = '`"'
  for (let i = 0; i < name.length; i++) out += escapes[name.charCodeAt(i) & 255]
  return out + '"'
}

/** The console's text of a value, without the final newline; the empty string for nil. `precision` is that of `\p`. */
export const display = (x: Value, precision: number): string => show(x, 0, precision)

/** `column` is how many brackets, commas and dots stand before the value: the indentation of its further lines. */
const show = (x: Value, column: number, precision: number): string => {
  if (typeof x === "number") return intText(x)
  switch (x.t) {
    case 2:
      return floatText(x.v, precision)
    case 3:
      return '"' + escapes[x.v]! + '"'
    case 4:
      return symbolText(x.text)
    case 5:
      return showDict(x, column, precision)
    case 6:
      return ""
    case 7:
      return x.text
    case -1:
      return enlisted(x) + showInts(x)
    case -2:
      return enlisted(x) + showFloats(x, precision)
    case -3:
      return enlisted(x) + showChars(x)
    case -4:
      return enlisted(x) + showSymbols(x)
    default:
      return showList(x.v, column, precision)
  }
}

const enlisted = (x: { readonly v: { readonly length: number } }): string => (x.v.length === 1 ? "," : "")

const showInts = ({ v }: Ints): string => {
  const n = v.length
  if (n === 0) return "!0"
  budget.tick(n)
  budget.alloc(4 * n)
  let out = intText(v[0]!)
  for (let i = 1; i < n; i++) out += " " + intText(v[i]!)
  return out
}

const showFloats = ({ v }: Floats, precision: number): string => {
  const n = v.length
  if (n === 0) return "0#0.0"
  budget.alloc(8 * n)
  let out = ""
  let shown = false
  for (let i = 0; i < n; i++) {
    budget.tick()
    const text = numberText(v[i]!, precision)
    shown ||= showsFloat(text)
    out += i === 0 ? text : " " + text
  }
  return shown ? out : out + ".0"
}

const showChars = ({ v }: Chars): string => {
  budget.tick(v.length)
  budget.alloc(v.length)
  return quoted(v)
}

const showSymbols = ({ v }: Symbols): string => {
  const n = v.length
  if (n === 0) return "0#`"
  let out = symbolText(symbolOf(v[0]!).text)
  for (let i = 1; i < n; i++) {
    budget.tick()
    out += " " + symbolText(symbolOf(v[i]!).text)
  }
  return out
}

const showList = (items: List["v"], column: number, precision: number): string => {
  if (items.length === 0) return "()"
  if (items.length === 1) return "," + show(items[0]!, column + 1, precision)
  return showItems(items.length, breaks(items), column, (i, inner) => show(items[i]!, inner, precision))
}

const showDict = (x: Dict, column: number, precision: number): string => {
  const n = x.keys.length
  if (n === 0) return ".()"
  const entry = (i: number, at: number) => showList([x.keys[i]!, x.values[i]!, x.attributes[i]!], at, precision)
  return n === 1 ? ".," + entry(0, column + 2) : "." + showItems(n, true, column + 1, entry)
}

const showItems = (n: number, multiline: boolean, column: number, showItem: (i: number, column: number) => string): string => {
  const separator = multiline ? "\n" + " ".repeat(column + 1) : ";"
  let out = "("
  for (let i = 0; i < n; i++) {
    budget.tick()
    if (i > 0) out += separator
    out += showItem(i, column + 1)
  }
  return out + ")"
}

/** A list takes a line per item when one of its items is a filled vector or list or a dictionary, or when all are strings. */
const breaks = (items: readonly Value[]): boolean => {
  let strings = 0
  for (const item of items) {
    if (typeof item === "number") continue
    if (item.t === -3 || item.t === 3) strings++
    else if (item.t === 5 || (item.t <= 0 && (item as List).v.length > 0)) return true
  }
  // `("ab";"c")` is all strings too, when a string and not a char comes first.
  const first = items[0]!
  return typeof first !== "number" && first.t === -3 && strings === items.length
}
