/**
 * What was asked of one session and what came back, in order: an append-only log with a size cap.
 *
 * Lines are JSON in ASCII, so that a character is a byte, gathered into segments. Guarantees: recording costs the same however much is
 * held; the cap is never exceeded, and what is dropped for it are the oldest whole entries, a segment at a time; reading goes backwards
 * by entry numbers, which stay what they are, so that pages meet each entry once while others arrive. Does not: write to disk
 * (`History.ts` does), but knows which lines are there already and lets go of segments that are.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { namePattern } from "../../limits.ts"

const number = Schema.optionalKey(Schema.Finite)

export const Entry = Schema.Struct({
  /** From 1. */
  n: Schema.Int.check(Schema.isGreaterThan(0)),
  /** When it was asked, ms since 1970. */
  at: Schema.Finite,
  /** Who asked: `agent`, `console`, `page`, a principal's name; absent in what earlier versions wrote. */
  by: Schema.optionalKey(Schema.String.check(Schema.isPattern(namePattern))),
  code: Schema.String,
  /** Characters of the code when it was too long to be kept whole. */
  codeCut: number,
  /** As it was shown, or the beginning of it. */
  output: Schema.String,
  /** Bytes printed in all, when not all of them are in `output`. */
  bytes: number,
  ok: Schema.Boolean,
  /** An error of K, or what kept the session from answering: `deadline`, `cancel`, `crash`, `memory`, … */
  error: Schema.optionalKey(Schema.Struct({ name: Schema.String, text: Schema.String, line: number })),
  /** Number of the statement that ended it, from 1; those before it ran. */
  failed: number,
  /** What became of what it did, when that does not count: nothing ran, or the variables were put back as they had been. */
  effect: Schema.optionalKey(Schema.Literals(["none", "undone"])),
  ms: Schema.Finite,
  generation: Schema.Finite,
  /** MD5 of the build; absent when none was launched. */
  build: Schema.optionalKey(Schema.String),
  engine: Schema.optionalKey(Schema.Literals(["k3csharp", "embedded"])),
  /**
   * No evaluation: the workspace was emptied (`reset`, `reload`), became that of a snapshot (`restore`) or what it was before
   * (`undo`, `redo`), or began as a copy (`fork`), whose
   * original `output` names.
   */
  event: Schema.optionalKey(Schema.Literals(["reset", "reload", "restore", "fork", "undo", "redo"])),
})
export type Entry = typeof Entry.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Entry))

/** Characters kept of an entry: so much that a cap of 1 MiB holds the longest there can be, six bytes a character. */
const mostCode = 128 * 1024
const mostOutput = 16 * 1024
const mostError = 4 * 1024
const segmentsInCap = 16

interface Segment {
  /** Number of its first entry. */
  readonly first: number
  bytes: number
  /** Absent when it is on disk only. */
  lines: string[] | undefined
  /** Lines that are on disk. */
  saved: number
}

export interface PageRequest {
  readonly before?: number
  readonly from?: number
  readonly limit: number
  readonly wanted?: (entry: Entry) => boolean
}

/** Some entries, oldest first. */
export interface Page {
  readonly entries: readonly Entry[]
  /** There are older ones: ask for those before this number. */
  readonly cursor?: number
  /** Lines that could not be read; one that a crash of the server cut short is counted once. */
  readonly damaged: number
}

const escaped = (line: string): string =>
  // oxlint-disable-next-line no-control-regex
  /^[\x00-\x7f]*$/.test(line) ? line : line.replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)

const cut = (entry: Entry): Entry => {
  const { code, output, error } = entry
  if (code.length <= mostCode && output.length <= mostOutput && (error === undefined || error.text.length <= mostError)) return entry
  return {
    ...entry,
    ...(code.length > mostCode && { code: code.slice(0, mostCode), codeCut: code.length }),
    ...(output.length > mostOutput && {
      output: output.slice(0, mostOutput),
      bytes: entry.bytes ?? new TextEncoder().encode(output).length,
    }),
    ...(error !== undefined && { error: { ...error, text: error.text.slice(0, mostError) } }),
  }
}

/** Undefined for a line that was cut short or written by others. */
export const parsed = (line: string): Entry | undefined => Option.getOrUndefined(decode(line))

/** What follows it comes behind what goes on now. */
const behind = Promise.resolve()

export class HistoryLog {
  private readonly segments: Segment[]
  private total: number
  private next: number
  /** The last line was cut short, which nobody was told yet. */
  private torn: boolean
  /** Recorded, and no line yet. */
  private readonly fresh: Entry[] = []
  /** Segments dropped that are on disk. */
  private readonly gone: number[] = []

  /**
   * `kept`: bytes; `read` gives the lines of a segment that is on disk, by its first number; `found`: what is there from before, oldest
   * first, the last one with its lines.
   */
  constructor(
    private readonly kept: number,
    private readonly read: (first: number) => Effect.Effect<readonly string[]>,
    found: readonly { readonly first: number; readonly bytes: number; readonly lines?: readonly string[] }[] = [],
  ) {
    const newest = found.at(-1)?.lines ?? []
    const cutShort = newest.length > 0 && parsed(newest.at(-1)!) === undefined ? newest.at(-1)! : undefined
    this.torn = cutShort !== undefined
    const whole = cutShort === undefined ? newest : newest.slice(0, -1)
    this.segments = found.map(({ first, bytes, lines }) => ({
      first,
      bytes: lines === undefined ? bytes : bytes - (cutShort?.length ?? 0),
      lines: lines === undefined ? undefined : [...whole],
      saved: lines === undefined ? 0 : whole.length,
    }))
    this.total = this.segments.reduce((sum, { bytes }) => sum + bytes, 0)
    this.next = whole.reduce((next, line) => Math.max(next, (parsed(line)?.n ?? 0) + 1), this.segments.at(-1)?.first ?? 1)
    this.dropOldest()
  }

  /** Number of the oldest entry that is kept, and of the newest; the newest is 0 when there is none yet. */
  get first(): number {
    this.settle()
    return this.segments[0]?.first ?? this.next
  }
  get last(): number {
    return this.next - 1
  }
  get bytes(): number {
    this.settle()
    return this.total
  }

  /** Bytes in memory. */
  get held(): number {
    this.settle()
    return this.segments.reduce((sum, { bytes, lines }) => (lines === undefined ? sum : sum + bytes), 0)
  }
  /** Is everything on disk that was recorded? */
  get isSaved(): boolean {
    this.settle()
    return this.segments.every(({ lines, saved }) => lines === undefined || saved === lines.length)
  }

  /** Adds an entry and gives it its number. Its line is made behind what goes on now, or when somebody reads. */
  record(entry: Omit<Entry, "n">): Entry {
    const numbered = { n: this.next++, ...entry }
    if (this.fresh.push(numbered) === 1) void behind.then(() => this.settle())
    return numbered
  }

  private settle(): void {
    for (const entry of this.fresh) this.add(entry)
    this.fresh.length = 0
  }

  private add(entry: Entry): void {
    const { n } = entry
    const line = escaped(JSON.stringify(cut(entry)))
    let open = this.segments.at(-1)
    if (open?.lines === undefined || open.bytes + line.length + 1 > this.kept / segmentsInCap) {
      if (open?.lines?.length === open?.saved && open !== undefined) open.lines = undefined
      open = { first: n, bytes: 0, lines: [], saved: 0 }
      this.segments.push(open)
    }
    open.lines!.push(line)
    open.bytes += line.length + 1
    this.total += line.length + 1
    if (this.total > this.kept) this.dropOldest()
  }

  private dropOldest(): void {
    while (this.total > this.kept && this.segments.length > 1) {
      const { first, bytes, saved, lines } = this.segments.shift()!
      this.total -= bytes
      if (saved > 0 || lines === undefined) this.gone.push(first)
    }
  }

  /** Lines that are not on disk yet, by the first number of their segment; and segments that should not be there any more. */
  unsaved(): {
    readonly lines: readonly { readonly first: number; readonly lines: readonly string[] }[]
    readonly gone: readonly number[]
  } {
    this.settle()
    return {
      lines: this.segments.flatMap(({ first, lines, saved }) =>
        lines === undefined || saved === lines.length ? [] : [{ first, lines: lines.slice(saved) }],
      ),
      gone: this.gone.splice(0),
    }
  }

  /** So many more lines of that segment are on disk. */
  saved(first: number, lines: number): void {
    const segment = this.segments.find((each) => each.first === first)
    if (segment === undefined) {
      this.gone.push(first)
      return
    }
    segment.saved += lines
    if (segment !== this.segments.at(-1) && segment.saved === segment.lines?.length) segment.lines = undefined
  }

  /** The newest entries before a number, or before the end, for which `wanted` holds; none older than `from`. */
  readonly page = Effect.fnUntraced(function* (
    this: HistoryLog,
    { before = Number.POSITIVE_INFINITY, from = 0, limit, wanted = () => true }: PageRequest,
  ): Effect.fn.Return<Page> {
    this.settle()
    const entries: Entry[] = []
    let damaged = this.torn ? 1 : 0
    this.torn = false
    for (const segment of this.segments.toReversed()) {
      if (segment.first >= before) continue
      // What is read may take a while; others are let through between two segments.
      const lines: readonly string[] = segment.lines ?? (yield* this.read(segment.first))
      yield* Effect.yieldNow
      for (let i = lines.length - 1; i >= 0; i--) {
        const entry = parsed(lines[i]!)
        if (entry === undefined) damaged++
        else if (entry.n < from) return { entries: entries.toReversed(), damaged }
        else if (entry.n < before && wanted(entry)) {
          if (entries.length === limit) return { entries: entries.toReversed(), cursor: entries.at(-1)!.n, damaged }
          entries.push(entry)
        }
      }
    }
    return { entries: entries.toReversed(), damaged }
  })
}
