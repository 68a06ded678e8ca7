/**
 * Begins an HTTP answer in time, even if its content is not ready.
 *
 * Guarantees: an answer that is ready within `ms`, before any message, is passed on unchanged. Otherwise a stream of events begins after `ms`, or at the
 * first message. Comments keep the stream alive, since clients and proxies give up on silent connections. Does not: keep the status of a late answer.
 */
import type { HttpAnswer } from "./Listener.ts"

/** The time between two comments, ms. */
const ALIVE = 15_000

const encoder = new TextEncoder()
const comment = encoder.encode(": working\n\n")

const eventStream = "text/event-stream"

/** The answer to a cancelled call: a stream without a message. */
export const silence: HttpAnswer = { status: 200, type: eventStream }

const headers = [
  ["cache-control", "no-cache, no-transform"],
  ["x-accel-buffering", "no"],
] as const

class Events {
  readonly body: ReadableStream<Uint8Array>
  private to!: ReadableStreamDefaultController<Uint8Array>
  private inner: ReadableStreamDefaultReader<Uint8Array> | undefined
  private isOpen = true
  private readonly alive = setInterval(() => this.comment(), ALIVE)

  constructor() {
    this.body = new ReadableStream({
      start: (to) => void (this.to = to),
      cancel: () => {
        this.end()
        void this.inner?.cancel().catch(() => {})
      },
    })
  }

  comment(): void {
    this.write(comment)
  }

  /** `message`: the JSON text of a message. */
  send(message: string): void {
    this.write(encoder.encode(`event: message\ndata: ${message}\n\n`))
  }

  /** Writes the answer and ends the stream. */
  async hand({ type, body }: HttpAnswer): Promise<void> {
    clearInterval(this.alive)
    if (type?.includes(eventStream) !== true)
      this.send(typeof body === "string" ? body : await new Response(body as ReadableStream | undefined).text())
    else if (body instanceof ReadableStream) {
      this.inner = body.getReader()
      for (let part = await this.inner.read(); !part.done; part = await this.inner.read()) this.write(part.value)
    }
    if (this.end()) this.to.close()
  }

  fail(error: unknown): void {
    if (this.end()) this.to.error(error)
  }

  private write(bytes: Uint8Array): void {
    if (this.isOpen) this.to.enqueue(bytes)
  }

  /** Ends the stream; false if the stream had ended already. */
  private end(): boolean {
    clearInterval(this.alive)
    const wasOpen = this.isOpen
    this.isOpen = false
    return wasOpen
  }
}

/** `coming` makes the answer. Before the answer, `coming` may send messages to the client with `tell`. */
export const begunWithin = (ms: number, coming: (tell: (message: object) => void) => Promise<HttpAnswer>): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    let events: Events | undefined
    const begun = (): Events => {
      if (events !== undefined) return events
      clearTimeout(late)
      events = new Events()
      resolve({ status: 200, type: eventStream, headers, body: events.body })
      return events
    }
    const late = setTimeout(() => begun().comment(), ms)
    const answer = async (): Promise<void> => {
      try {
        const found = await coming((message) => begun().send(JSON.stringify(message)))
        if (events === undefined) resolve(found)
        else await events.hand(found)
      } catch (error) {
        if (events === undefined) reject(error)
        else events.fail(error)
      } finally {
        clearTimeout(late)
      }
    }
    void answer()
  })
