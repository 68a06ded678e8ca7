/**
 * The MCP SDK's `Transport` over a pair of byte streams. A message is a line of JSON or a body behind `Content-Length` headers; a reply has
 * the framing of its request.
 *
 * Guarantees: every request gets an answer, including bad JSON, batches, malformed requests, a last message that the end of the input cuts off,
 * and a request with the id of an unanswered one.
 * The size of messages and the number of unanswered requests are limited, and an error names the limit (`limits.ts`).
 * Messages are written whole and in order. Input is not read while more than `WAITING_LIMIT` of output waits. The end of the output ends the
 * transport. After the end of the input, unanswered requests are still answered, as long as `patience` allows; an acknowledged request to
 * listen, which stays open, is not waited for. `onclose` is called once. Does not: know other methods.
 */
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/server"
import { limits } from "../limits.ts"
import { framed } from "./contentLength.ts"
import { FrameReader, type Frame, type Framing } from "./FrameReader.ts"
import {
  acknowledgedBy,
  field,
  INVALID_REQUEST,
  isText,
  jsonOf,
  noBatches,
  PARSE_ERROR,
  readMessage,
  stillRunning,
  type Fault,
  type Id,
} from "./message.ts"

/** Characters of waiting output above which no input is read. */
const WAITING_LIMIT = 16 * 1024 * 1024

/** The two streams of the program, as callbacks: one reader, one writer. */
export interface Streams {
  /** Starts reading. `onEnd` is called once, at the end of the input or at an error of it. */
  readonly read: (onChunk: (chunk: Uint8Array) => void, onEnd: () => void) => void
  readonly pause: () => void
  readonly resume: () => void
  /** Writes text as UTF-8; false when the caller must wait for `onDrain` before the next text. Never throws. */
  readonly write: (text: string) => boolean
  /** `onDrain`: the output takes text again. `onGone`: the output is closed (EPIPE, for example). */
  readonly watch: (onDrain: () => void, onGone: () => void) => void
}

export class StdioTransport implements Transport {
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  /** Gets each message first; true when the message is handled and must not go to `onmessage`. */
  intercept: ((message: JSONRPCMessage) => boolean) | undefined

  /** Resolves when the transport has ended. */
  readonly over: Promise<void>
  private resolveOver: () => void = () => {}

  private readonly limitText: string
  private readonly reader: FrameReader
  private closed = false
  /** The framing and length of each unanswered request. */
  private readonly unanswered = new Map<Id, { readonly framing: Framing; readonly bytes: number }>()
  private unansweredBytes = 0
  /** The unanswered requests to listen that are acknowledged. */
  private readonly listening = new Set<Id>()
  private inputEnded = false
  /** The framing of the last message read. Replies without an id and messages that answer no request have it. */
  private framing: Framing = "line"

  private full = false
  private paused = false
  private readonly waiting: string[] = []
  private waitingLength = 0
  private readonly drained: (() => void)[] = []

  constructor(
    private readonly streams: Streams,
    /** Called at the end of the input when requests are unanswered; it calls `giveUp` when they have had enough time. */
    private readonly patience: (giveUp: () => void) => void,
    limit: number = limits.message,
  ) {
    this.reader = new FrameReader((frame) => this.receive(frame), limit)
    this.limitText = limit % 2 ** 20 === 0 ? `${limit / 2 ** 20} MiB` : `${limit} bytes`
    this.over = new Promise((resolve) => {
      this.resolveOver = resolve
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
        if (!this.closed) this.reader.end()
        this.inputEnded = true
        this.endWhenAnswered()
        if (!this.closed) this.patience(() => this.end())
      },
    )
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.write(message, this.framingOf(message, options?.relatedRequestId))
    if (!("method" in message) && message.id !== undefined) this.forget(message.id)
    const acknowledged = acknowledgedBy(message)
    if (acknowledged !== undefined && this.unanswered.has(acknowledged)) {
      this.listening.add(acknowledged)
      this.endWhenAnswered()
    }
    return Promise.resolve()
  }

  /** Stops reading and accepts no more messages to send; output that already waits is still written. */
  close(): Promise<void> {
    this.end()
    return Promise.resolve()
  }

  /** Drops the request of that id from the unanswered ones: it has its answer, or was cancelled and gets none. */
  forget(id: Id): void {
    this.unansweredBytes -= this.unanswered.get(id)?.bytes ?? 0
    this.unanswered.delete(id)
    this.listening.delete(id)
    this.endWhenAnswered()
  }

  /** Resolves when no output waits, or the output is closed. */
  flushed(): Promise<void> {
    if (!this.full) return Promise.resolve()
    return new Promise((resolve) => this.drained.push(resolve))
  }

  private endWhenAnswered(): void {
    if (this.inputEnded && this.unanswered.size === this.listening.size) this.end()
  }

  private end(): void {
    if (this.closed) return
    this.closed = true
    this.streams.pause()
    this.onclose?.()
    this.resolveOver()
  }

  /** The output is closed: drops the waiting output and ends the transport. */
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
      return this.refuse({ code: INVALID_REQUEST, message: `Invalid request: a message may have at most ${this.limitText}` })
    }
    this.refuse({ code: PARSE_ERROR, message: `Parse error: headers without a usable Content-Length: ${frame.header}` })
  }

  private parse(text: string): void {
    const checked = readMessage(text)
    if (checked.kind === "batch") return this.refuseBatch(checked.items)
    if (checked.kind === "fault") return this.refuse(checked.fault)
    if (checked.kind === "ignored") return this.onerror?.(new Error(`ignored ${checked.why}`))
    if ("method" in checked.message && "id" in checked.message && !this.expect(checked.message.id, text.length)) return
    if (this.intercept?.(checked.message) !== true) this.onmessage?.(checked.message)
  }

  /** Adds a request to the unanswered ones; false when it was refused, which the client has been told. */
  private expect(id: Id, bytes: number): boolean {
    const message = this.excess(id, bytes)
    if (message !== undefined) {
      this.refuse({ id, code: INVALID_REQUEST, message })
      return false
    }
    this.unanswered.set(id, { framing: this.framing, bytes })
    this.unansweredBytes += bytes
    return true
  }

  /** Why a request is refused beside the unanswered ones; undefined when it is not. */
  private excess(id: Id, bytes: number): string | undefined {
    const { size } = this.unanswered
    if (this.unanswered.has(id)) return stillRunning(id)
    if (size >= limits.requests) return tooManyWait(`${limits.requests} requests`)
    if (size > 0 && this.unansweredBytes + bytes > limits.requestBytes)
      return tooManyWait(`requests of ${limits.requestBytes / 2 ** 20} MiB`)
    return undefined
  }

  /** Answers each request of a batch with an error. */
  private refuseBatch(batch: readonly unknown[]): void {
    const ids = batch.flatMap((each) => {
      const id = field(each, "id")
      return isText(id) || Number.isSafeInteger(id) ? [id as Id] : []
    })
    if (ids.length === 0) this.refuse({ code: INVALID_REQUEST, message: noBatches })
    for (const id of ids) this.refuse({ code: INVALID_REQUEST, message: noBatches, id })
  }

  private refuse({ id, code, message }: Fault): void {
    this.write({ jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } }, this.framing)
  }

  /** The framing of the request that the message is about; without one, that of the last message read. */
  private framingOf(message: JSONRPCMessage, relatedRequestId: Id | undefined): Framing {
    const id = "method" in message ? relatedRequestId : message.id
    return id === undefined ? this.framing : (this.unanswered.get(id)?.framing ?? "line")
  }

  private write(message: object, framing: Framing): void {
    if (this.closed) return
    const body = jsonOf(message)
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

const tooManyWait = (what: string): string =>
  `Invalid request: ${what} wait for their answers, which is the limit; send more when some have been answered`
