/**
 * The framing between a server and the interpreter it runs: a statement becomes one line on the wire, and what comes back is split into
 * replies. Pure, and shared by both sides.
 *
 * | byte    | direction | meaning                                                                                              |
 * | ------- | --------- | ---------------------------------------------------------------------------------------------------- |
 * | `01 02` | to server | the sentinel: once when the interpreter is ready, then at the end of the reply to every line         |
 * | `15`    | to server | embedded engine: what follows up to the sentinel is a `Failure` of `src/k3/k3.ts` as JSON, or the     |
 * |         |           | image of a value that was asked for                                                                  |
 * | `15 00` | to server | embedded engine, at the start of a reply: four bytes of a length, little-endian, and so many bytes as |
 * |         |           | they are, whatever they hold; no JSON begins with NUL                                                |
 * | `03`    | to child  | embedded engine: interrupt what runs now; nothing happens when nothing runs; not part of a line      |
 * | `05`    | to child  | embedded engine, at the start of a line: a side request as JSON, answered with JSON and a sentinel   |
 * | `1F`    | to child  | embedded engine: a newline within the statement                                                      |
 * | `0A`    | to child  | the end of the line; every line is owed one reply                                                    |
 *
 * Guarantees: a line that `encode` makes holds none of these bytes but those it means; replies are the exact bytes before their
 * sentinels whatever the chunking; memory stays bounded whatever a child prints. Does not: cut code into statements (`statements.ts`).
 */
import { parts } from "../k3/text/scan.ts"

/** The two bytes that end every reply. */
export const SENTINEL: Uint8Array = Uint8Array.of(1, 2)
export const INTERRUPT = "\x03"
export const SIDE_REQUEST = "\x05"
export const REPORT = 0x15
const COUNTED = 0
/** Before bytes that a reply has as they are; a byte string. */
export const countedHead = (length: number): string =>
  String.fromCharCode(REPORT, COUNTED, length & 255, (length >> 8) & 255, (length >> 16) & 255, length >>> 24)
/** What the embedded child says last on standard error when it ends by itself with a code that a signal may stand for, too. */
export const ownExit = (code: number): string => `k3: exit code ${code}`

/** What `encode` may not let through: every byte of the table above but the newline. */
const protocolBytes = "\x01\x02\x03\x05\x15\x1f"

/** What is sent of a `Statement` of `statements.ts`. */
interface Sent {
  /** The lines as they were written. */
  readonly source: string
  /** The same in one. */
  readonly wire: string
}

/** Makes a text one without such bytes: octal escapes stand for them in strings, blanks elsewhere. */
const without = (unwanted: string): ((text: string) => string) => {
  const any = new RegExp(`[${unwanted}]`)
  const each = new RegExp(`[${unwanted}]`, "g")
  const inString = new RegExp(`\\\\?([${unwanted}])|\\\\[^]`, "g")
  const octal = (all: string, byte?: string): string => (byte === undefined ? all : `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`)
  return (text) => {
    if (!any.test(text)) return text
    let out = ""
    for (const { kind, start, end } of parts(text)) {
      const part = text.slice(start, end)
      out += kind === "string" || kind === "unclosed" ? part.replaceAll(inString, octal) : part.replaceAll(each, " ")
    }
    return out
  }
}
/** For one physical line, which a carriage return ends as well for an engine that reads lines as .NET does. */
const asLine = without(`${protocolBytes}\r\n`)
const asLines = without(protocolBytes)

/**
 * A statement as one line of the wire, newline included; it is sent in UTF-8. `keep` sends the source as it was written, for an engine that
 * keeps the text of functions and points at lines; `join` sends one physical line, for an engine that knows no other.
 */
export const encode = (statement: Sent, newline: "keep" | "join"): string =>
  newline === "join" ? `${asLine(statement.wire)}\n` : `${asLines(statement.source).replaceAll("\n", "\x1f")}\n`

/** A side request as one line of the wire. */
export const side = (request: object): string => `${SIDE_REQUEST}${JSON.stringify(request)}\n`

/** The source that a line sent with `keep` holds; the line without its newline, as a byte string. */
export const decode = (line: string): string => line.replaceAll("\x1f", "\n")

/** One reply of a child. The output is `head`, then `omitted` bytes that were let go, then `tail`. */
export interface Reply {
  /** Bytes printed in all. */
  readonly bytes: number
  readonly head: Uint8Array
  readonly omitted: number
  readonly tail: Uint8Array
  /** All of it went to the `Spill` that was given, what was let go here too. */
  readonly spilled?: true
  /** The embedded engine's error, a `Failure` as JSON in UTF-8 text. */
  readonly report?: string
}

/** Takes a reply that is too long to hold: all its bytes, in order, from the first on. */
export interface Spill {
  /** Bytes of the beginning, and of the end, that are held all the same; a reply of no more than the first does not spill. */
  readonly edge: number
  readonly write: (bytes: Uint8Array) => void
  /** Takes every reply, however short, as it arrives. */
  readonly live?: boolean
}

export interface Keep {
  /** Bytes kept from the beginning of a reply. */
  readonly head: number
  /** Bytes kept from its end, when it is longer than `head`. */
  readonly tail: number
  /** Does byte 15 begin an error report? Else it is output like any other. */
  readonly reports: boolean
}

/** Bytes kept of an error report; a longer one is cut, and then is no JSON. */
const REPORT_KEPT = 1024 * 1024
const EMPTY = new Uint8Array(0)

const HEAD = 6
const NONE = 7
const REPORTING = Uint8Array.of(REPORT)

/** Tells counted bytes at the start of a reply from all others. */
class CountedPart {
  /** Bytes of the head that were seen; `NONE` when the reply has no such part. */
  private seen = 0
  /** Bytes that are still to come, when the head was seen. */
  private left = 0

  /** Bytes of a head that may yet turn out to be none. */
  get pending(): number {
    return this.seen === NONE ? 0 : this.seen
  }

  begin(): void {
    this.seen = this.left = 0
  }

  /** Where in the chunk they end; `give` takes them. */
  take(chunk: Uint8Array, start: number, give: (bytes: Uint8Array) => void): number {
    let at = start
    for (; this.seen < HEAD && at < chunk.length; at++, this.seen++) {
      const byte = chunk[at]!
      if (this.seen >= 2) this.left += byte * 2 ** (8 * (this.seen - 2))
      else if (byte !== (this.seen === 0 ? REPORT : COUNTED)) {
        // It was the beginning of a report, which may have come in the chunk before.
        if (this.seen === 1) give(REPORTING)
        this.seen = NONE
        return at
      }
    }
    if (this.seen !== HEAD || this.left === 0) return at
    const end = Math.min(chunk.length, at + this.left)
    give(chunk.subarray(at, end))
    this.left -= end - at
    return end
  }
}

/** The first `head` and the last `tail` of the bytes appended, and how many there were. */
class Ends {
  bytes = 0
  private first = EMPTY
  private last = EMPTY
  private head: number
  private tail: number
  private spill: Spill | undefined
  constructor(
    private readonly mostHead: number,
    private readonly mostTail: number,
  ) {
    this.head = mostHead
    this.tail = mostTail
  }

  /** Until the next `take`; nothing was appended yet. */
  spillTo(spill: Spill | undefined): void {
    this.spill = spill
    this.head = Math.min(this.mostHead, spill?.edge ?? Infinity)
    this.tail = Math.min(this.mostTail, spill?.edge ?? Infinity)
  }

  append(chunk: Uint8Array): void {
    const fits = Math.min(chunk.length, Math.max(0, this.head - this.bytes))
    if (fits > 0) {
      const size = this.bytes + fits
      if (size > this.first.length) {
        const grown = new Uint8Array(Math.min(this.head, Math.max(size, 2 * this.first.length, 4096)))
        grown.set(this.first.subarray(0, this.bytes))
        this.first = grown
      }
      this.first.set(chunk.subarray(0, fits), this.bytes)
    }
    const before = this.bytes
    this.bytes += chunk.length
    const { spill } = this
    if (spill?.live === true && chunk.length > 0) spill.write(chunk)
    if (fits === chunk.length) return
    if (spill?.live !== true) {
      if (before <= this.head) spill?.write(this.first.subarray(0, this.head))
      spill?.write(chunk.subarray(fits))
    }
    if (this.tail > 0) this.turn(chunk.subarray(Math.max(fits, chunk.length - this.tail)))
  }

  /** Writes into the ring so that the byte at position p of the output stands at p modulo `tail`. */
  private turn(chunk: Uint8Array): void {
    if (this.last.length === 0) this.last = new Uint8Array(this.tail)
    const at = (this.bytes - chunk.length) % this.tail
    const room = this.tail - at
    this.last.set(chunk.subarray(0, room), at)
    if (chunk.length > room) this.last.set(chunk.subarray(room), 0)
  }

  /** What was kept, as bytes that nothing writes to any more; then begins anew. */
  take(): Pick<Reply, "bytes" | "head" | "omitted" | "tail" | "spilled"> {
    const { bytes, first, last, spill } = this
    const kept = Math.min(this.tail, Math.max(0, bytes - this.head))
    const isLong = first.length > 65536
    // A long one is given away, a short one copied, so that the next reply needs no memory of its own.
    const head = isLong ? first.subarray(0, Math.min(bytes, this.head)) : first.slice(0, Math.min(bytes, this.head))
    const tail = kept > 0 ? new Uint8Array(kept) : EMPTY
    if (kept > 0) {
      const at = (bytes - kept) % this.tail
      const piece = last.subarray(at, Math.min(at + kept, this.tail))
      tail.set(piece)
      tail.set(last.subarray(0, kept - piece.length), piece.length)
    }
    const spilled = spill !== undefined && (bytes > this.head || spill.live === true)
    this.bytes = 0
    this.last = EMPTY
    if (isLong) this.first = EMPTY
    this.spillTo(undefined)
    return { bytes, head, omitted: bytes - head.length - kept, tail, ...(spilled && { spilled }) }
  }
}

/** Splits a child's standard output into replies. Holds at most about `head` plus `tail` bytes, however much a child prints. */
export class ReplySplitter {
  private readonly output: Ends
  private readonly report = new Ends(REPORT_KEPT, 0)
  private reporting = false
  /** Did the last chunk end in what may be the first half of a sentinel? */
  private half = false
  private readonly counted = new CountedPart()
  private readonly giveCounted = (bytes: Uint8Array): void => (bytes === REPORTING ? this.append(bytes) : this.output.append(bytes))

  constructor(private readonly keep: Keep) {
    this.output = new Ends(keep.head, keep.tail)
  }

  /** Bytes that came since the last sentinel. */
  get pending(): number {
    return this.output.bytes + this.report.bytes + this.counted.pending + (this.half ? 1 : 0)
  }

  /** Where the next reply goes when it is long; nothing of it has come yet. */
  spillTo(spill: Spill | undefined): void {
    this.output.spillTo(spill)
  }

  /** The replies that this chunk completes, in order. The chunk is not kept. */
  feed(chunk: Uint8Array): Reply[] {
    const replies: Reply[] = []
    let from = this.takeCounted(chunk, 0)
    if (this.half && chunk.length > 0) {
      this.half = false
      if (chunk[0] === 2) {
        replies.push(this.take())
        from = this.takeCounted(chunk, 1)
      } else this.append(SENTINEL.subarray(0, 1))
    }
    for (let at = chunk.indexOf(1, from); at >= 0; at = chunk.indexOf(1, at)) {
      while (chunk[at + 1] === 1) at++
      if (at + 1 === chunk.length) {
        this.half = true
        this.append(chunk.subarray(from, at))
        return replies
      }
      if (chunk[at + 1] === 2) {
        this.append(chunk.subarray(from, at))
        replies.push(this.take())
        at = from = this.takeCounted(chunk, at + 2)
      } else at += 2
    }
    this.append(chunk.subarray(from))
    return replies
  }

  /** Where counted bytes at the start of a reply end. */
  private takeCounted(chunk: Uint8Array, start: number): number {
    return this.keep.reports ? this.counted.take(chunk, start, this.giveCounted) : start
  }

  /** What came since the last sentinel, as if it had come now; begins anew. */
  take(): Reply {
    if (this.half) this.append(SENTINEL.subarray(0, 1))
    const { report, reporting } = this
    this.half = this.reporting = false
    this.counted.begin()
    const printed = this.output.take()
    return reporting ? { ...printed, report: new TextDecoder().decode(report.take().head) } : printed
  }

  private append(bytes: Uint8Array): void {
    if (this.reporting || !this.keep.reports) return (this.reporting ? this.report : this.output).append(bytes)
    const at = bytes.indexOf(REPORT)
    this.output.append(at < 0 ? bytes : bytes.subarray(0, at))
    if (at < 0) return
    this.reporting = true
    this.report.append(bytes.subarray(at + 1))
  }
}
