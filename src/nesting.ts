/**
 * The number of levels and values of JSON, in a text before it is parsed, and of levels in a value. Guarantees: neither function takes a call for
 * each level of what it refuses, as `JSON.parse` and `JSON.stringify` do, which take seconds, or end in an error, for very many.
 */
import { limits } from "./limits.ts"

/** The position of the quote that ends the string of JSON that begins at `from`; the end of the text without one. */
const stringEnd = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let back = end
    while (text[back - 1] === "\\") back--
    if ((end - back) % 2 === 0) return end
  }
  return text.length
}

/** Has a text of JSON more than `most` levels of objects and lists, or more than `limits.values` values? */
export const exceedsLimits = (text: string, most: number): boolean => {
  if (text.length <= most) return false
  let levels = 0
  let values = 0
  for (let i = 0; i < text.length; i++) {
    const each = text[i]
    if (each === '"') i = stringEnd(text, i)
    else if (each === "]" || each === "}") levels--
    else if (each === ",") values++
    else if (each === "[" || each === "{") {
      levels++
      values++
    }
    if (levels > most || values > limits.values) return true
  }
  return false
}

/** Do objects and lists in a value of JSON have more than `most` levels? */
export const isDeeper = (value: unknown, most: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (most === 0) return true
  return (Array.isArray(value) ? value : Object.values(value)).some((item) => isDeeper(item, most - 1))
}
