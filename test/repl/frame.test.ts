import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { countedHead, decode, encode, REPORT, ReplySplitter, SENTINEL, type ChildReply } from "../../src/repl/frame.ts"
import { statements } from "../../src/k3/text/statements.ts"

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0))
const text = (data: Uint8Array): string => String.fromCharCode(...data)
const line = (code: string, newline: "keep" | "join"): string => encode(statements(code)[0]!, newline)

describe("encode", () => {
  it("joins lines for an engine that reads one line, and keeps them for the other engine", () => {
    expect(line("{x\n+1 / c\n 2}", "join")).toBe("{x;+1;2}\n")
    expect(line("{x\n+1 / c\n 2}", "keep")).toBe("{x\x1f+1 / c\x1f 2}\n")
  })

  it("lets no protocol byte through", () => {
    expect(line('"a\x01\x02\x1f"\x03 1 / "\x05', "keep")).toBe('"a\\001\\002\\037"\x10C 1 / "\x10E\n')
    expect(line('"\\\x01" + "\\\\\x15"', "join")).toBe('"\\001" + "\\\\\\025"\n')
    const hostile = fc.array(fc.constantFrom("\x01", "\x02", "\x03", "\x05", "\x15", "\x1f", '"', "\\", "/", " ", "a", "(", "\n"))
    fc.assert(
      fc.property(hostile, fc.constantFrom("keep" as const, "join" as const), (pieces, newline) => {
        for (const statement of statements(pieces.join(""))) {
          const sent = encode(statement, newline)
          expect([..."\x01\x02\x03\x05\x15"].filter((byte) => sent.includes(byte))).toEqual([])
          expect(sent.indexOf("\n")).toBe(sent.length - 1)
        }
      }),
    )
  })

  it("is undone by decode", () => {
    const code = fc.array(fc.constantFrom("a", "(", ")", '"', "\n", " /", "\\", "1"))
    for (const byte of "\x01\x02\x03\x05\x10\x15\x1f") {
      const source = `1${byte}2 / ${byte}`
      expect(decode(line(source, "keep").slice(0, -1))).toBe(source)
    }
    fc.assert(
      fc.property(code, (pieces) => {
        for (const statement of statements(pieces.join(""))) expect(decode(encode(statement, "keep").slice(0, -1))).toBe(statement.source)
      }),
    )
  })
})

/** Cuts `stream` at the given offsets and feeds the pieces. */
const feedAt = (splitter: ReplySplitter, stream: Uint8Array, cuts: readonly number[]): ChildReply[] => {
  const places = [0, ...cuts.map((cut) => cut % (stream.length + 1)).sort((a, b) => a - b), stream.length]
  return places.slice(1).flatMap((end, i) => splitter.feed(stream.slice(places[i], end)))
}

describe("ReplySplitter", () => {
  /** Random output with many parts of sentinels. */
  const output = fc
    .array(fc.constantFrom("\x01", "\x02", "a", "\n", "\xff", "bcd"), { maxLength: 20 })
    .map((pieces) => pieces.join("").replaceAll("\x01\x02", "\x01x\x02"))
    .filter((printed) => !printed.endsWith("\x01"))
  const cuts = fc.array(fc.nat(), { maxLength: 12 })

  it("gives the exact bytes of each reply, whatever the chunking", () => {
    fc.assert(
      fc.property(fc.array(output), output, cuts, (outputs, rest, cuts) => {
        const splitter = new ReplySplitter({ head: 1000, tail: 0, reports: false })
        const replies = feedAt(splitter, bytes(outputs.map((each) => `${each}\x01\x02`).join("") + rest), cuts)
        expect(replies.map(({ head }) => text(head))).toEqual(outputs)
        expect(splitter.pending).toBe(rest.length)
        expect(text(splitter.take().head)).toBe(rest)
        expect(splitter.pending).toBe(0)
      }),
    )
  })

  it("passes counted bytes on unchanged, whatever the bytes and the chunks", () => {
    const near = fc.array(fc.constantFrom(0, 1, 2, REPORT, 97), { maxLength: 30 })
    fc.assert(
      fc.property(fc.array(near), output, fc.json(), cuts, (parts, printed, report, cuts) => {
        const splitter = new ReplySplitter({ head: 1000, tail: 0, reports: true })
        const counted = parts.flatMap((part) => [...bytes(countedHead(part.length)), ...part, ...SENTINEL])
        const rest = [...bytes(printed), ...SENTINEL, REPORT, ...new TextEncoder().encode(report), ...SENTINEL]
        const replies = feedAt(splitter, Uint8Array.from([...counted, ...rest]), cuts)
        expect(replies.map(({ head, report }) => [[...head], report])).toEqual([
          ...parts.map((part) => [part, undefined]),
          [[...bytes(printed)], undefined],
          [[], report],
        ])
        expect(splitter.pending).toBe(0)
      }),
    )
  })

  it("splits an error report from the output, whatever the chunking", () => {
    fc.assert(
      fc.property(output, fc.json(), cuts, (printed, report, cuts) => {
        const splitter = new ReplySplitter({ head: 1000, tail: 0, reports: true })
        const stream = new Uint8Array([...bytes(printed), REPORT, ...new TextEncoder().encode(report), ...SENTINEL, ...SENTINEL])
        const replies = feedAt(splitter, stream, cuts)
        expect(replies.map(({ head, report }) => [text(head), report])).toEqual([
          [printed, report],
          ["", undefined],
        ])
      }),
    )
  })

  it("keeps the two ends of a flood and counts the rest, whatever the chunking", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(20), fc.nat(20), cuts, (data, head, tail, cuts) => {
        const printed = data.map((byte) => (byte === 1 ? 3 : byte))
        const splitter = new ReplySplitter({ head, tail, reports: false })
        const flood = feedAt(splitter, new Uint8Array([...printed, ...SENTINEL, 65, ...SENTINEL]), cuts)
        const kept = Math.min(tail, Math.max(0, printed.length - head))
        expect(flood[0]).toEqual({
          bytes: printed.length,
          head: printed.slice(0, head),
          omitted: Math.max(0, printed.length - head - tail),
          tail: printed.slice(printed.length - kept),
        })
        expect(flood[1]!.bytes).toBe(1)
      }),
    )
  })

  it("treats byte 15 as output for an engine without reports", () => {
    const splitter = new ReplySplitter({ head: 10, tail: 0, reports: false })
    expect(splitter.feed(bytes("a\x15b\x01\x02"))).toEqual([{ bytes: 3, head: bytes("a\x15b"), omitted: 0, tail: bytes("") }])
  })

  it("holds only the two ends of a flood of 256 MiB", () => {
    const splitter = new ReplySplitter({ head: 1 << 20, tail: 1 << 20, reports: true })
    const chunk = new Uint8Array(65536).fill(65)
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 4096; i++) splitter.feed(chunk)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20)
    expect(splitter.feed(SENTINEL)[0]).toMatchObject({ bytes: 4096 * 65536, omitted: 4096 * 65536 - (2 << 20) })
  })
})
