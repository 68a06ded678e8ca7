/**
 * Finds the letters of a K3CSharp value. Its chars have 16 bits. An image (`_bd`) has only the lowest byte of each char of a string, and UTF-8
 * in symbols. The printed text has the whole char: `\23003` for "☃". Pure.
 *
 * Guarantees: `lettered` gives an item with letters only when image and printed text agree on every char of every string. Does not: know
 * functions.
 */
import { holds, type Item, type TextItem } from "./image.ts"
import { lettersOf } from "./letters.ts"
import { parts } from "../../k3/text/scan.ts"

const LATIN_1 = 255

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
])
/** The chars that K3CSharp reads in the text of a string. */
export const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{1,3}|[^])/g, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes.get(code) ?? code),
  )

/** Whether a printed text may contain a char beyond Latin-1. Chars up to `\377` are escaped with three digits. */
export const mayHoldWide = (printed: string): boolean => /\\(?:[4-7][0-7]{2}|[0-7]{4})/.test(printed)

/** The char at a place of the printed text, and its length there. Undefined when no escape of at least `least` digits fits the lowest byte. */
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
 * The chars of a string, from its printed text between the quotes and their lowest bytes. Digits after an escape may belong to it or not, so the
 * search goes back to the last choice when nothing fits.
 */
const charsOf = (printed: string, low: string): string | undefined => {
  const chosen: { readonly at: number; readonly char: string; readonly length: number }[] = []
  /** Places in the printed text, together with the number of chars before, from which no solution exists. */
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
      // `length` counts the digits and the backslash, so the next try has at least one digit more.
      least = Math.max(4, last.length)
    } else {
      chosen.push({ at, ...found })
      at += found.length
      least = 3
    }
  }
}

/** The strings in a printed text, without their quotes; quoted symbols are left out. */
const stringsIn = (printed: string): readonly string[] =>
  Array.from(parts(printed))
    .filter(({ kind, start }) => kind === "string" && printed[start - 1] !== "`")
    .map(({ start, end }) => printed.slice(start + 1, end - 1))

/** An item whose symbols are decoded as UTF-8, and whose strings and chars are replaced by `string`. */
const withTexts = (item: Item, string: (each: TextItem) => TextItem): Item => {
  switch (item.type) {
    case 3:
    case -3:
      return string(item)
    case 4:
      return { ...item, text: lettersOf(item.text) }
    case -4:
      return { ...item, texts: item.texts.map(lettersOf) }
    case 0:
    case 5:
      return { ...item, items: item.items.map((each) => withTexts(each, string)) } as Item
    default:
      return item
  }
}

/** An item with its texts as letters. Undefined when the printed text belongs to another value. */
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

/** Decodes the symbols of an item, whose strings have no char beyond Latin-1. */
export const narrow = (item: Item): Item => withTexts(item, (each) => each)

/** Whether an item contains a string or a char. */
export const holdsChars = (item: Item): boolean => holds(item, ({ type }) => type === 3 || type === -3)
