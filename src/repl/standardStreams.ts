/**
 * Synchronous standard input and output, without Node's event loop and buffers, for a thread that is busy evaluating.
 *
 * Guarantees: `writeOutput` returns when the system has taken every byte, also with a non-blocking descriptor; `readInput` blocks only its
 * thread. Does not: continue when the reader of standard output has gone: `writeOutput` then ends the thread with code 0, as pipelines expect; or
 * when output cannot be written for another reason, such as a full disk: it says why, and ends the thread with code 1.
 */
import { readSync, writeSync } from "node:fs"

/** The most bytes of one read of standard input. */
const CHUNK = 65536

const nap = new Int32Array(new SharedArrayBuffer(4))
const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** The first and the longest pause, ms; each pause is twice the one before. After the first one a fast reader has made room. */
const SHORTEST = 0.1
const LONGEST = 2

/** Repeats a read or write while it fails with EAGAIN. */
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

/** Does the environment allow colour? */
export const inColour = (): boolean => !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb"

/** Writes to standard error, from any thread. A reader that has gone is ignored. */
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
    if (codeOf(error) === "EPIPE") process.exit(0)
    writeError(`k3: standard output: ${(error as Error).message}\n`)
    process.exit(1)
  }
}

/** Passes each chunk of standard input to `onChunk` as a byte string, until the end of the input or until `onChunk` returns false. */
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

/** Standard input line by line, for a K program that does not come from standard input. */
export class InputLines {
  private rest = ""

  /** The next line without its newline, as a byte string; undefined at the end of the input. */
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

/** Buffers output, so that many small pieces are one write. */
export class BufferedOutput {
  private text = ""
  /** Does the output so far end in a newline? */
  private isWhole = true

  write(text: string): void {
    if (text === "") return
    this.isWhole = text.endsWith("\n")
    this.text += text
    if (this.text.length > 65536) this.flush()
  }

  /** Writes a newline if the output does not end in one. */
  endLine(): void {
    if (!this.isWhole) this.write("\n")
  }

  /** Writes bytes unchanged, after the buffered text. */
  writeBytes(bytes: Uint8Array): void {
    this.flush()
    writeOutput(bytes)
  }

  /** Ends the thread when everything is written. */
  exit(code: number): never {
    this.flush()
    return process.exit(code)
  }

  flush(): void {
    if (this.text === "") return
    const text = this.text
    this.text = ""
    writeOutput(Buffer.from(text, "latin1"))
  }
}
