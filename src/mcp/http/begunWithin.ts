/**
 * Begins an HTTP answer in time, even if its content is not ready.
 *
 * Guarantees: an answer that is ready within `ms`, before any message, is passed on unchanged. Otherwise a stream of events begins after `ms`, or at
 * the first message. Comments keep the stream alive, since clients and proxies give up on silent connections. Does not: keep the status of a late
 * answer.
 */
import { jsonOf } from "../message.ts"
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
  private readonly pipe = new TransformStream<Uint8Array, Uint8Array>()
  private readonly to = this.pipe.writable.getWriter()
  private readonly alive = setInterval(() => this.comment(), ALIVE)
  readonly body = this.pipe.readable

  constructor() {
    // Also when the client is gone.
    void this.to.closed.catch(() => {}).finally(() => clearInterval(this.alive))
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
    const isStream = type?.includes(eventStream) === true
    if (isStream && body instanceof ReadableStream) {
      this.to.releaseLock()
      return body.pipeTo(this.pipe.writable)
    }
    if (!isStream) this.send(typeof body === "string" ? body : await new Response(body as ReadableStream | undefined).text())
    await this.to.close()
  }

  fail(reason: unknown): void {
    this.to.abort(reason).catch(() => {})
  }

  private write(bytes: Uint8Array): void {
    this.to.write(bytes).catch(() => {})
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
        const found = await coming((message) => begun().send(jsonOf(message)))
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
