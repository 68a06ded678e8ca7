/**
 * Pixels as PNG. Guarantees: exact colours when the file then takes at most `most` bytes, with a palette when there are at most 256 of them; beyond
 * `most`, near colours from a palette. The same pixels and `deflate` give the same bytes. Pure but for `deflate`.
 */
import { crc32 } from "../crc32.ts"
import { joinedBytes } from "../joinedBytes.ts"

export type Deflate = (bytes: Uint8Array) => Uint8Array

/** RGBA, every pixel opaque. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

const chunk = (type: string, data: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(12 + data.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, data.length)
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i)
  bytes.set(data, 8)
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)))
  return bytes
}

const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
const INDEXED = 3
const TRUE_COLOUR = 2

const fileOf = ({ width, height }: Pixels, kind: number, parts: readonly Uint8Array[]): Uint8Array => {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header.set([8, kind, 0, 0, 0], 8)
  return joinedBytes([SIGNATURE, chunk("IHDR", header), ...parts, chunk("IEND", new Uint8Array(0))])
}

/** Pixels as 32-bit numbers, little-endian, as every machine that runs Node is. */
const wordsOf = ({ width, height, rgba }: Pixels): Uint32Array =>
  rgba.byteOffset % 4 === 0 ? new Uint32Array(rgba.buffer, rgba.byteOffset, width * height) : new Uint32Array(rgba.slice().buffer)

const colourOf = (word: number): number => ((word & 255) << 16) | (word & 0xff00) | ((word >>> 16) & 255)

/** The colours, most frequent first; equally frequent ones by their value. `bits`: leading bits of each component that are kept. */
const coloursOf = (words: Uint32Array, bits: number): readonly number[] => {
  const counts = new Map<number, number>()
  const mask = 256 - 2 ** (8 - bits)
  const kept = (mask << 16) | (mask << 8) | mask
  for (let from = 0, to = 0; from < words.length; from = to) {
    const word = words[from]!
    // Most pixels repeat the colour before them.
    do to++
    while (words[to] === word)
    const colour = colourOf(word) & kept
    counts.set(colour, (counts.get(colour) ?? 0) + to - from)
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour)
}

const distance = (a: number, b: number): number =>
  ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2

/** A byte for each pixel: the index of its colour, or of the nearest colour, in the palette. */
const indexed = (pixels: Pixels, palette: readonly number[], deflate: Deflate): Uint8Array => {
  const { width, height } = pixels
  const words = wordsOf(pixels)
  const places = new Map(palette.map((colour, i) => [colour, i]))
  const placeOf = (colour: number): number => {
    let place = places.get(colour)
    if (place !== undefined) return place
    place = 0
    for (let i = 1; i < palette.length; i++) if (distance(palette[i]!, colour) < distance(palette[place]!, colour)) place = i
    places.set(colour, place)
    return place
  }
  const rows = new Uint8Array((width + 1) * height)
  let word = words[0]!
  let place = placeOf(colourOf(word))
  for (let row = 0, from = 0, to = 0; row < height; row++) {
    to++
    for (let column = 0; column < width; column++) {
      const next = words[from++]!
      if (next !== word) place = placeOf(colourOf((word = next)))
      rows[to++] = place
    }
  }
  const colours = Uint8Array.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return fileOf(pixels, INDEXED, [chunk("PLTE", colours), chunk("IDAT", deflate(rows))])
}

/** Stores each byte as its difference from the pixel above, which compresses lines and areas well. */
const trueColour = (pixels: Pixels, deflate: Deflate): Uint8Array => {
  const { width, height, rgba } = pixels
  const UP = 2
  const rows = new Uint8Array((3 * width + 1) * height)
  for (let row = 0, to = 0; row < height; row++) {
    rows[to++] = UP
    for (let column = 0; column < width; column++)
      for (let part = 0; part < 3; part++) {
        const from = 4 * (row * width + column) + part
        rows[to++] = rgba[from]! - (row === 0 ? 0 : rgba[from - 4 * width]!)
      }
  }
  return fileOf(pixels, TRUE_COLOUR, [chunk("IDAT", deflate(rows))])
}

const PALETTE = 256

/** `exact` is false when colours were replaced by near ones. */
export const pngOf = (pixels: Pixels, deflate: Deflate, most = Infinity): { readonly png: Uint8Array; readonly exact: boolean } => {
  const words = wordsOf(pixels)
  const colours = coloursOf(words, 8)
  const exact = colours.length <= PALETTE ? indexed(pixels, colours, deflate) : trueColour(pixels, deflate)
  if (exact.length <= most) return { png: exact, exact: true }
  for (const [bits, n] of [
    [5, PALETTE],
    [4, 64],
    [3, 16],
  ] as const) {
    const common = coloursOf(words, bits).slice(0, n - 2)
    const png = indexed(pixels, [...new Set([0xffffff, 0, ...common])], deflate)
    if (png.length <= most || n === 16) return { png, exact: false }
  }
  return { png: exact, exact: true }
}
