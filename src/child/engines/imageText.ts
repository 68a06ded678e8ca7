/**
 * Writes an image (`_bd`) as K text, for scripts that people read.
 *
 * Guarantees: on the embedded engine, evaluating the text gives exactly the image's value. A value without such a text, for example a verb in a
 * list or a function of another directory, becomes `_db` of its image.
 */
import { imageOf, type Item, itemOf } from "./image.ts"

const DEEPEST = 100
const PLAIN_SYMBOL = /^(?:[A-Za-z][A-Za-z0-9]*)?$/

const escaped = (text: string): string =>
  `"${text.replaceAll(/[^]/g, (c) => {
    const code = c.charCodeAt(0)
    if (c === '"' || c === "\\") return `\\${c}`
    if (c === "\n") return "\\n"
    return code < 32 || (code > 126 && code < 256) ? `\\${code.toString(8).padStart(3, "0")}` : c
  })}"`

const int = (x: number): string => (x === -(2 ** 31) ? "0N" : x === 2 ** 31 - 1 ? "0I" : x === 1 - 2 ** 31 ? "-0I" : String(x))

const float = (x: number): string => {
  if (Number.isNaN(x)) return "0n"
  if (!Number.isFinite(x)) return x > 0 ? "0i" : "-0i"
  const text = Object.is(x, -0) ? "-0" : String(x).replace("e+", "e")
  return /[.e]/.test(text) ? text : `${text}.0`
}

const symbol = (text: string): string => `\`${PLAIN_SYMBOL.test(text) ? text : escaped(text)}`

/** The text of a vector from its items' texts; a single item is enlisted. `empty`: the text of an empty vector. */
export const vector = (items: readonly string[], empty: string, between: string): string =>
  items.length === 0 ? empty : items.length === 1 ? `,${items[0]}` : items.join(between)

const isAtom = ({ type }: Item): boolean => type >= 1 && type <= 4

/** The text of an item without `_db`; undefined when there is none. Chars beyond Latin-1, which only items of K3CSharp have, are kept. */
export const plainText = (item: Item, directory: string): string | undefined => {
  switch (item.type) {
    case 1:
      return int(item.value)
    case 2:
      return float(item.value)
    case 3:
      return escaped(item.text)
    case 4:
      return symbol(item.text)
    case 6:
      return "_n"
    case 10:
      return item.text.startsWith("{") && item.captured === undefined && ["", directory].includes(item.directory) ? item.text : undefined
    case -1:
      return vector(Array.from(item.values, int), "!0", " ")
    case -2:
      return vector(Array.from(item.values, float), "0#0.0", " ")
    case -3:
      return item.text.length === 1 ? `,${escaped(item.text)}` : escaped(item.text)
    case -4:
      return vector(item.texts.map(symbol), "0#`", "")
    case 5:
      return dotted(list(item.items, directory))
    case 0: {
      const [first] = item.items
      // The text of a list of atoms of one type would make a vector.
      const isVector = first !== undefined && isAtom(first) && item.items.every(({ type }) => type === first.type)
      return isVector ? undefined : list(item.items, directory)
    }
  }
}

const dotted = (text: string | undefined): string | undefined => text && `.${text}`

const list = (items: readonly Item[], directory: string): string | undefined => {
  const texts = items.map((each) => plainText(each, directory))
  if (texts.includes(undefined)) return undefined
  if (texts.length > 1) return `(${texts.join(";")})`
  // A comma directly before a function with an adverb would be composed with it.
  return texts.length === 0 ? "()" : items[0]!.type === 10 ? `,(${texts[0]})` : `,${texts[0]}`
}

/** The image itself as a K string. */
export const literal = (image: Uint8Array): string => {
  let text = ""
  for (const byte of image) text += String.fromCharCode(byte)
  return escaped(text)
}

/** The text of an item of a variable in `.k`. */
export const itemText = (item: Item): string => plainText(item, ".k") ?? `_db ${literal(imageOf(item))}`

/** The text of an image, as a byte string. */
export const textOf = (image: Uint8Array, directory: string): string => {
  const item = itemOf(image, DEEPEST)
  return (item && plainText(item, directory)) ?? `_db ${literal(image)}`
}
