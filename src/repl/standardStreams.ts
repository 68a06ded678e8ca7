/**
 * Standard input and output without event loop or buffers of Node's own, for a program whose main thread is busy evaluating.
 *
 * Guarantees: `writeOutput` returns when the system has taken every byte, also where the descriptor does not block; `readInput` blocks
 * its thread only. Does not: outlive the reader of our output, whose end ends the thread quietly, as a pipeline wants it.
 */
import { readSync, writeSync } from "node:fs"

/** Bytes that one read of standard input gives at most. */
const CHUNK = 65536

const nap = new Int32Array(new SharedArrayBuffer(4))
const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** The first pause, ms: a reader that keeps up has made room by then. The next ones are longer. */
const SHORTEST = 0.1
const LONGEST = 2

/** Runs a read or write again for as long as the descriptor says that it would block. */
const insisting = (attempt: () => number): number => {
  for (let pause = SHORTEST; ; pause = Math.min(LONGEST, 2 * pause)) {
    try {
      return attempt()
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error
      Atomics.wait(nap, 0, 0, pause)
    }
  }
}

/** May a terminal be written to in colour? */
export const inColour = (environment: NodeJS.ProcessEnv): boolean => !environment["NO_COLOR"] && environment["TERM"] !== "dumb"

/** Standard error, from whatever thread; nobody there to read it ends nothing. */
export const writeError = (text: string): void => {
  const bytes = Buffer.from(text)
  try {
    for (let at = 0; at < bytes.length;) at += insisting(() => writeSync(2, bytes, at))
  } catch (error) {
    if (codeOf(error) !== "EPIPE") throw error
  }
}

export const writeOutput = (bytes: Uint8Array): void => {
  try {
    for (let at = 0; at < bytes.length;) at += insisting(() => writeSync(1, bytes, at))
  } catch (error) {
    if (codeOf(error) !== "EPIPE") throw error
    process.exit(0)
  }
}

/** Hands over each chunk of standard input as a byte string, until its end or until `onChunk` wants no more. */
export const readInput = (onChunk: (text: string) => boolean): void => {
  const buffer = Buffer.allocUnsafe(CHUNK)
  for (;;) {
    let read: number
    try {
      read = insisting(() => readSync(0, buffer))
    } catch (error) {
      if (codeOf(error) !== "EOF" && codeOf(error) !== "EPIPE" && codeOf(error) !== "ECONNRESET") throw error
      return
    }
    if (read === 0 || !onChunk(buffer.toString("latin1", 0, read))) return
  }
}

/** Standard input line by line, for a program that is not itself read from there. */
export class InputLines {
  private rest = ""

  /** Without its end, a byte string; undefined when there is no more. */
  next(): string | undefined {
    if (!this.rest.includes("\n")) {
      const chunks = [this.rest]
      readInput((text) => chunks.push(text) > 0 && !text.includes("\n"))
      this.rest = chunks.join("")
    }
    if (this.rest === "") return undefined
    const end = this.rest.indexOf("\n")
    const line = end < 0 ? this.rest : this.rest.slice(0, end)
    this.rest = end < 0 ? "" : this.rest.slice(end + 1)
    return line.endsWith("\r") ? line.slice(0, -1) : line
  }
}

/** Gathers what is printed, so that a thousand small pieces are one write. */
export class Output {
  private text = ""
  /** Is what was printed a whole line? */
  private isWhole = true

  write(text: string): void {
    if (text === "") return
    this.isWhole = text.endsWith("\n")
    this.text += text
    if (this.text.length > 65536) this.flush()
  }

  /** Ends the line that was printed last, when nothing has. */
  endLine(): void {
    if (!this.isWhole) this.write("\n")
  }

  /** Bytes as they are, behind what was written so far. */
  writeBytes(bytes: Uint8Array): void {
    this.flush()
    writeOutput(bytes)
  }

  flush(): void {
    if (this.text === "") return
    const text = this.text
    this.text = ""
    writeOutput(Buffer.from(text, "latin1"))
  }
}
