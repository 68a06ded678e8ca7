/**
 * Strings: `_ss _ssr _sm` and the codes of characters, `_ic _ci`.
 *
 * Guarantees: each reaches down into lists of strings; a char counts as a string of one. Replacing builds its result in one buffer.
 * Patterns are those of `pattern.ts`.
 */
import { lazily } from "../lazily.ts"
import * as budget from "../run/budget.ts"
import { commonLength, extended } from "../run/extend.ts"
import type { Kernel } from "../run/kernel.ts"
import { wrongType } from "../run/mismatch.ts"
import { gathered } from "../run/Results.ts"
import { IntsWriter, listOf, stringPartsOf, type Strings, StringsWriter } from "../values/Parts.ts"
import {
  bytes,
  Chars,
  count,
  Func,
  Ints,
  isAtom,
  item,
  List,
  NIL,
  stringOf,
  Sym,
  typeOf,
  type Symbols,
  type Value,
} from "../values/value.ts"
import { atomicMonad, each } from "./atomic.ts"
import { formatMonad } from "./dollar.ts"
import { monadLoop } from "./loops.ts"
import { matcher, type Searcher, searcher } from "./pattern.ts"
import type { SystemRow } from "./Row.ts"

/** The bytes of a char or string. */
const bytesOf = (x: Value): Uint8Array => {
  const v = x instanceof List && x.length === 0 ? new Uint8Array(0) : stringOf(x)
  if (v === undefined) throw wrongType("a string is wanted", x)
  return v
}
const isList = (x: Value): x is List => x instanceof List && x.length > 0

const isMany = (x: Value): x is List | Symbols => isList(x) || typeOf(x) === -4

/** The result of `ofMany` for parts of one vector, else of `ofOne` for each string in s. `isMany`: does it go on into the items? */
const throughStrings = (
  s: Value,
  isMany: (x: Value) => x is List | Symbols,
  ofMany: (strings: Strings) => List,
  ofOne: (x: Value) => Value,
): Value => {
  const parts = stringPartsOf(s)
  if (parts !== undefined) return ofMany(parts)
  const of = (x: Value): Value => (isMany(x) ? each(x, of) : ofOne(x))
  return of(s)
}

const positions = (s: Value, p: Value): Value => {
  if (isMany(s) && isMany(p)) return gathered(commonLength([s, p]), (i) => positions(item(s, i), item(p, i)))
  if (isMany(p)) return each(p, (one) => positions(s, one))
  const compiled = lazily(() => searcher(nameBytes(p)))
  const ofMany = (strings: Strings): List => positionsOfMany(strings, compiled())
  return throughStrings(s, isMany, ofMany, (x) => item(ofMany(alone(nameBytes(x))), 0))
}

/** One string as the only part. */
const alone = (v: Uint8Array): Strings => ({ of: new Chars(v), starts: Int32Array.of(0), ends: Int32Array.of(v.length) })

const positionsOfMany = ({ of: { v }, starts, ends }: Strings, { search }: Searcher): List => {
  const n = ends.length
  const places = new IntsWriter()
  const [from, to] = [budget.unfilledInts(n), budget.unfilledInts(n)]
  for (let i = 0; i < n; i++) {
    budget.tick()
    from[i] = places.n
    search(v, starts[i]!, ends[i]!, places)
    to[i] = places.n
  }
  return listOf({ of: new Ints(places.v.subarray(0, places.n)), starts: from, ends: to })
}

/** A pattern or replacement that is an atom is formatted, as in Kx's own definition of `_ssr`. */
const formatted = (x: Value, k: Kernel): Uint8Array => bytesOf(isAtom(x) ? formatMonad(x, k) : x)

/** The bytes in place of the match from `start` up to `end`. */
type Replacement = (source: Uint8Array, start: number, end: number) => Uint8Array

const replacementOf = (r: Value, k: Kernel): Replacement => {
  if (r instanceof Func) return (source, start, end) => bytesOf(k.apply(r, [new Chars(source.slice(start, end))]))
  const same = formatted(r, k)
  return () => same
}

const replace = (s: Value, p: Value, r: Value, k: Kernel): Value => {
  const compiled = lazily(() => searcher(formatted(p, k)))
  const replacement = lazily(() => replacementOf(r, k))
  const ofMany = (strings: Strings): List => replaceMany(strings, compiled(), replacement())
  return throughStrings(s, isList, ofMany, (x) => (x === NIL ? NIL : item(ofMany(alone(bytesOf(x))), 0)))
}

const replaceMany = ({ of: { v }, starts, ends }: Strings, { search, length }: Searcher, replacement: Replacement): List => {
  const out = new StringsWriter(ends.length, v.length)
  const places = new IntsWriter()
  for (let i = 0; i < ends.length; i++) {
    budget.tick()
    let from = starts[i]!
    places.n = 0
    search(v, from, ends[i]!, places)
    for (let j = 0; j < places.n; j++) {
      const at = starts[i]! + places.v[j]!
      const by = replacement(v, at, at + length)
      out.copy(v, from, at)
      out.copy(by, 0, by.length)
      from = at + length
    }
    out.copy(v, from, ends[i]!)
    out.end()
  }
  return out.value()
}

/** The bytes of a string or of a symbol. */
const nameBytes = (x: Value): Uint8Array => (x instanceof Sym ? bytes(x.text) : bytesOf(x))

const matches = (x: Value, p: Value): Value => {
  if (isAtom(p) || p.t === -3) {
    const test = matcher(nameBytes(p))
    const go = (y: Value): Value => (isAtom(y) || y.t === -3 || (count(y) === 0 && y.t !== -4) ? (test(nameBytes(y)) ? 1 : 0) : each(y, go))
    return go(x)
  }
  if (typeof x === "number") throw wrongType("a string or a symbol is wanted", x)
  const n = x.t === -3 ? p.v.length : commonLength([x, p])
  return gathered(n, (i) => matches(x.t === -3 ? x : extended(x, i), item(p, i)))
}

const codes = atomicMonad("_ic takes chars", [undefined, undefined, undefined, monadLoop("a", "char", "int")])
const characters = atomicMonad("_ci takes ints", [undefined, monadLoop("a & 255", "int", "char")])

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_ss", valence: 2, name: "string search", class: "text", run: positions, fresh: true,
    doc: "Where the pattern y starts in the string x, left to right without overlap; `?` is any char, `[a-z]` and `[^a-z]` are sets.",
    words: "substring find text search position regex",
    examples: [['"hello world" _ss "o"', "4 7"], ['"hello world" _ss "w?r"', ",6"], ['"a1b22" _ss "[0-9]"', "1 3 4"]] },
  { glyph: "_ssr", valence: 3, name: "string search and replace", class: "text", run: replace, runsCode: true,
    doc: "x with each match of the pattern y replaced by z, a string or a function of the match.",
    words: "substitute replace regex text",
    examples: [['_ssr["this";"is";"at"]', '"that"'], ['_ssr["a1b2";"[0-9]";{x,x}]', '"a11b22"'], ['_ssr["n of m";`n;3]', '"3 of m"']] },
  { glyph: "_sm", valence: 2, name: "string match", class: "text", run: matches, fresh: true,
    doc: "Does the pattern y match the whole of x, a string or symbol? `*` is any string, `?` any char, `[a-z]` and `[^a-z]` are sets.",
    words: "like glob wildcard regex match pattern",
    examples: [['"kdb.txt" _sm "*.txt"', "1"], ['`one `two _sm "t*"', "0 1"]] },
  { glyph: "_ic", valence: 1, name: "int from char", class: "text", run: codes, fresh: true,
    doc: "The code of each char.",
    words: "ord ascii code char to int",
    examples: [['_ic "a"', "97"], ['_ic "ABC"', "65 66 67"]] },
  { glyph: "_ci", valence: 1, name: "char from int", class: "text", run: characters, fresh: true,
    doc: "The char of each code, modulo 256.",
    words: "chr ascii char from code int to char",
    examples: [["_ci 65", '"A"'], ["_ci 75 51", '"K3"']] },
]
