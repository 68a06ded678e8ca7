/**
 * The framing between a server and its child: a statement becomes one line on the wire, and the child's output is split into replies. Pure, and
 * shared by both sides.
 *
 * | byte    | direction | meaning                                                                                              |
 * | ------- | --------- | ---------------------------------------------------------------------------------------------------- |
 * | `01 02` | to server | the sentinel: once when the interpreter is ready, then at the end of the reply to every line         |
 * | `15`    | to server | embedded engine: a report up to the sentinel, in JSON: a `Failure` of `src/k3/k3.ts`, or the image of |
 * |         |           | the value that was asked for                                                                         |
 * | `15 00` | to server | embedded engine, at the start of a reply: four bytes of a length, little-endian, and so many bytes as |
 * |         |           | they are, whatever they hold; no JSON begins with NUL                                                |
 * | `03`    | to child  | embedded engine: interrupts the running evaluation, if there is one; not part of a line              |
 * | `05`    | to child  | embedded engine, at the start of a line: a side request as JSON, answered with JSON and a sentinel   |
 * | `1F`    | to child  | embedded engine: a newline within the statement                                                      |
 * | `10`    | to child  | embedded engine: the next letter, less 64, is a byte of this table that the source has outside of    |
 * |         |           | strings                                                                                              |
 * | `0A`    | to child  | the end of the line; every line gets one reply                                                       |
 *
 * Guarantees: user text in a line of `encode` holds none of these bytes but the newline and the escape; replies are the exact bytes before their
 * sentinels, whatever the chunks; memory stays bounded, whatever a child prints. Does not: cut code into statements (`statements.ts`).
 */
import { parts } from "../k3/text/scan.ts"

/** The two bytes that end every reply. */
export const SENTINEL: Uint8Array = Uint8Array.of(1, 2)
export const INTERRUPT = "\x03"
export const SIDE_REQUEST = "\x05"
export const REPORT = 0x15
const COUNTED = 0
/** The head of counted bytes, as a byte string. */
export const countedHead = (length: number): string =>
  String.fromCharCode(REPORT, COUNTED, length & 255, (length >> 8) & 255, (length >> 16) & 255, length >>> 24)
/** The last line on standard error of an embedded child that exits with a code above 128, which could also mean a signal. */
export const ownExit = (code: number): string => `k3: exit code ${code}`

// oxlint-disable-next-line no-control-regex
const forgeable = /[\x01\x02\x15]/g
/** Printed text as a framed reply has it: bytes that could forge a sentinel or a report are octal escapes. */
export const unforgeable = (text: string): string => text.replace(forgeable, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`)

/** The bytes that `encode` removes from user text: all bytes of the table above but the newline and the escape. */
const protocolBytes = "\x01\x02\x03\x05\x15\x1f"
const ESCAPE = "\x10"

// oxlint-disable-next-line no-control-regex
const escaped = /\x10([^])/g

/** The parts of a `Statement` of `statements.ts` that are sent. */
interface Sent {
  /** The source, lines as written. */
  readonly source: string
  /** The source as one line. */
  readonly wire: string
}

/** Makes a function that replaces the unwanted bytes of a text: by octal escapes in strings, by `outside` elsewhere. */
const without = (unwanted: string, outside: (byte: string) => string): ((text: string) => string) => {
  const each = new RegExp(`[${unwanted}]`, "g")
  const inString = new RegExp(`\\\\?([${unwanted}])|\\\\[^]`, "g")
  const octal = (all: string, byte?: string): string => (byte === undefined ? all : `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`)
  return (text) => {
    if (text.search(each) < 0) return text
    let out = ""
    for (const { kind, start, end } of parts(text)) {
      const part = text.slice(start, end)
      out += kind === "string" || kind === "unclosed" ? part.replaceAll(inString, octal) : part.replaceAll(each, outside)
    }
    return out
  }
}
/** For an engine that takes one physical line. .NET ends a line at a carriage return too. */
const asLine = without(`${protocolBytes}\r\n`, () => " ")
const asLines = without(protocolBytes + ESCAPE, (byte) => ESCAPE + String.fromCharCode(byte.charCodeAt(0) + 64))

/**
 * A statement as one line of the wire with its newline, to be sent in UTF-8. `keep` sends the source with its line breaks, for an engine that
 * keeps the text of functions and names lines in errors; `join` sends one physical line, for an engine that reads only such.
 */
export const encode = (statement: Sent, newline: "keep" | "join"): string =>
  newline === "join" ? `${asLine(statement.wire)}\n` : `${asLines(statement.source).replaceAll("\n", "\x1f")}\n`

/** A side request as one line of the wire. */
export const side = (request: object): string => `${SIDE_REQUEST}${JSON.stringify(request)}\n`

/** The source in a line that was encoded with `keep`. Takes the line without its newline; both are byte strings. */
export const decode = (line: string): string => {
  const text = line.replaceAll("\x1f", "\n")
  return text.includes(ESCAPE) ? text.replace(escaped, (_, letter: string) => String.fromCharCode(letter.charCodeAt(0) - 64)) : text
}

/** One reply of a child. The output is `head`, then `omitted` bytes that were dropped, then `tail`. */
export interface ChildReply {
  /** Bytes printed in all. */
  readonly bytes: number
  readonly head: Uint8Array
  readonly omitted: number
  readonly tail: Uint8Array
  /** The `Spill` got the whole output, the omitted bytes too. */
  readonly spilled?: true
  /** The embedded engine's error, a `Failure` as JSON in UTF-8 text. */
  readonly report?: string
}

/** Takes all bytes, in order, of a reply that is too long to hold in memory. */
export interface Spill {
  /** The bytes held of the beginning, and of the end. A reply of at most `edge` bytes does not spill. */
  readonly edge: number
  readonly write: (bytes: Uint8Array) => void
  /** Spill every reply, also a short one, and while it arrives. */
  readonly live?: boolean
}

export interface Keep {
  /** Bytes kept from the beginning of a reply. */
  readonly head: number
  /** Bytes kept from the end of a reply that is longer than `head`. */
  readonly tail: number
  /** Does byte 15 begin a report? If not, it is output. */
  readonly reports: boolean
}

/** Bytes kept of a report; a longer one is cut and is no valid JSON. */
const REPORT_KEPT = 1024 * 1024
const EMPTY = new Uint8Array(0)

const HEAD = 6
const NONE = 7
const REPORTING = Uint8Array.of(REPORT)

/** Recognises counted bytes at the start of a reply. */
class CountedPart {
  /** The bytes of the head that have arrived; `NONE` when the reply has no counted bytes. */
  private seen = 0
  /** The counted bytes that are still to come, after the head. */
  private left = 0

  /** Bytes that have arrived and may turn out to be no head. */
  get pending(): number {
    return this.seen === NONE ? 0 : this.seen
  }

  begin(): void {
    this.seen = this.left = 0
  }

  /** Passes the counted bytes of the chunk to `give`; returns the index after them. */
  take(chunk: Uint8Array, start: number, give: (bytes: Uint8Array) => void): number {
    let at = start
    for (; this.seen < HEAD && at < chunk.length; at++, this.seen++) {
      const byte = chunk[at]!
      if (this.seen >= 2) this.left += byte * 2 ** (8 * (this.seen - 2))
      else if (byte !== (this.seen === 0 ? REPORT : COUNTED)) {
        // Byte 15 began a report. It may have been in an earlier chunk, so it is given again.
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

/** Keeps the first `mostHead` and the last `mostTail` of the appended bytes, and their count. */
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

  /** Sets the spill until the next `take`. To be called before the first `append`. */
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

  /** The kept bytes, in arrays that are not reused; then starts empty. */
  take(): Pick<ChildReply, "bytes" | "head" | "omitted" | "tail" | "spilled"> {
    const { bytes, first, last, spill } = this
    const kept = Math.min(this.tail, Math.max(0, bytes - this.head))
    const isLong = first.length > 65536
    // A long array is given away; a short one is copied and used again for the next reply.
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
  /** Did the last chunk end in byte 01, which may be the first half of a sentinel? */
  private half = false
  private readonly counted = new CountedPart()
  private readonly giveCounted = (bytes: Uint8Array): void => (bytes === REPORTING ? this.append(bytes) : this.output.append(bytes))

  constructor(private readonly keep: Keep) {
    this.output = new Ends(keep.head, keep.tail)
  }

  /** The bytes since the last sentinel. */
  get pending(): number {
    return this.output.bytes + this.report.bytes + this.counted.pending + (this.half ? 1 : 0)
  }

  /** Sets the spill for the next reply. To be called before its first byte arrives. */
  spillTo(spill: Spill | undefined): void {
    this.output.spillTo(spill)
  }

  /** The replies that this chunk completes, in order. The chunk may be reused afterwards. */
  feed(chunk: Uint8Array): ChildReply[] {
    const replies: ChildReply[] = []
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

  /** Takes counted bytes at the start of a reply; returns the index after them. */
  private takeCounted(chunk: Uint8Array, start: number): number {
    return this.keep.reports ? this.counted.take(chunk, start, this.giveCounted) : start
  }

  /** The output since the last sentinel as a reply, as if the sentinel had come now; then starts empty. */
  take(): ChildReply {
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
