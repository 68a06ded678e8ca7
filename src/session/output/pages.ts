/**
 * Pages of a long output, and the lines of it that hold a text; read block by block. Pure but for the reading. Text is UTF-8; a character
 * that a page begins or ends in the middle of is left out. Does not: keep an index; a far line is found by reading up to it.
 */
import * as Effect from "effect/Effect"

export interface Source {
  readonly bytes: number
  /** What was not kept: from one byte to before another. */
  readonly gap: readonly [from: number, to: number]
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

/** The number of lines of a span; a last one without a newline counts. */
const linesIn = Effect.fnUntraced(function* (source: Source, [from, to]: readonly [number, number]) {
  const { count } = yield* behindNewlines(source, from, to, Infinity)
  const last = to > from ? yield* source.read(to - 1, 1) : undefined
  return count + (last !== undefined && last[0] !== NEWLINE ? 1 : 0)
})

/** Where a line begins, and the number it goes by; the end when there is no such line. */
const placeOf = Effect.fnUntraced(function* (source: Source, from: number) {
  const all = parts(source)
  if (from >= 0) {
    const [start, to] = all[0]!
    const { at } = yield* behindNewlines(source, start, to, Math.max(0, from - 1))
    return at === undefined ? undefined : { at, line: Math.max(1, from) }
  }
  const span = all.at(-1)!
  const lines = yield* linesIn(source, span)
  const skipped = Math.max(0, lines + from)
  const { at } = yield* behindNewlines(source, ...span, skipped)
  return at === undefined ? undefined : { at, line: all.length === 1 ? skipped + 1 : skipped - lines }
})

export const readPage = Effect.fnUntraced(function* (source: Source, { from, unit, shown }: PageRequest): Effect.fn.Return<Page> {
  const { bytes, gap } = source
  const nothing = { bytes, gap, span: [bytes, bytes], text: "" } as const
  const place = unit === "line" ? yield* placeOf(source, from) : { at: from < 0 ? Math.max(0, bytes + from) : from, line: undefined }
  if (place === undefined) return nothing
  const at = place.at >= gap[0] && place.at < gap[1] ? gap[1] : place.at
  if (at >= bytes) return nothing
  const end = at < gap[0] ? gap[0] : bytes
  const found = yield* readAll(source, at, Math.min(end, at + 4 * shown))
  let text = decode(found).slice(0, shown)
  // A page ends with a line, unless one line fills it.
  const atEnd = at + found.length === end && decode(found).length <= shown
  if (!atEnd && text.includes("\n")) text = text.slice(0, text.lastIndexOf("\n") + 1)
  const to = atEnd ? end : at + new TextEncoder().encode(text).length
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

export const findLines = Effect.fnUntraced(function* (source: Source, request: Find): Effect.fn.Return<Found> {
  const needle = oneByte.decode(new TextEncoder().encode(request.text))
  const lines: { line: number; text: string }[] = []
  let room = request.shown
  const all = parts(source)
  // Without a gap all lines count from 1.
  const wanted = request.from < 0 && all.length === 1 ? Math.max(1, (yield* linesIn(source, all[0]!)) + request.from + 1) : request.from
  for (const [index, [start, end]] of all.entries()) {
    // Behind a gap lines count from the end.
    let line = index === 0 ? 1 : -(yield* linesIn(source, [start, end]))
    let lineStart = start
    let carry = ""
    let done = false
    for (let at = start; at < end && !done;) {
      const block = yield* source.read(at, Math.min(blockSize, end - at))
      if (block.length === 0) break
      const textStart = at - carry.length
      const text = carry + oneByte.decode(block)
      at += block.length
      let from = 0
      while (from < text.length) {
        const found = done ? -1 : text.indexOf(needle, from)
        const to = found < 0 ? text.length : found
        for (let i = text.indexOf("\n", from); i >= 0 && i < to; i = text.indexOf("\n", i + 1)) {
          line++
          lineStart = textStart + i + 1
        }
        if (found < 0) break
        const next = text.indexOf("\n", found)
        if (line < 0 === wanted < 0 ? line >= wanted : line < 0) {
          if (room <= 0 || lines.length >= mostFound) return { bytes: source.bytes, lines, next: line }
          const position = textStart + found
          const first = Math.max(lineStart, position - around)
          const last = Math.min(end, position + needle.length + around)
          const [shown = "", ...rest] = decode(yield* readAll(source, first, last)).split("\n")
          lines.push({ line, text: `${first > lineStart ? "…" : ""}${shown}${rest.length === 0 && last < end ? "…" : ""}` })
          room -= shown.length + 8
        }
        // On to the next line; where it is not in this block, the rest of this one is passed over below.
        if (next < 0) {
          const behind = yield* behindNewlines(source, at, end, 1)
          if (behind.at === undefined) done = true
          else at = behind.at
          line++
          lineStart = at
          carry = ""
          from = Number.POSITIVE_INFINITY
        } else from = next
      }
      if (from === Number.POSITIVE_INFINITY) continue
      carry = text.slice(Math.max(from, text.length - needle.length + 1))
      if (carry.includes("\n")) carry = carry.slice(carry.lastIndexOf("\n") + 1)
    }
  }
  return { bytes: source.bytes, lines }
})
