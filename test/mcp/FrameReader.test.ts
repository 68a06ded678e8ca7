/**
 * M9 the messages that were sent are read, whatever the chunks, in both framings and mixed.
 * M10 a message above the limit is skipped and reported, and the next one is read.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FrameReader, type Frame, type Framing } from "../../src/mcp/FrameReader.ts"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const framed = (text: string, framing: Framing, eol: string): string =>
  framing === "line"
    ? `${text}${eol}`
    : `Content-Length: ${encode(text).length}${eol}Content-Type: application/vscode-jsonrpc; charset=utf-8${eol}${eol}${text}`

const read = (chunks: readonly Uint8Array[], limit = 1_000_000): readonly Frame[] => {
  const frames: Frame[] = []
  const reader = new FrameReader((frame) => frames.push(frame), limit)
  for (const chunk of chunks) reader.push(chunk)
  return frames
}

/** Cuts bytes at the given offsets. */
const cut = (bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] => {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length))
}

const message = fc.record({
  text: fc.json({ stringUnit: "binary" }).map((text) => `{"x":${text}}`),
  framing: fc.constantFrom<Framing>("line", "content-length"),
  eol: fc.constantFrom("\n", "\r\n"),
  blank: fc.constantFrom("", "\n", "\r\n", "  ", "\t\n"),
})

describe("M9", () => {
  it("reads both framings, mixed, however they are split", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 40 }), (messages, places) => {
        const bytes = encode(messages.map(({ text, framing, eol, blank }) => blank + framed(text, framing, eol)).join(""))
        const frames = read(cut(bytes, places))
        expect(frames.map((frame) => (frame.kind === "message" ? [frame.framing, frame.text.trimEnd()] : frame))).toEqual(
          messages.map(({ text, framing }) => [framing, text]),
        )
      }),
    )
  })

  it("reads them byte by byte", () => {
    const bytes = encode(framed('{"é":"日"}', "content-length", "\r\n") + framed('{"x":1}', "line", "\n"))
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([
      { kind: "message", text: '{"é":"日"}', framing: "content-length" },
      { kind: "message", text: '{"x":1}', framing: "line" },
    ])
  })

  it("gives nothing for half a message", () => {
    expect(read([encode('{"x":')])).toEqual([])
    expect(read([encode('Content-Length: 10\r\n\r\n{"x"')])).toEqual([])
  })

  it("reads a last line without a newline at the end of the input", () => {
    const frames: Frame[] = []
    const reader = new FrameReader((frame) => frames.push(frame), 100)
    reader.push(encode('{"x":1}\n{"y":2}'))
    reader.end()
    reader.end()
    expect(frames.map((frame) => frame.kind === "message" && frame.text.trim())).toEqual(['{"x":1}', '{"y":2}'])
  })

  it("gives a message that the end of the input cuts off as far as it came", () => {
    const cutOff = (text: string): readonly Frame[] => {
      const frames: Frame[] = []
      const reader = new FrameReader((frame) => frames.push(frame), 100)
      reader.push(encode(text))
      reader.end()
      reader.end()
      return frames
    }
    const message = (text: string): Frame => ({ kind: "message", text, framing: "content-length" })
    expect(cutOff('Content-Length: 10\r\n\r\n{"x":')).toEqual([message('{"x":')])
    for (const headers of ["Content-Length: 10", "Content-Length: 10\r\n", "Content-Length: 10\r\n\r\n"])
      expect(cutOff(headers)).toEqual([message("")])
    expect(cutOff("  \n ")).toEqual([])
    expect(cutOff(`Content-Length: 200\r\n\r\n{"x":`)).toEqual([{ kind: "too-large", framing: "content-length" }])
  })

  it("never throws and goes on, whatever bytes arrive", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 10 }), (chunks) => {
        const frames = read([...chunks, encode(`\n\n${" ".repeat(9000)}\n\n\n{"last":1}\n`)])
        expect(frames.length).toBeGreaterThan(0)
      }),
    )
  })
})

describe("M10", () => {
  const limit = 100
  const long = JSON.stringify({ x: "y".repeat(200) })

  it.each<Framing>(["line", "content-length"])("skips what is too long: %s", (framing) => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 20 }), (places) => {
        const bytes = encode(framed(long, framing, "\n") + framed('{"x":1}', "line", "\n"))
        expect(read(cut(bytes, places), limit).map((frame) => frame.kind)).toEqual(["too-large", "message"])
      }),
    )
  })

  it("accepts a message of exactly the limit", () => {
    const text = `{"x":"${"y".repeat(limit - 8)}"}`
    expect(text.length).toBe(limit)
    expect(read([encode(`${text}\n`)], limit)).toEqual([{ kind: "message", text, framing: "line" }])
  })
})

describe("headers", () => {
  it.each([
    ["without a length", "Content-Type: text/plain\r\n\r\n"],
    ["with a length of nothing", "Content-Length: 0\r\n\r\n"],
    ["with a length that is none", "Content-Length: many\r\n\r\n"],
    ["with a length beyond every message", "Content-Length: 99999999999\r\n\r\n"],
    ["with a negative length", "Content-Length: -5\r\n\r\n"],
    ["with a line that never ends", `Content-Length: 5\r\nX: ${"y".repeat(10_000)}\n`],
    ["that never end", `Content-Length: 5\r\n${"X: y\r\n".repeat(32)}`],
  ])("%s are reported, and the next message is read", (_, header) => {
    const frames = read([encode(`${header}{"x":1}\n`)])
    expect(frames.map((frame) => frame.kind)).toEqual(["bad-header", "message"])
  })
})

it("reads each byte of a long line once: the work grows with the length, not with the number of chunks", () => {
  /** Counts the bytes that the reader searches and copies. */
  class Counted extends Uint8Array {
    static touched = 0
    override indexOf(searched: number, from = 0): number {
      const found = super.indexOf(searched, from)
      Counted.touched += (found < 0 ? this.length : found) - from
      return found
    }
  }
  const work = (length: number, chunk: number): number => {
    Counted.touched = 0
    const frames: Frame[] = []
    const reader = new FrameReader((frame) => frames.push(frame), 64 * 1024 * 1024)
    const filler = new Counted(chunk).fill(120)
    reader.push(encode('{"x":"'))
    for (let sent = 0; sent < length; sent += chunk) reader.push(filler)
    reader.push(encode('"}\n'))
    expect(frames.map((frame) => frame.kind === "message" && frame.text.length)).toEqual([length + 8])
    return Counted.touched
  }
  expect(work(4_000_000, 4000)).toBe(4_000_000)
  expect(work(4_000_000, 64_000 / 4)).toBe(4_000_000)
  expect(work(50_000_000, 50_000)).toBe(50_000_000)
})
