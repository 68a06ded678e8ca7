/**
 * Text to the bytes of UTF-8, as a string of one character for each byte, and back. The interpreter takes and gives text in this form. Guarantees:
 * needs nothing but JavaScript itself; a lone surrogate, and bytes that are not UTF-8, become U+FFFD, as in Node and browsers (a test holds it).
 */

const REPLACEMENT = 0xfffd

/** Of a character beyond ASCII. */
const bytesOf = (point: number): readonly number[] => {
  const tail = (shift: number): number => 0x80 | ((point >> shift) & 0x3f)
  if (point < 0x800) return [0xc0 | (point >> 6), tail(0)]
  if (point < 0x10000) return [0xe0 | (point >> 12), tail(6), tail(0)]
  return [0xf0 | (point >> 18), tail(12), tail(6), tail(0)]
}

const isSurrogate = (point: number): boolean => point >= 0xd800 && point <= 0xdfff

export const toBytes = (text: string): string => {
  if (!/[^\0-\x7f]/.test(text)) return text
  const encoded: string[] = []
  for (const letter of text) {
    const point = letter.codePointAt(0)!
    encoded.push(point < 0x80 ? letter : String.fromCharCode(...bytesOf(isSurrogate(point) ? REPLACEMENT : point)))
  }
  return encoded.join("")
}

/** The bytes of one character, without overlong forms and surrogates, or as many of them as there are; or a byte that begins none. */
const CHARACTER =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]?|\xed[\x80-\x9f][\x80-\xbf]?|[\xe1-\xec\xee\xef][\x80-\xbf]{1,2}|\xf0[\x90-\xbf][\x80-\xbf]{0,2}|[\xf1-\xf3][\x80-\xbf]{1,3}|\xf4[\x80-\x8f][\x80-\xbf]{0,2}|[\x80-\xff]/g

const character = (bytes: string): string => {
  const first = bytes.charCodeAt(0)
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  if (bytes.length < length) return String.fromCharCode(REPLACEMENT)
  let point = first & (0x7f >> length)
  for (let i = 1; i < length; i++) point = (point << 6) | (bytes.charCodeAt(i) & 0x3f)
  return String.fromCodePoint(point)
}

/** Characters above U+00FF stay: the interpreter writes its own messages with them. */
export const fromBytes = (bytes: string): string => bytes.replaceAll(CHARACTER, character)
