/**
 * The transcript of a session as the page shows it. Pure.
 *
 * Guarantees: entries are in the history's order, each once, also after reconnections and restarts of the server; at most `mostRows` rows are held
 * while the newest is in view. Does not: fetch. An entry comes as the history lists it, cut to a line; `completed` puts in the full one.
 */
import { type Cursor, type HistoryReplyEntry, nothingYet } from "../attach/follow.ts"
import type { Plot } from "../attach/wire.ts"

export type { Cursor, HistoryReplyEntry, Plot }

/** Code asked on this page, with its reply, that is in no history: it was refused, or the session keeps none. */
export interface UnrecordedReply {
  readonly code: string
  readonly output?: string
  readonly error?: string
}

export type Row =
  | { readonly kind: "entry"; readonly key: string; readonly at: string; readonly entry: HistoryReplyEntry; readonly isWhole: boolean }
  | { readonly kind: "plot"; readonly key: string; readonly at: string; readonly plot: Plot }
  | { readonly kind: "answer"; readonly key: string; readonly at: string; readonly answer: UnrecordedReply }
  /** A sentence of the page itself, such as the names that a restart lost. */
  | { readonly kind: "notice"; readonly key: string; readonly at: string; readonly text: string }

export interface Transcript {
  /** Undefined until the first session is read. */
  readonly session: string | undefined
  readonly rows: readonly Row[]
  /** The newest entry. */
  readonly cursor: Cursor
  /** The history's cursor for older entries; undefined when the oldest entry is here. */
  readonly older: number | undefined
}

/** Rows that are held while the newest is in view, and while a person reads further up. */
export const mostRows = 2000
const mostWhileReading = 5 * mostRows

export const emptyTranscript: Transcript = { session: undefined, rows: [], cursor: nothingYet, older: undefined }

/** Does the history's list have the whole entry? It cuts code and output to a line each, and tells only the name of an error. */
export const toldWhole = ({ code, output = "", error, event }: HistoryReplyEntry): boolean =>
  event !== undefined || (error === undefined && !/ ⏎ |…$/.test(code) && !/ ⏎ |…$/.test(output))

const rowOf = (entry: HistoryReplyEntry): Row => ({
  kind: "entry",
  key: `${entry.n}@${entry.at}`,
  at: entry.at,
  entry,
  isWhole: toldWhole(entry),
})

const numberOf = (row: Row | undefined): number | undefined => (row?.kind === "entry" ? row.entry.n : undefined)

/** Drops the oldest rows beyond `most`; the history still has them. */
const trimmed = (transcript: Transcript, most: number): Transcript => {
  const { rows } = transcript
  if (rows.length <= most) return transcript
  const kept = rows.slice(-most)
  const first = kept.map(numberOf).find((n) => n !== undefined)
  return { ...transcript, rows: kept, older: first ?? transcript.older }
}

/** Adds new entries, oldest first. `isFollowed`: the newest row is in view, so the oldest rows may go. */
export const heard = (transcript: Transcript, entries: readonly HistoryReplyEntry[], isFollowed: boolean): Transcript => {
  const last = entries.at(-1)
  if (last === undefined) return transcript
  const next = {
    ...transcript,
    rows: [...transcript.rows, ...entries.map(rowOf)],
    cursor: { n: last.n, at: last.at },
  }
  // After so many at once there may be a gap before them, so rows before the gap are dropped.
  return trimmed(next, isFollowed || entries.length >= mostRows ? mostRows : mostWhileReading)
}

/** Adds entries before the oldest row, oldest first. */
export const recalled = (transcript: Transcript, entries: readonly HistoryReplyEntry[], older: number | undefined): Transcript => {
  const here = new Set(transcript.rows.map(({ key }) => key))
  const fresh = entries.map(rowOf).filter(({ key }) => !here.has(key))
  return { ...transcript, rows: [...fresh, ...transcript.rows], older }
}

/** Replaces a cut entry by the full one. */
export const completed = (transcript: Transcript, entry: HistoryReplyEntry): Transcript => {
  const { key } = rowOf(entry)
  const at = transcript.rows.findIndex((row) => row.key === key)
  return at < 0 ? transcript : { ...transcript, rows: transcript.rows.with(at, { ...rowOf(entry), isWhole: true } as Row) }
}

/** Adds a sentence of the page itself. */
export const said = (transcript: Transcript, text: string, at: string): Transcript => ({
  ...transcript,
  rows: [...transcript.rows, { kind: "notice", key: `said ${transcript.rows.length} ${at}`, at, text }],
})

/** Adds the reply to code asked on this page that is in no history. */
export const answered = (transcript: Transcript, answer: UnrecordedReply, at: string): Transcript => ({
  ...transcript,
  rows: [...transcript.rows, { kind: "answer", key: `answer ${transcript.rows.length} ${at}`, at, answer }],
})

/** Inserts plots among the rows by their time, each once. A plot older than the oldest row is left out while older entries are not fetched. */
export const drew = (transcript: Transcript, plots: readonly Plot[]): Transcript => {
  const here = new Set(transcript.rows.map(({ key }) => key))
  const since = transcript.older === undefined ? "" : (transcript.rows[0]?.at ?? "")
  const fresh = plots.filter(({ uri, at }) => !here.has(`${uri} ${at}`) && at >= since)
  if (fresh.length === 0) return transcript
  const rows = [...transcript.rows]
  for (const plot of fresh) {
    const place = rows.findLastIndex(({ at }) => at <= plot.at) + 1
    rows.splice(place, 0, { kind: "plot", key: `${plot.uri} ${plot.at}`, at: plot.at, plot })
  }
  return { ...transcript, rows }
}

/** The history leaves `by` out for an agent. */
export const askerOf = ({ by = "agent" }: HistoryReplyEntry): string => by

/** A sentence about new entries, for screen readers. */
export const announced = (entries: readonly HistoryReplyEntry[]): string => {
  const last = entries.at(-1)
  if (last === undefined) return ""
  const more = entries.length === 1 ? "" : `${entries.length} evaluations; the last: `
  const outcome = last.event ?? (last.ok ? (last.output ?? "no output") : (last.error ?? "error"))
  return `${more}${askerOf(last)}: ${last.code} gives ${outcome}`.slice(0, 200)
}
