/**
 * Cuts a byte stream into messages, whatever the chunks. Each message has one of two framings: a line of JSON, or a body behind
 * `Content-Length` headers. Guarantees: each byte is read once and copied at most once, so a 50 MB line takes linear time; at most `limit`
 * bytes are held. A longer message is skipped and reported, and so is a header block without a usable length.
 * Does not: parse JSON.
 */
import { joinedBytes } from "../joinedBytes.ts"
import { HEADER_LIMIT, HeaderBlock, isHeader } from "./contentLength.ts"

export type Framing = "line" | "content-length"

export type Frame =
  | { readonly kind: "message"; readonly text: string; readonly framing: Framing }
  /** The message has more than `limit` bytes and is skipped. */
  | { readonly kind: "too-large"; readonly framing: Framing }
  /** Headers without a usable length. */
  | { readonly kind: "bad-header"; readonly header: string }

const NEWLINE = 10
const isBlank = (byte: number): boolean => byte === 32 || byte === 9 || byte === 13 || byte === NEWLINE

export class FrameReader {
  /** The part of a message that comes next; `skip-…` is the rest of a message that is too large. */
  private state: "start" | "line" | "headers" | "body" | "skip-line" | "skip-body" = "start"
  private readonly decoder = new TextDecoder()
  private held: Uint8Array[] = []
  private heldBytes = 0
  /** The header block that is being read. */
  private headers = new HeaderBlock()
  /** The length of the body in `body`; the bytes still to skip in `skip-body`. */
  private bodyBytes = 0

  constructor(
    private readonly emit: (frame: Frame) => void,
    /** The most bytes one message may have. */
    private readonly limit: number,
  ) {}

  push(chunk: Uint8Array): void {
    let at = 0
    while (at < chunk.length) at = this.step(chunk, at)
  }

  /** The end of the input: a last line needs no newline, and a body, or its headers, that the end cuts off is a message as far as it came. */
  end(): void {
    if (this.state === "line") this.push(Uint8Array.of(NEWLINE))
    if (this.state !== "headers" && this.state !== "body") return
    this.state = "start"
    this.emit({ kind: "message", text: this.take(new Uint8Array(), 0, 0), framing: "content-length" })
  }

  /** Reads from `at` until the state changes or the chunk ends; returns the next index to read. */
  private step(chunk: Uint8Array, at: number): number {
    switch (this.state) {
      case "start":
        while (at < chunk.length && isBlank(chunk[at]!)) at++
        if (at < chunk.length) this.state = "line"
        return at
      case "line":
      case "headers": {
        const newline = chunk.indexOf(NEWLINE, at)
        const end = newline < 0 ? chunk.length : newline
        const most = this.state === "line" ? this.limit : HEADER_LIMIT
        if (this.heldBytes + end - at > most) return this.tooLong(at)
        if (newline < 0) return this.hold(chunk, at, end)
        const line = this.take(chunk, at, end)
        if (this.state === "headers" || isHeader(line)) this.header(line.replace(/\r$/, ""))
        else {
          this.state = "start"
          this.emit({ kind: "message", text: line, framing: "line" })
        }
        return newline + 1
      }
      case "body": {
        const end = Math.min(chunk.length, at + this.bodyBytes - this.heldBytes)
        if (this.heldBytes + end - at < this.bodyBytes) return this.hold(chunk, at, end)
        const text = this.take(chunk, at, end)
        this.state = "start"
        this.emit({ kind: "message", text, framing: "content-length" })
        return end
      }
      case "skip-line": {
        const newline = chunk.indexOf(NEWLINE, at)
        if (newline < 0) return chunk.length
        this.state = "start"
        return newline + 1
      }
      case "skip-body": {
        const end = Math.min(chunk.length, at + this.bodyBytes)
        this.bodyBytes -= end - at
        if (this.bodyBytes === 0) this.state = "start"
        return end
      }
    }
  }

  private header(line: string): void {
    this.state = "headers"
    const found = this.headers.take(line)
    if (found === "more") return
    if (found === "bad") return this.badHeader()
    this.headers = new HeaderBlock()
    this.bodyBytes = found
    this.state = found <= this.limit ? "body" : "skip-body"
    if (found > this.limit) this.emit({ kind: "too-large", framing: "content-length" })
  }

  private badHeader(): void {
    const header = this.headers.shown
    this.headers = new HeaderBlock()
    this.state = "start"
    this.emit({ kind: "bad-header", header })
  }

  private tooLong(at: number): number {
    this.held = []
    this.heldBytes = 0
    if (this.state === "headers") this.badHeader()
    else this.emit({ kind: "too-large", framing: "line" })
    this.state = "skip-line"
    return at
  }

  private hold(chunk: Uint8Array, from: number, to: number): number {
    this.held.push(chunk.subarray(from, to))
    this.heldBytes += to - from
    return to
  }

  /** The held bytes and the chunk's part as text; clears the held bytes. */
  private take(chunk: Uint8Array, from: number, to: number): string {
    if (this.held.length === 0) return this.decoder.decode(chunk.subarray(from, to))
    this.hold(chunk, from, to)
    const whole = joinedBytes(this.held)
    this.held = []
    this.heldBytes = 0
    return this.decoder.decode(whole)
  }
}
