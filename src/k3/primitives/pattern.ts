/**
 * Patterns of `_ss`, `_ssr` and `_sm`, over bytes.
 *
 * Guarantees: `?` is any byte, `[abc]`, `[a-z]` and `[^a-z]` one of a set or none of it, `*` (in `_sm` alone) any number of bytes. A pattern
 * without these is found by a search that looks at a fraction of the bytes. `_sm` takes time at most the product of both lengths.
 * Does not: escape; the set of one byte, `[?]`, is that byte.
 */
import * as budget from "../run/budget.ts"
import { KError } from "../run/KError.ts"
import type { IntsWriter } from "../values/Parts.ts"

const QUESTION = 63
const STAR = 42
const OPEN = 91
const CLOSE = 93
const CARET = 94
const MINUS = 45
const BLOCK = 16384

/** A position in a pattern: the bytes that it admits, or `*`. */
type Place = Uint8Array | "*"

const setOf = (pattern: Uint8Array, start: number, end: number): Uint8Array => {
  const negative = pattern[start] === CARET
  const set = new Uint8Array(256).fill(negative ? 1 : 0)
  const mark = negative ? 0 : 1
  for (let i = negative ? start + 1 : start; i < end; i++) {
    if (i + 2 < end && pattern[i + 1] === MINUS) {
      set.fill(mark, pattern[i], pattern[i + 2]! + 1)
      i += 2
    } else set[pattern[i]!] = mark
  }
  return set
}

const ANY = new Uint8Array(256).fill(1)
/** For each byte, the set of it alone. */
const ofOne = Array.from({ length: 256 }, (_, byte) => new Uint8Array(256).fill(1, byte, byte + 1))

const parse = (pattern: Uint8Array, stars: boolean): Place[] => {
  const places: Place[] = []
  for (let i = 0; i < pattern.length; i++) {
    budget.tick()
    const byte = pattern[i]!
    if (byte === OPEN) {
      const close = pattern.indexOf(CLOSE, i + (pattern[i + 1] === CARET ? 3 : 2))
      if (close < 0) throw new KError("domain", "a set in the pattern is not closed by ]")
      places.push(setOf(pattern, i + 1, close))
      i = close
    } else if (byte === STAR && stars) places.push("*")
    else if (byte === QUESTION) places.push(ANY)
    else places.push(ofOne[byte]!)
  }
  return places
}

/** Adds the starts of the matches in the bytes from `from` up to `to`, counted from `from`. */
type Search = (s: Uint8Array, from: number, to: number, found: IntsWriter) => void

/** The search for a pattern, and the number of bytes that a match has. */
export interface Searcher {
  readonly search: Search
  readonly length: number
}

/** Finds matches from left to right without overlaps. An empty pattern is a length error. */
export const searcher = (pattern: Uint8Array): Searcher => {
  if (pattern.length === 0) throw new KError("length", "an empty pattern")
  if (pattern.indexOf(QUESTION) < 0 && pattern.indexOf(OPEN) < 0) return { search: searchBytes(pattern), length: pattern.length }
  const sets = parse(pattern, false) as Uint8Array[]
  return { search: searchSets(sets), length: sets.length }
}

/** Horspool's search: compares at the end of the pattern, and skips by the last place of that byte in the pattern. */
const searchBytes = (pattern: Uint8Array): Search => {
  const m = pattern.length
  const last = m - 1
  budget.tick((m + 256) >> 3)
  const end = pattern[last]!
  const skip = new Int32Array(256).fill(m)
  for (let i = 0; i < last; i++) skip[pattern[i]!] = last - i
  return (s, from, to, found) => {
    let i = from
    while (i + m <= to) {
      const stop = Math.min(to - m, i + BLOCK)
      budget.tick(stop - i + 1)
      while (i <= stop) {
        const byte = s[i + last]!
        if (byte === end) {
          let j = 0
          while (j < last && s[i + j] === pattern[j]) j++
          budget.tick(j >> 2)
          if (j === last) {
            found.add(i - from)
            i += m
            continue
          }
        }
        i += skip[byte]!
      }
    }
  }
}

const searchSets =
  (sets: readonly Uint8Array[]): Search =>
  (s, from, to, found) => {
    const m = sets.length
    for (let i = from; i + m <= to;) {
      let j = 0
      while (j < m && sets[j]![s[i + j]!] === 1) j++
      budget.tick(j + 1)
      if (j === m) {
        found.add(i - from)
        i += m
      } else i++
    }
  }

/** A function that tests whether a whole string matches the pattern. */
export const matcher = (pattern: Uint8Array): ((s: Uint8Array) => boolean) => {
  const places = parse(pattern, true)
  return (s) => {
    let [i, p] = [0, 0]
    // The place of the last star, and the byte from which the pattern after it was last tried.
    let [star, tried] = [-1, 0]
    while (i < s.length) {
      budget.tick()
      const place = places[p]
      if (place === "*") {
        star = p++
        tried = i
      } else if (place !== undefined && place[s[i]!] === 1) {
        p++
        i++
      } else if (star >= 0) {
        p = star + 1
        i = ++tried
      } else return false
    }
    while (places[p] === "*") p++
    return p === places.length
  }
}
