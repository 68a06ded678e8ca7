/**
 * MCP over a pair of byte streams: newline-delimited JSON and `Content-Length` frames, told apart message by message and answered in kind.
 *
 * Guarantees: everything that asks for an answer gets one, including bad JSON, batches, malformed requests, and a second request with an id that
 * is not answered yet. The size of messages and the number of waiting requests are limited, and an error names the limit (`limits.ts`).
 * Messages leave whole, in order, and no faster than the reader takes them; while much output waits, no input is read. The end of the output
 * ends the transport. After the end of the input it still answers what was asked, as long as `patience` allows. `onclose` is called once.
 * Does not: know methods. It is the `Transport` of the MCP SDK and nothing more.
 */
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/server"
import { limits } from "../limits.ts"
import { framed } from "./contentLength.ts"
import { FrameReader, type Frame, type Framing } from "./FrameReader.ts"
import { INVALID_REQUEST, judge, PARSE_ERROR, type Fault, type Id } from "./message.ts"

/** With more characters than this waiting to be written, no input is read. */
const WAITING_LIMIT = 16 * 1024 * 1024

/** The two streams of the program, as callbacks: one reader, one writer. */
export interface Streams {
  /** Starts reading. `onEnd` is called once: end of input, or an error of it. */
  readonly read: (onChunk: (chunk: Uint8Array) => void, onEnd: () => void) => void
  readonly pause: () => void
  readonly resume: () => void
  /** Hands text on, encoded as UTF-8; false when the stream wants no more until `onDrain`. Never throws. */
  readonly write: (text: string) => boolean
  /** Hears of the output: it takes more again; it is gone (EPIPE and the like). */
  readonly watch: (onDrain: () => void, onGone: () => void) => void
}

export class StdioTransport implements Transport {
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  /** Sees each message first; true when it was dealt with and `onmessage` need not hear of it. */
  intercept: ((message: JSONRPCMessage) => boolean) | undefined

  /** Resolves when the transport has ended, whoever ended it. */
  readonly over: Promise<void>
  private sayOver: () => void = () => {}

  private readonly limitSaid: string
  private readonly reader: FrameReader
  private closed = false
  /** Requests that were not answered yet, and the framing each came in. */
  private readonly unanswered = new Map<Id, { readonly framing: Framing; readonly bytes: number }>()
  private unansweredBytes = 0
  private inputEnded = false
  /** Framing of the last message read: that of replies without an id, and of what nobody asked for. */
  private framing: Framing = "line"

  private full = false
  private paused = false
  private readonly waiting: string[] = []
  private waitingLength = 0
  private readonly drained: (() => void)[] = []

  constructor(
    private readonly streams: Streams,
    /** Calls back when requests still unanswered at the end of input have been waited for long enough. */
    private readonly patience: (giveUp: () => void) => void,
    limit: number = limits.message,
  ) {
    this.reader = new FrameReader((frame) => this.receive(frame), limit)
    this.limitSaid = limit % 2 ** 20 === 0 ? `${limit / 2 ** 20} MiB` : `${limit} bytes`
    this.over = new Promise((resolve) => {
      this.sayOver = resolve
    })
  }

  async start(): Promise<void> {
    this.streams.watch(
      () => this.drain(),
      () => this.abandon(),
    )
    this.streams.read(
      (chunk) => {
        if (!this.closed) this.reader.push(chunk)
      },
      () => {
        this.inputEnded = true
        if (this.unanswered.size === 0) this.end()
        else this.patience(() => this.end())
      },
    )
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.write(message, this.framingOf(message, options?.relatedRequestId))
    if (!("method" in message) && message.id !== undefined) this.forget(message.id)
    return Promise.resolve()
  }

  /** Stops reading and writing; what already waits to be written still goes out. */
  close(): Promise<void> {
    this.end()
    return Promise.resolve()
  }

  /** The request of that id will never be answered: it was cancelled. */
  forget(id: Id): void {
    this.unansweredBytes -= this.unanswered.get(id)?.bytes ?? 0
    this.unanswered.delete(id)
    this.endWhenAnswered()
  }

  /** Resolves when nothing waits to be written, or nobody reads any more. */
  flushed(): Promise<void> {
    if (!this.full) return Promise.resolve()
    return new Promise((resolve) => this.drained.push(resolve))
  }

  private endWhenAnswered(): void {
    if (this.inputEnded && this.unanswered.size === 0) this.end()
  }

  private end(): void {
    if (this.closed) return
    this.closed = true
    this.streams.pause()
    this.onclose?.()
    this.sayOver()
  }

  /** Nobody reads any more. */
  private abandon(): void {
    this.waiting.length = 0
    this.full = false
    this.settle()
    this.end()
  }

  private settle(): void {
    for (const resolve of this.drained.splice(0)) resolve()
  }

  private receive(frame: Frame): void {
    if (frame.kind === "message") {
      this.framing = frame.framing
      return this.parse(frame.text)
    }
    if (frame.kind === "too-large") {
      this.framing = frame.framing
      return this.refuse({ code: INVALID_REQUEST, message: `Invalid request: a message may have at most ${this.limitSaid}` })
    }
    this.refuse({ code: PARSE_ERROR, message: `Parse error: headers without a usable Content-Length: ${frame.header}` })
  }

  private parse(text: string): void {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      return this.refuse({ code: PARSE_ERROR, message: `Parse error: ${(error as Error).message.slice(0, 200)}` })
    }
    if (Array.isArray(value)) return this.refuseBatch(value)
    const judged = judge(value)
    if (judged.kind === "fault") return this.refuse(judged.fault)
    if (judged.kind === "ignored") return this.onerror?.(new Error(`ignored ${judged.why}`))
    if ("method" in judged.message && "id" in judged.message && !this.expect(judged.message.id, text.length)) return
    if (this.intercept?.(judged.message) !== true) this.onmessage?.(judged.message)
  }

  /** Notes a request that is to be answered; false when it is refused. */
  private expect(id: Id, bytes: number): boolean {
    const refusal = this.unanswered.has(id)
      ? `a request with id ${JSON.stringify(id)} is still running`
      : this.unanswered.size >= limits.requests
        ? `${limits.requests} requests wait for their answers, which is the limit; send more when some have been answered`
        : this.unanswered.size > 0 && this.unansweredBytes + bytes > limits.requestBytes
          ? `requests of ${limits.requestBytes / 2 ** 20} MiB wait for their answers, which is the limit; send more when some have been answered`
          : undefined
    if (refusal === undefined) {
      this.unanswered.set(id, { framing: this.framing, bytes })
      this.unansweredBytes += bytes
      return true
    }
    this.refuse({ id, code: INVALID_REQUEST, message: `Invalid request: ${refusal}` })
    return false
  }

  /** MCP has no batches since 2025-06-18; each request in one is told so. */
  private refuseBatch(batch: readonly unknown[]): void {
    const ids = batch.flatMap((each) => {
      const id = (each as { id?: unknown } | null)?.id
      return typeof id === "string" || Number.isSafeInteger(id) ? [id as Id] : []
    })
    const message = "Invalid request: batches are not supported; send one message at a time"
    if (ids.length === 0) this.refuse({ code: INVALID_REQUEST, message })
    for (const id of ids) this.refuse({ code: INVALID_REQUEST, message, id })
  }

  private refuse({ id, code, message }: Fault): void {
    this.write({ jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } }, this.framing)
  }

  private framingOf(message: JSONRPCMessage, relatedRequestId: Id | undefined): Framing {
    if ("method" in message) {
      if (relatedRequestId === undefined) return this.framing
      return this.unanswered.get(relatedRequestId)?.framing ?? "line"
    }
    if (message.id === undefined) return this.framing
    return this.unanswered.get(message.id)?.framing ?? "line"
  }

  private write(message: object, framing: Framing): void {
    if (this.closed) return
    const body = JSON.stringify(message)
    const text = framing === "line" ? `${body}\n` : framed(body)
    if (!this.full) {
      this.full = !this.streams.write(text)
      return
    }
    this.waiting.push(text)
    this.waitingLength += text.length
    if (this.waitingLength > WAITING_LIMIT && !this.paused) {
      this.paused = true
      this.streams.pause()
    }
  }

  private drain(): void {
    let written = 0
    this.full = false
    while (!this.full && written < this.waiting.length) {
      const text = this.waiting[written++]!
      this.waitingLength -= text.length
      this.full = !this.streams.write(text)
    }
    this.waiting.splice(0, written)
    if (this.full) return
    if (this.paused && !this.closed) {
      this.paused = false
      this.streams.resume()
    }
    this.settle()
  }
}
