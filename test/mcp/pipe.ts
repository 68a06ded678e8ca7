/** Both ends of standard streams in one process: the server's streams and the client's view of them. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { onTestFinished } from "vitest"
import { connect } from "../../src/mcp/connection.ts"
import { serve } from "../../src/mcp/McpHost.ts"
import type { Streams } from "../../src/mcp/StdioTransport.ts"
import type { Sessions } from "../../src/session/Sessions.ts"
import type { Settings } from "../../src/Settings.ts"

export class Pipe {
  /** All text written by the server. */
  written = ""
  /** How often the server paused its input. */
  pauses = 0
  resumes = 0
  /** The result of `write`: false makes the output look full. */
  accepts = true
  onWritten: ((text: string) => void) | undefined
  private onChunk: (chunk: Uint8Array) => void = () => {}
  private onEnd = (): void => {}
  private onDrain = (): void => {}
  private onGone = (): void => {}

  readonly streams: Streams = {
    read: (onChunk, onEnd) => {
      this.onChunk = onChunk
      this.onEnd = onEnd
    },
    pause: () => void this.pauses++,
    resume: () => void this.resumes++,
    write: (text) => {
      this.written += text
      this.onWritten?.(text)
      return this.accepts
    },
    watch: (onDrain, onGone) => {
      this.onDrain = onDrain
      this.onGone = onGone
    },
  }

  push(bytes: Uint8Array | string): void {
    this.onChunk(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes)
  }
  end(): void {
    this.onEnd()
  }
  drain(): void {
    this.accepts = true
    this.onDrain()
  }
  /** Makes room for one more message. */
  drainOnce(): void {
    this.onDrain()
  }
  gone(): void {
    this.onGone()
  }
  /** The messages written so far, newline framing. */
  get messages(): readonly any[] {
    return this.written
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  }
}

/** The client's end, as a transport for the clients of both SDK lines. */
export class PipeClientTransport {
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  onmessage: ((message: any) => void) | undefined
  readonly received: any[] = []
  private held = ""
  constructor(private readonly pipe: Pipe) {}
  async start(): Promise<void> {
    this.pipe.onWritten = (text) => {
      this.held += text
      const lines = this.held.split("\n")
      this.held = lines.pop()!
      for (const line of lines) {
        const message = JSON.parse(line)
        this.received.push(message)
        queueMicrotask(() => this.onmessage?.(message))
      }
    }
  }
  async send(message: unknown): Promise<void> {
    this.pipe.push(`${JSON.stringify(message)}\n`)
  }
  async close(): Promise<void> {
    this.pipe.end()
    this.onclose?.()
  }
}

export interface Served {
  readonly pipe: Pipe
  /** Resolves when `serve` has ended, at the latest at the end of the test. */
  readonly ended: Promise<unknown>
}

export const startServer = (layer: Layer.Layer<Sessions | Settings>): Served => {
  const pipe = new Pipe()
  let begin = (): void => {}
  const first = new Promise<void>((resolve) => {
    begin = resolve
  })
  const connection = connect(pipe.streams, { name: "k3-mcp", version: "0.0.0" }, begin)
  const spokenTo = Effect.promise(() => Promise.race([first, connection.transport.over]))
  const fiber = Effect.runFork(
    Effect.provide(Effect.andThen(spokenTo, serve({ identity: connection.identity, connection, http: undefined })), layer),
  )
  const ended = Effect.runPromise(Fiber.await(fiber))
  onTestFinished(async () => {
    pipe.end()
    await ended
  })
  return { pipe, ended }
}
