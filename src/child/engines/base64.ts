/** Base64 as bytes, read where it lies: an image of 100 MB would pass through several texts of its length otherwise. Pure. */

const codes = new Uint8Array(256)
for (const [i, c] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries()) codes[c.charCodeAt(0)] = i

const PAD = 61

/** Writes the bytes of `text` into `into` from `at` on, as far as there is room; gives where they end. */
export const decodeBase64 = (text: Uint8Array, into: Uint8Array, at: number): number => {
  let end = text.length
  while (end > 0 && text[end - 1] === PAD) end--
  let to = at
  let i = 0
  for (; i + 4 <= end; i += 4) {
    const bits = (codes[text[i]!]! << 18) | (codes[text[i + 1]!]! << 12) | (codes[text[i + 2]!]! << 6) | codes[text[i + 3]!]!
    into[to++] = bits >> 16
    into[to++] = bits >> 8
    into[to++] = bits
  }
  if (end - i >= 2) {
    const bits = (codes[text[i]!]! << 18) | (codes[text[i + 1]!]! << 12) | (end - i > 2 ? codes[text[i + 2]!]! << 6 : 0)
    into[to++] = bits >> 16
    if (end - i > 2) into[to++] = bits >> 8
  }
  return Math.min(to, into.length)
}
