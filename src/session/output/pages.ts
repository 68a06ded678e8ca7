/**
 * Reads pages of a long output, and finds its lines that contain a text. The output is UTF-8; other bytes are shown as U+FFFD.
 *
 * Guarantees: at most a block, or a page, is in memory. A page ends with a whole character, so the pages make the whole output. A character cut by
 * the place that a caller gives, or by the gap, is left out. Does not: keep an index; a line is found by reading all lines before it.
 */
import * as Effect from "effect/Effect"

/** The bytes from the first to before the second position. */
type Span = readonly [from: number, to: number]

export interface OutputBytes {
  readonly bytes: number
  /** The bytes that were not kept: from the first to before the second position. */
  readonly gap: Span
  /** Number of newlines in the whole output, dropped bytes included. */
  readonly newlines: number
  /** The output is still arriving, so its last character may be incomplete. */
  readonly pinned?: boolean
  /** Reads at most `length` bytes, and at least one unless there is none. */
  readonly read: (from: number, length: number) => Effect.Effect<Uint8Array>
}

type Unit = "line" | "byte"

export interface PageRequest {
  /** A line from 1, or from the end when negative; a byte from 0, or from the end when negative. */
  readonly from: number
  readonly unit: Unit
  /** Characters of the page. */
  readonly shown: number
}

/** The beginning of the next page. */
export interface Next {
  readonly from: number
  readonly unit: Unit
}

export interface Page {
  readonly bytes: number
  readonly gap: Span
  /** The bytes of the page: from the first to before the second position. */
  readonly span: Span
  /** Number of the page's first line, when the request was by line. */
  readonly line?: number
  readonly text: string
  readonly next?: Next
}

export interface Find {
  readonly text: string
  /** The first line to search: from 1, or from the end when negative. */
  readonly from: number
  /** Characters of all lines together. */
  readonly shown: number
}

export interface FoundLines {
  readonly bytes: number
  readonly gap: Span
  /** Matching lines with their numbers, each cut to the surroundings of the match. */
  readonly lines: readonly { readonly line: number; readonly text: string }[]
  /** The line with which to continue, when there may be more matches. */
  readonly next?: number
}

const blockSize = 256 * 1024
export const NEWLINE = 10
const around = 100
const mostFound = 200
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Reads a span without a gap; less at the end of the source. */
export const readAll = Effect.fnUntraced(function* (source: OutputBytes, from: number, to: number) {
  const all = new Uint8Array(Math.max(0, to - from))
  let at = 0
  while (at < all.length) {
    const piece = yield* source.read(from + at, Math.min(blockSize, all.length - at))
    if (piece.length === 0) break
    all.set(piece, at)
    at += piece.length
  }
  return all.subarray(0, at)
})

/** The position after the `n`th newline from `from` on. `count`: newlines found before `to`, at most `n`. */
const behindNewlines = Effect.fnUntraced(function* (source: OutputBytes, from: number, to: number, n: number) {
  let count = 0
  for (let at = from; count < n && at < to;) {
    const block = yield* source.read(at, Math.min(blockSize, to - at))
    if (block.length === 0) break
    for (let i = 0; i < block.length; i++) if (block[i] === NEWLINE && ++count === n) return { at: at + i + 1, count }
    at += block.length
  }
  return { at: n === 0 ? from : undefined, count }
})

/** The spans of kept bytes: one, or two around the gap. */
const spansOf = ({ bytes, gap: [from, to] }: OutputBytes): readonly Span[] =>
  from === to
    ? [[0, bytes]]
    : [
        [0, from],
        [to, bytes],
      ]

/** Number of the line that contains the first byte of a span. */
const firstLineOf = Effect.fnUntraced(function* (source: OutputBytes, [from, to]: Span) {
  if (from === 0) return 1
  const { count } = yield* behindNewlines(source, from, to, Infinity)
  return source.newlines - count + 1
})

/** Makes a line number from the end one from the start. A last line without a newline counts. */
const fromStart = Effect.fnUntraced(function* (source: OutputBytes, from: number) {
  if (from >= 0) return Math.max(1, from)
  const last = source.bytes > 0 ? yield* source.read(source.bytes - 1, 1) : undefined
  const lines = source.newlines + (last !== undefined && last[0] !== NEWLINE ? 1 : 0)
  return Math.max(1, lines + from + 1)
})

/** The position and number of a line; of the first kept line after the gap, when the line is in the gap. Undefined when there is no such line. */
const placeOf = Effect.fnUntraced(function* (source: OutputBytes, from: number) {
  const wanted = yield* fromStart(source, from)
  const spans = spansOf(source)
  for (const span of spans) {
    const [start, end] = span
    const first = yield* firstLineOf(source, span)
    if (wanted <= first) return { at: start, line: first }
    const { at } = yield* behindNewlines(source, start, end, wanted - first)
    // A line that begins at the end of the first span is in the gap.
    if (at !== undefined && (at < end || span === spans.at(-1))) return { at, line: wanted }
  }
  return undefined
})

const goesOn = (byte: number): boolean => (byte & 0xc0) === 0x80

/** Number of bytes at the beginning that belong to a character which began before them. */
const begunBefore = (bytes: Uint8Array): number => {
  const first = bytes.subarray(0, 4).findIndex((byte) => !goesOn(byte))
  return first < 0 && bytes.length < 4 ? bytes.length : Math.max(0, first)
}

/** Number of bytes at the end that belong to an incomplete character. */
const unfinished = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (goesOn(byte)) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needs > back ? back : 0
  }
  return 0
}

/** The text of bytes from the middle of an output, without the parts of characters at their edges. */
const decode = (bytes: Uint8Array): string => utf8.decode(bytes.subarray(begunBefore(bytes), bytes.length - unfinished(bytes)))

/** Number of bytes at the beginning, in whole characters, whose text has at most `most` characters. Bytes that are no UTF-8 may give more. */
const fitting = (bytes: Uint8Array, most: number): number => {
  let length = 0
  const end = bytes.findIndex((byte) => !goesOn(byte) && (length += byte >= 0xf0 ? 2 : 1) > most)
  return end < 0 ? bytes.length : end
}

export const readPage = Effect.fnUntraced(function* (source: OutputBytes, { from, unit, shown }: PageRequest): Effect.fn.Return<Page> {
  const { bytes, gap } = source
  const nothing = { bytes, gap, span: [bytes, bytes], text: "" } as const
  const place = unit === "line" ? yield* placeOf(source, from) : { at: from < 0 ? Math.max(0, bytes + from) : from, line: undefined }
  if (place === undefined) return nothing
  const at = place.at >= gap[0] && place.at < gap[1] ? gap[1] : place.at
  if (at >= bytes) return nothing
  const end = at < gap[0] ? gap[0] : bytes
  const read = yield* readAll(source, at, Math.min(end, at + 4 * shown))
  const isToEnd = at + read.length === end
  // The last character may be cut, by the gap or since the rest is still to come.
  const whole = isToEnd && end === bytes && source.pinned !== true ? read : read.subarray(0, read.length - unfinished(read))
  const room = fitting(whole, shown)
  const atEnd = isToEnd && room === whole.length
  // A page ends with a line, unless one line fills it.
  const found = atEnd ? whole : whole.subarray(0, whole.lastIndexOf(NEWLINE, room - 1) + 1 || room)
  const to = atEnd && end < bytes ? end : at + found.length
  const isPlaced = at > 0 && (unit === "byte" || at === gap[1])
  const text = utf8.decode(isPlaced ? found.subarray(begunBefore(found)) : found)
  const lines = text.split("\n").length - 1
  const goesOnByLine = place.line !== undefined && text.endsWith("\n") && to !== gap[0]
  const next: Next | undefined =
    to >= bytes
      ? undefined
      : goesOnByLine
        ? { from: place.line + lines, unit: "line" }
        : { from: to === gap[0] ? gap[1] : to, unit: "byte" }
  return {
    bytes,
    gap,
    span: [at, to],
    text,
    ...(place.line !== undefined && { line: place.line }),
    ...(next !== undefined && { next }),
  }
})

/** Decodes each byte as one character, for searching. */
const oneByte = new TextDecoder("latin1")

/** The first match of `needle` in a span, the beginning of its line, and the number of newlines before it. `from` is the beginning of a line. */
const search = Effect.fnUntraced(function* (source: OutputBytes, needle: string, from: number, to: number) {
  let newlines = 0
  let lineStart = from
  for (let at = from; at < to;) {
    const text = oneByte.decode(yield* readAll(source, at, Math.min(to, at + blockSize)))
    const found = text.indexOf(needle)
    // A match may begin in the last bytes of the block, so these are read again with the next one.
    const end = found < 0 ? Math.max(0, text.length - needle.length + 1) : found
    for (let i = text.indexOf("\n"); i >= 0 && i < end; i = text.indexOf("\n", i + 1)) {
      newlines++
      lineStart = at + i + 1
    }
    if (found >= 0) return { at: at + found, lineStart, newlines }
    if (text.length < blockSize) break
    at += end
  }
  return undefined
})

export const findLines = Effect.fnUntraced(function* (source: OutputBytes, { text, from, shown }: Find): Effect.fn.Return<FoundLines> {
  const { bytes, gap } = source
  const needle = oneByte.decode(new TextEncoder().encode(text))
  const lines: { line: number; text: string }[] = []
  const first = (yield* placeOf(source, from)) ?? { at: bytes, line: 0 }
  let room = shown
  for (const span of spansOf(source)) {
    const [start, end] = span
    if (first.at >= end) continue
    let { at, line } = first.at >= start ? first : { at: start, line: yield* firstLineOf(source, span) }
    for (;;) {
      const found = yield* search(source, needle, at, end)
      if (found === undefined) break
      line += found.newlines
      if (room <= 0 || lines.length >= mostFound) return { bytes, gap, lines, next: line }
      const left = Math.max(found.lineStart, found.at - around)
      const right = Math.min(end, found.at + needle.length + around)
      const [part = "", ...rest] = decode(yield* readAll(source, left, right)).split("\n")
      lines.push({ line, text: `${left > found.lineStart ? "…" : ""}${part}${rest.length === 0 && right < end ? "…" : ""}` })
      room -= part.length + 8
      const behind = yield* behindNewlines(source, found.at, end, 1)
      if (behind.at === undefined) break
      at = behind.at
      line++
    }
  }
  return { bytes, gap, lines }
})
