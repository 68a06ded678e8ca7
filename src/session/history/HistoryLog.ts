/**
 * The history of one session: an append-only log of requests and replies with a size limit. A line is an entry as JSON in ASCII, so its length
 * in characters is its length in bytes. Lines are grouped into segments.
 *
 * Guarantees: recording costs the same at any size of the log. The limit is never exceeded: the oldest segments are dropped, with whole entries.
 * Entry numbers never change and pages go backwards by number, so that paging gives each entry once while new ones arrive. Does not: write
 * (`History.ts` does). It knows which lines are stored, and drops stored segments from memory.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { engineKinds } from "../../engineKinds.ts"
import { namePattern } from "../../limits.ts"
import { shortened } from "../../shortened.ts"
import type { Argument } from "../Evaluation.ts"

const number = Schema.optionalKey(Schema.Finite)

export const HistoryEntry = Schema.Struct({
  /** Number of the entry, from 1. */
  n: Schema.Int.check(Schema.isGreaterThan(0)),
  /** Time of the request, ms since 1970. */
  at: Schema.Finite,
  /** The caller: `agent`, `console`, `page`, or a principal's name. Absent in entries of earlier versions. */
  by: Schema.optionalKey(Schema.String.check(Schema.isPattern(namePattern))),
  /** The arguments as assignments, a line each, and the code, so that it gives the same when it runs alone. */
  code: Schema.String,
  /** Number of arguments. They existed only during the evaluation. */
  args: number,
  /** Length of the whole code in characters, when `code` lacks its arguments or its end. */
  codeCut: number,
  /** The output of the reply, or its beginning. */
  output: Schema.String,
  /** Bytes of the whole output, when `output` is only a part. */
  bytes: number,
  ok: Schema.Boolean,
  /** An error of K, or the failure that ended the evaluation: `deadline`, `cancel`, `crash`, `memory`, … */
  error: Schema.optionalKey(Schema.Struct({ name: Schema.String, text: Schema.String, line: number })),
  /** Number of the statement that failed, from 1. The statements before it ran. */
  failed: number,
  /** `none`: no statement ran. `undone`: the variables were restored to those before the evaluation. */
  effect: Schema.optionalKey(Schema.Literals(["none", "undone"])),
  ms: Schema.Finite,
  generation: Schema.Finite,
  /** MD5 of the build; absent when no build was launched. */
  build: Schema.optionalKey(Schema.String),
  engine: Schema.optionalKey(Schema.Literals(engineKinds)),
  /**
   * Set for an entry that is no evaluation: the workspace was emptied (`reset`, `reload`), closed with its session (`close`), restored from a
   * snapshot (`restore`), changed back or forward (`undo`, `redo`), or copied from the session that `output` names (`fork`).
   */
  event: Schema.optionalKey(Schema.Literals(["reset", "reload", "close", "restore", "fork", "undo", "redo"])),
})
export type HistoryEntry = typeof HistoryEntry.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(HistoryEntry))

/** Limits of an entry, in characters. The longest entry, at six bytes a character, fits into a limit of 1 MiB. */
const mostCode = 128 * 1024
const mostOutput = 16 * 1024
const mostError = 4 * 1024
const segmentsInCap = 16

interface Segment {
  /** Number of the segment's first entry. */
  readonly first: number
  bytes: number
  /** Undefined when the lines are only in the store. */
  lines: string[] | undefined
  /** Number of lines in the store. */
  saved: number
}

export interface HistoryRequest {
  readonly before?: number
  readonly from?: number
  readonly limit: number
  /** In lower case. It matches a caller's name only as a whole, since `agent` occurs in many words of code. */
  readonly text?: string | undefined
}

/** Some entries, oldest first. */
export interface HistoryPage {
  readonly entries: readonly HistoryEntry[]
  /** Set when there are older entries: the next page is that before this number. */
  readonly cursor?: number
  /** Number of unreadable lines. A line that a crash of the server cut short is counted in one page only. */
  readonly damaged: number
}

const escaped = (line: string): string =>
  // oxlint-disable-next-line no-control-regex
  /^[\x00-\x7f]*$/.test(line) ? line : line.replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The arguments and the code, apart. */
export const apart = (code: string, args: number): { readonly args: readonly Argument[]; readonly code: string } => {
  const lines = code.split("\n")
  const argument = (line: string): Argument => {
    const colon = line.indexOf(":")
    return { name: line.slice(0, colon), text: line.slice(colon + 1) }
  }
  return { args: lines.slice(0, args).map(argument), code: lines.slice(args).join("\n") }
}

/** The code for a reader who sees `most` characters: of longer code the arguments are cut, so that the rest is in view. */
export const readable = ({ code, args = 0 }: Pick<HistoryEntry, "code" | "args">, most: number): string => {
  if (code.length <= most || args === 0) return code
  const room = Math.max(10, Math.floor(most / 2 / args))
  return code
    .split("\n")
    .map((line, i) => (i < args ? shortened(line, room) : line))
    .join("\n")
}

/** Too long code loses its arguments first. */
const shortCode = ({ code, args = 0 }: HistoryEntry): string =>
  (args === 0 ? code : `/ with args that were too long to keep\n${apart(code, args).code}`).slice(0, mostCode)

const cut = (entry: HistoryEntry): HistoryEntry => {
  const { code, output, error } = entry
  if (code.length <= mostCode && output.length <= mostOutput && (error === undefined || error.text.length <= mostError)) return entry
  return {
    ...entry,
    ...(code.length > mostCode && { code: shortCode(entry), args: 0, codeCut: code.length }),
    ...(output.length > mostOutput && {
      output: output.slice(0, mostOutput),
      bytes: entry.bytes ?? new TextEncoder().encode(output).length,
    }),
    ...(error !== undefined && { error: { ...error, text: error.text.slice(0, mostError) } }),
  }
}

/** Undefined for a line that is no valid entry. */
export const parsed = (line: string): HistoryEntry | undefined => Option.getOrUndefined(decode(line))

const contains = ({ by, code, output, error }: HistoryEntry, text: string): boolean =>
  by?.toLowerCase() === text || [code, output, error?.name, error?.text].some((each) => each?.toLowerCase().includes(text))

/** A callback added to this promise runs after the code that is running now. */
const behind = Promise.resolve()

export class HistoryLog {
  private readonly segments: Segment[]
  private next: number
  /** The last line was cut short, and no page has counted it yet. */
  private torn: boolean
  /** Recorded entries without a line yet. */
  private readonly fresh: HistoryEntry[] = []
  /** Dropped segments that are still in the store. */
  private readonly gone: number[] = []

  /**
   * `kept`: limit of the log in bytes. `read`: reads the lines of a stored segment, by its first number. `found`: the stored segments, oldest
   * first; the last one has its lines. `onRecord`: called before an entry is added.
   */
  constructor(
    private readonly kept: number,
    private readonly read: (first: number) => Effect.Effect<readonly string[]>,
    found: readonly { readonly first: number; readonly bytes: number; readonly lines?: readonly string[] }[] = [],
    private readonly onRecord: () => void = () => {},
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
    this.next = whole.reduce((next, line) => Math.max(next, (parsed(line)?.n ?? 0) + 1), this.segments.at(-1)?.first ?? 1)
    this.dropOldest()
  }

  /** Number of the oldest kept entry. `last`: number of the newest entry, 0 without entries. */
  get first(): number {
    this.settle()
    return this.segments[0]?.first ?? this.next
  }
  get last(): number {
    return this.next - 1
  }
  private get total(): number {
    return this.segments.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Bytes in memory. */
  get held(): number {
    this.settle()
    return this.segments.reduce((sum, { bytes, lines }) => (lines === undefined ? sum : sum + bytes), 0)
  }
  /** Whether all recorded entries are in the store. */
  get isSaved(): boolean {
    this.settle()
    return this.segments.every(({ lines, saved }) => lines === undefined || saved === lines.length)
  }

  /** Adds an entry and gives it its number. Its line is made after the running code, or at the next read. */
  readonly record = (entry: Omit<HistoryEntry, "n">): HistoryEntry => {
    this.onRecord()
    const numbered = { n: this.next++, ...entry }
    if (this.fresh.push(numbered) === 1) void behind.then(() => this.settle())
    return numbered
  }

  /** The log for readers, as it is now. */
  readonly view = () => ({ first: this.first, last: this.last, page: (request: HistoryRequest) => this.page(request) })

  /** Entries from now on have greater numbers than this one. */
  readonly reach = (number: number): void => {
    this.next = Math.max(this.next, number + 1)
  }

  private settle(): void {
    for (const entry of this.fresh) this.add(entry)
    this.fresh.length = 0
  }

  private add(entry: HistoryEntry): void {
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
    this.dropOldest()
  }

  private dropOldest(): void {
    while (this.total > this.kept && this.segments.length > 1) {
      const { first, saved, lines } = this.segments.shift()!
      if (saved > 0 || lines === undefined) this.gone.push(first)
    }
  }

  /** Lines that are not in the store yet, by the first number of their segment; and segments to remove from the store. */
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

  /** Marks the next `lines` lines of a segment as stored. */
  saved(first: number, lines: number): void {
    const segment = this.segments.find((each) => each.first === first)
    if (segment === undefined) {
      this.gone.push(first)
      return
    }
    segment.saved += lines
    if (segment !== this.segments.at(-1) && segment.saved === segment.lines?.length) segment.lines = undefined
  }

  /** The newest entries before a number, or before the end, that contain a text; none older than `from`. */
  readonly page = Effect.fnUntraced(function* (
    this: HistoryLog,
    { before = Number.POSITIVE_INFINITY, from = 0, limit, text }: HistoryRequest,
  ): Effect.fn.Return<HistoryPage> {
    this.settle()
    const entries: HistoryEntry[] = []
    let damaged = this.torn ? 1 : 0
    this.torn = false
    for (const segment of this.segments.toReversed()) {
      if (segment.first >= before) continue
      // Reading may take long, so other fibers run between two segments.
      const lines: readonly string[] = segment.lines ?? (yield* this.read(segment.first))
      yield* Effect.yieldNow
      for (let i = lines.length - 1; i >= 0; i--) {
        const entry = parsed(lines[i]!)
        if (entry === undefined) damaged++
        else if (entry.n < from) return { entries: entries.toReversed(), damaged }
        else if (entry.n < before && (text === undefined || contains(entry, text))) {
          if (entries.length === limit) return { entries: entries.toReversed(), cursor: entries.at(-1)!.n, damaged }
          entries.push(entry)
        }
      }
    }
    return { entries: entries.toReversed(), damaged }
  })
}
