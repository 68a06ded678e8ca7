/**
 * The letters of a K3CSharp value. Its chars are .NET's, of 16 bits each; an image (`_bd`) has the lowest byte of each in a string, and
 * UTF-8 in a symbol. The print has the rest: `\23003` for "☃". Pure.
 *
 * Guarantees: `lettered` gives an item whose texts are letters only where image and print agree on every char of every string; else
 * undefined. Does not: know functions.
 */
import type { Item, TextItem } from "./image.ts"
import { parts } from "../../k3/text/scan.ts"

const LATIN_1 = 255
const utf8 = new TextDecoder()

/** May a char beyond Latin-1 be in what was printed? Those below print escaped as well, with three digits up to `\377`. */
export const mayHoldWide = (printed: string): boolean => /\\(?:[4-7][0-7]{2}|[0-7]{4})/.test(printed)

/** A char, and how many characters of the print it takes; undefined when no number of digits from `least` on fits. */
const charAt = (
  printed: string,
  at: number,
  low: string,
  i: number,
  least: number,
): { readonly char: string; readonly length: number } | undefined => {
  const byte = low.charCodeAt(i)
  const digits = /\\([0-7]{3,6})/y
  digits.lastIndex = at
  const octal = digits.exec(printed)?.[1]
  if (octal === undefined) {
    const length = printed[at] === "\\" ? 2 : 1
    return least > 3 || (length === 1 && printed.charCodeAt(at) !== byte) ? undefined : { char: low[i]!, length }
  }
  for (let n = least; n <= octal.length && (n === 3 || octal[0] !== "0"); n++) {
    const code = Number.parseInt(octal.slice(0, n), 8)
    if ((code & LATIN_1) === byte) return { char: String.fromCharCode(code), length: 1 + n }
  }
  return undefined
}

/**
 * A string's chars, from its print between the quotes and their lowest bytes. Digits behind an escaped char may belong to it or not, so
 * what does not fit leads back to the last choice.
 */
const charsOf = (printed: string, low: string): string | undefined => {
  const chosen: { readonly at: number; readonly char: string; readonly length: number }[] = []
  /** Places in the print, by the number of chars before, that lead nowhere. */
  const dead = new Set<number>()
  let at = 0
  let least = 3
  for (;;) {
    const i = chosen.length
    if (i === low.length && at === printed.length) return chosen.map(({ char }) => char).join("")
    const place = i * (printed.length + 1) + at
    const found = i === low.length || dead.has(place) ? undefined : charAt(printed, at, low, i, least)
    if (found === undefined) {
      dead.add(place)
      const last = chosen.pop()
      if (last === undefined) return undefined
      at = last.at
      // A char takes its digits and the sign before them.
      least = Math.max(4, last.length)
    } else {
      chosen.push({ at, ...found })
      at += found.length
      least = 3
    }
  }
}

/** Strings in a print, between their quotes, without quoted symbols. */
const stringsIn = (printed: string): readonly string[] =>
  Array.from(parts(printed))
    .filter(({ kind, start }) => kind === "string" && printed[start - 1] !== "`")
    .map(({ start, end }) => printed.slice(start + 1, end - 1))

const symbolOf = (bytes: string): string => utf8.decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0)))

/** An item with other strings, and its symbols as letters. */
const withTexts = (item: Item, string: (each: TextItem) => TextItem): Item => {
  const walk = (each: Item): Item => {
    switch (each.type) {
      case 3:
      case -3:
        return string(each)
      case 4:
        return { ...each, text: symbolOf(each.text) }
      case -4:
        return { ...each, texts: each.texts.map(symbolOf) }
      case 0:
      case 5:
        return { ...each, items: each.items.map(walk) } as Item
      default:
        return each
    }
  }
  return walk(item)
}

/** An item with its texts as letters, or undefined when the print is of another value. */
export const lettered = (item: Item, printed: string): Item | undefined => {
  const strings = stringsIn(printed)
  let next = 0
  let isSound = true
  const all = withTexts(item, (each) => {
    const text = charsOf(strings[next++] ?? "", each.text)
    isSound &&= text !== undefined
    return { ...each, text: text ?? "" }
  })
  return isSound && next === strings.length ? all : undefined
}

/** The same of an item whose strings have no letter beyond Latin-1. */
export const narrow = (item: Item): Item => withTexts(item, (each) => each)

/** A string in it, or a char. */
export const holdsChars = (item: Item): boolean =>
  item.type === 3 || item.type === -3 || ((item.type === 0 || item.type === 5) && item.items.some(holdsChars))
