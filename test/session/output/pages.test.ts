/** Pages and found lines, compared with a simple implementation on the whole text; and the kept part of an output beyond its limit. */
import * as fc from "fast-check"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { OutputRecording } from "../../../src/session/output/Outputs.ts"
import { findLines, type Next, readPage } from "../../../src/session/output/pages.ts"

const utf8 = new TextEncoder()

/** A file in memory. `onRead` is called before each read. */
const memoryFile = (onRead = (): void => {}) => {
  const bytes = new Uint8Array(1 << 20)
  let end = 0
  return {
    write: (piece: Uint8Array, at: number) => {
      bytes.set(piece, at)
      end = Math.max(end, at + piece.length)
      return true
    },
    // One byte at a time, so that every edge is tested.
    read: (at: number, length: number) =>
      Effect.sync(() => {
        onRead()
        return bytes.slice(at, Math.min(end, at + Math.min(length, 7)))
      }),
    close: () => {},
  }
}

const recorded = (text: string | Uint8Array, most: number): OutputRecording => {
  const recording = new OutputRecording("o1", memoryFile(), most)
  const bytes = typeof text === "string" ? utf8.encode(text) : text
  for (let at = 0; at < bytes.length; at += 11) recording.write(bytes.subarray(at, at + 11))
  return recording
}

const textOf = (...letters: readonly string[]) =>
  fc.string({ unit: fc.constantFrom("a", "b", "\n", "é", "日", "😀", ...letters), minLength: 1, maxLength: 300, size: "max" })
const printed = textOf("\ufeff", "\ufffd")

/** Bytes that are mostly no UTF-8, and none that continue a character. */
const raw = fc
  .array(fc.constantFrom(0x61, 0x0a, 0xc3, 0xe2, 0xf0, 0xff), { minLength: 1, maxLength: 300 })
  .map((bytes) => Uint8Array.from(bytes))

describe("T1 a long output", () => {
  it("is whole when its pages are put together, by line and by byte", () => {
    fc.assert(
      fc.property(printed, fc.integer({ min: 4, max: 50 }), (text, shown) => {
        const source = recorded(text, 10_000)
        for (const unit of ["line", "byte"] as const) {
          let all = ""
          let next: Next | undefined = { from: unit === "line" ? 1 : 0, unit }
          while (next !== undefined) {
            const page: Effect.Success<ReturnType<typeof readPage>> = Effect.runSync(readPage(source, { ...next, shown }))
            expect(page.text.length).toBeLessThanOrEqual(shown)
            if (page.line !== undefined) expect(all.split("\n").length).toBe(page.line)
            all += page.text
            next = page.next
          }
          expect(all).toBe(text)
        }
      }),
    )
  })

  it("has each character once in its pages, also when the first byte, or the end of the gap, is in the middle of a character", () => {
    const trimmed = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replaceAll(/^\uFFFD+|\uFFFD+$/g, "")
    fc.assert(
      fc.property(textOf(), fc.nat({ max: 200 }), fc.integer({ min: 30, max: 2000 }), (text, from, most) => {
        const source = recorded(text, most)
        const bytes = utf8.encode(text)
        const [gapFrom, gapTo] = source.gap
        let all = ""
        let next: Next | undefined = { from, unit: "byte" }
        while (next !== undefined) {
          const page: Effect.Success<ReturnType<typeof readPage>> = Effect.runSync(readPage(source, { ...next, shown: 10 }))
          all += page.text
          next = page.next
        }
        expect(all).toBe(trimmed(bytes.subarray(from, Math.max(from, gapFrom))) + trimmed(bytes.subarray(Math.max(from, gapTo))))
      }),
    )
  })

  it("of bytes that are no UTF-8 is whole too, and its pages follow each other", () => {
    fc.assert(
      fc.property(raw, fc.integer({ min: 4, max: 50 }), (bytes, shown) => {
        const source = recorded(bytes, 10_000)
        let [all, end] = ["", 0]
        let next: Next | undefined = { from: 1, unit: "line" }
        while (next !== undefined) {
          const page: Effect.Success<ReturnType<typeof readPage>> = Effect.runSync(readPage(source, { ...next, shown }))
          expect(page.span[0]).toBe(end)
          expect(page.span[1]).toBeGreaterThan(end)
          all += page.text
          end = page.span[1]
          next = page.next
        }
        expect(all).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))
      }),
    )
  })

  it("shows no part of a character that the beginning of a page cuts", () => {
    const source = recorded("😀😀é", 100)
    expect(Effect.runSync(readPage(source, { from: 1, unit: "byte", shown: 2 }))).toMatchObject({ text: "😀", span: [1, 8] })
    expect(Effect.runSync(readPage(source, { from: 9, unit: "byte", shown: 3 })).text).toBe("")
  })

  it("has its last lines by negative numbers", () => {
    const source = recorded("a\nb\nc\nd\n", 100)
    expect(Effect.runSync(readPage(source, { from: -2, unit: "line", shown: 100 }))).toMatchObject({ text: "c\nd\n", line: 3 })
    expect(Effect.runSync(readPage(source, { from: 9, unit: "line", shown: 100 })).text).toBe("")
  })

  it("finds the lines that contain a text, with their numbers", () => {
    fc.assert(
      fc.property(printed, fc.string({ unit: fc.constantFrom("a", "b", "é"), minLength: 1, maxLength: 3 }), (text, find) => {
        const expected = text.split("\n").flatMap((line, i) => (line.includes(find) ? [i + 1] : []))
        const { lines } = Effect.runSync(findLines(recorded(text, 10_000), { text: find, from: 1, shown: 100_000 }))
        expect(lines.map(({ line }) => line)).toEqual(expected)
        for (const { text: shown } of lines) expect(shown).toContain(find)
      }),
    )
  })

  it("keeps its beginning and end within the limit, and gives the place of the gap", () => {
    const text = Array.from({ length: 200 }, (_, i) => `line ${i + 1}\n`).join("")
    const source = recorded(text, 200)
    expect(source).toMatchObject({ bytes: text.length, kept: 200, gap: [100, text.length - 100] })
    const head = Effect.runSync(readPage(source, { from: 1, unit: "line", shown: 1000 }))
    expect(head).toMatchObject({ text: text.slice(0, 100), next: { from: text.length - 100, unit: "byte" } })
    const tail = Effect.runSync(readPage(source, { ...head.next!, shown: 1000 }))
    expect(tail.text).toBe(text.slice(-100))
    expect(tail.next).toBeUndefined()
    expect(Effect.runSync(readPage(source, { from: -1, unit: "line", shown: 1000 }))).toMatchObject({ text: "line 200\n", line: 200 })
    expect(Effect.runSync(readPage(source, { from: 199, unit: "line", shown: 1000 }))).toMatchObject({
      text: "line 199\nline 200\n",
      line: 199,
    })
    expect(Effect.runSync(readPage(source, { from: 50, unit: "line", shown: 10 })).line).toBe(text.slice(0, -100).split("\n").length)
    expect(Effect.runSync(findLines(source, { text: "line 19", from: 1, shown: 1000 })).lines.at(-1)).toEqual({
      line: 199,
      text: "line 199",
    })
    expect(Effect.runSync(findLines(source, { text: "line 19", from: 196, shown: 1000 })).lines.map(({ line }) => line)).toEqual([
      196, 197, 198, 199,
    ])
    expect(Effect.runSync(findLines(source, { text: "line 20", from: -1, shown: 1000 }))).toMatchObject({
      lines: [{ line: 200 }],
      gap: source.gap,
    })
  })

  it("has the bytes and the numbers of one moment, while so much is printed that those behind the gap are overwritten", () => {
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 400 }), fc.nat({ max: 9 }), fc.integer({ min: 1, max: 60 }), (most, atOnce, from) => {
        let line = 0
        const print = (lines: number): void => {
          while (lines-- > 0) recording.write(utf8.encode(`line ${++line}\n`))
        }
        const recording: OutputRecording = new OutputRecording(
          "o1",
          memoryFile(() => print(atOnce)),
          most,
        )
        print(60)
        const { text, line: first = 0 } = Effect.runSync(
          recording.reading((source) => readPage(source, { from, unit: "line", shown: 100 })),
        )
        // The line behind the gap may lack its beginning, and the one before the gap its end.
        text.split("\n").forEach((each, i) => {
          if (i === 0) expect(`line ${first}`).toContain(each)
          else expect(`line ${first + i}`).toMatch(new RegExp(`^${each}`))
        })
        const { lines } = Effect.runSync(recording.reading((source) => findLines(source, { text: "line ", from, shown: 100 })))
        for (const found of lines) expect(`line ${found.line}`).toMatch(new RegExp(`^${found.text}`))
      }),
    )
  })

  it("continues after the found lines, when there are more than fit", () => {
    const source = recorded("x1\ny\nx2\nx3\n", 100)
    const first = Effect.runSync(findLines(source, { text: "x", from: 1, shown: 15 }))
    expect(first).toMatchObject({ lines: [{ line: 1 }, { line: 3 }], next: 4 })
    expect(Effect.runSync(findLines(source, { text: "x", from: 4, shown: 15 })).lines).toEqual([{ line: 4, text: "x3" }])
  })
})
