/**
 * Pages of a long output, and the lines of it that hold a text; read block by block. Pure but for the reading. Text is UTF-8; a character
 * that a page begins or ends in the middle of is left out. Does not: keep an index; a far line is found by reading up to it.
 */
import * as Effect from "effect/Effect"

export interface Source {
  readonly bytes: number
  /** What was not kept: from one byte to before another. */
  readonly gap: readonly [from: number, to: number]
  /** Newlines in all that was printed, kept or not. */
  readonly newlines: number
  /** More may come: a last character of several bytes may not be whole yet. */
  readonly pinned?: boolean
  /** At least one byte, if there is one, and no more than asked for. */
  readonly read: (from: number, length: number) => Effect.Effect<Uint8Array>
}

export type Unit = "line" | "byte"

export interface PageRequest {
  /** Lines from 1, or from the end when negative; bytes from 0. */
  readonly from: number
  readonly unit: Unit
  /** Characters of a page. */
  readonly shown: number
}

/** Where to read on. */
export interface Next {
  readonly from: number
  readonly unit: Unit
}

export interface Page {
  readonly bytes: number
  readonly gap: readonly [from: number, to: number]
  /** Bytes of the page: from one to before another. */
  readonly span: readonly [from: number, to: number]
  /** The number of its first line, when it was asked for by line. */
  readonly line?: number
  readonly text: string
  readonly next?: Next
}

export interface Find {
  readonly text: string
  /** The line to begin with: from 1, or from the end when negative. */
  readonly from: number
  /** Characters of all lines together. */
  readonly shown: number
}

export interface Found {
  readonly bytes: number
  readonly gap: readonly [from: number, to: number]
  /** Each with its number, cut around the text. */
  readonly lines: readonly { readonly line: number; readonly text: string }[]
  /** The line to go on with, when there may be more. */
  readonly next?: number
}

const blockSize = 256 * 1024
const NEWLINE = 10
const around = 100
const mostFound = 200
const utf8 = new TextDecoder()
const decode = (bytes: Uint8Array): string => utf8.decode(bytes).replace(/^\uFFFD+|\uFFFD+$/g, "")

/** All that is there of a span, which has no gap in it. */
const readAll = Effect.fnUntraced(function* (source: Source, from: number, to: number) {
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

/** The place behind the `n`th newline from `from` on, or how many there were before `to`. */
const behindNewlines = Effect.fnUntraced(function* (source: Source, from: number, to: number, n: number) {
  let count = 0
  for (let at = from; count < n && at < to;) {
    const block = yield* source.read(at, Math.min(blockSize, to - at))
    if (block.length === 0) break
    for (let i = 0; i < block.length; i++) if (block[i] === NEWLINE && ++count === n) return { at: at + i + 1, count }
    at += block.length
  }
  return { at: n === 0 ? from : undefined, count }
})

/** Spans without a gap. */
const parts = ({ bytes, gap: [from, to] }: Source): readonly (readonly [from: number, to: number])[] =>
  from === to
    ? [[0, bytes]]
    : [
        [0, from],
        [to, bytes],
      ]

/** The number of the line that goes on, or begins, where the last part does. */
const lastPartLine = Effect.fnUntraced(function* (source: Source) {
  const [from, to] = parts(source).at(-1)!
  if (from === 0) return 1
  const { count } = yield* behindNewlines(source, from, to, Infinity)
  return source.newlines - count + 1
})

/** From 1; a last line without a newline counts. */
const fromStart = Effect.fnUntraced(function* (source: Source, from: number) {
  if (from >= 0) return Math.max(1, from)
  const last = source.bytes > 0 ? yield* source.read(source.bytes - 1, 1) : undefined
  const lines = source.newlines + (last !== undefined && last[0] !== NEWLINE ? 1 : 0)
  return Math.max(1, lines + from + 1)
})

/** Where a line begins, and its number; the first that was kept behind it, when it was not; undefined when there is no such line. */
const placeOf = Effect.fnUntraced(function* (source: Source, from: number) {
  const wanted = yield* fromStart(source, from)
  const all = parts(source)
  const [start, to] = all[0]!
  const { at } = yield* behindNewlines(source, start, to, wanted - 1)
  if (at !== undefined && (all.length === 1 || at < to)) return { at, line: wanted }
  if (all.length === 1) return undefined
  const first = yield* lastPartLine(source)
  const span = all[1]!
  if (wanted <= first) return { at: span[0], line: first }
  const later = yield* behindNewlines(source, ...span, wanted - first)
  return later.at === undefined ? undefined : { at: later.at, line: wanted }
})

/** Bytes at the end that begin a character and are not all of it. */
const unfinished = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needs > back ? back : 0
  }
  return 0
}

export const readPage = Effect.fnUntraced(function* (source: Source, { from, unit, shown }: PageRequest): Effect.fn.Return<Page> {
  const { bytes, gap } = source
  const nothing = { bytes, gap, span: [bytes, bytes], text: "" } as const
  const place = unit === "line" ? yield* placeOf(source, from) : { at: from < 0 ? Math.max(0, bytes + from) : from, line: undefined }
  if (place === undefined) return nothing
  const at = place.at >= gap[0] && place.at < gap[1] ? gap[1] : place.at
  if (at >= bytes) return nothing
  const end = at < gap[0] ? gap[0] : bytes
  const read = yield* readAll(source, at, Math.min(end, at + 4 * shown))
  const found = source.pinned === true ? read.subarray(0, read.length - unfinished(read)) : read
  let text = decode(found).slice(0, shown)
  // A page ends with a line, unless one line fills it.
  const atEnd = at + read.length === end && decode(found).length <= shown
  if (!atEnd && text.includes("\n")) text = text.slice(0, text.lastIndexOf("\n") + 1)
  const to = atEnd ? end - (read.length - found.length) : at + new TextEncoder().encode(text).length
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

/** Bytes as characters one for one, for searching. */
const oneByte = new TextDecoder("latin1")

/** The first place of `needle` between two bytes, where its line begins, and how many newlines are before it; `from` begins a line. */
const search = Effect.fnUntraced(function* (source: Source, needle: string, from: number, to: number) {
  let newlines = 0
  let lineStart = from
  for (let at = from; at < to;) {
    const text = oneByte.decode(yield* readAll(source, at, Math.min(to, at + blockSize)))
    const found = text.indexOf(needle)
    // It may begin in the last bytes of a block: those are read again.
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

export const findLines = Effect.fnUntraced(function* (source: Source, { text, from, shown }: Find): Effect.fn.Return<Found> {
  const { bytes, gap } = source
  const needle = oneByte.decode(new TextEncoder().encode(text))
  const lines: { line: number; text: string }[] = []
  const all = parts(source)
  const first = (yield* placeOf(source, from)) ?? { at: bytes, line: 0 }
  let room = shown
  for (const [start, end] of all) {
    if (first.at >= end) continue
    let { at, line } = first.at >= start ? first : { at: start, line: yield* lastPartLine(source) }
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
