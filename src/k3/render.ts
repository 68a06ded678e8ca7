/**
 * The one place where an error becomes text: name, source line, caret, and the path of calls.
 *
 * Does not: find places; compiled code puts frames into `KError.trace`, innermost first.
 */
import type { Frame, KError } from "./KError.ts"
import type { Failure } from "./k3.ts"
import { valenceAt } from "./blame.ts"
import { placeOf } from "./source.ts"

/** Calls shown; the rest is counted. */
const SHOWN = 8
/** Characters of a source line shown around the caret. */
const WIDTH = 120

const short = (text: string): string => {
  const line = text.split("\n", 1)[0]!
  return line.length > 32 || line.length < text.length ? `${line.slice(0, 30)}…` : line
}

const callOf = (frame: Frame): string => frame.name ?? short(frame.source)

/** A long line cut to a window that holds the caret. */
const windowed = (line: string, column: number): { readonly line: string; readonly column: number } => {
  if (line.length <= WIDTH) return { line, column }
  const from = Math.max(0, Math.min(column - 1 - WIDTH / 2, line.length - WIDTH))
  const head = from > 0 ? "…" : ""
  const tail = from + WIDTH < line.length ? "…" : ""
  return { line: head + line.slice(from, from + WIDTH) + tail, column: column - from + head.length }
}

/** A line, cut around the column when it is long, and the line with the caret that goes below it. */
export const pointed = (text: string, column: number): { readonly source: string; readonly caret: string } => {
  const shown = windowed(text, column)
  return { source: shown.line, caret: caretUnder(shown.line, shown.column) }
}

const caretUnder = (line: string, column: number): string => line.slice(0, column - 1).replace(/[^\t]/g, " ") + "^"

/** `statement` is what was given to `evaluate`. */
export const failureOf = (error: KError, statement: string): Failure => {
  const inner: Frame = error.trace[0] ?? { source: statement, span: { start: 0, end: statement.length } }
  const outer = error.trace[error.trace.length - 1] ?? inner
  const place = placeOf(inner.source, inner.span.start)
  const outermost = placeOf(outer.source, outer.span.start)
  const shown = pointed(place.text, place.column)
  const valence = valenceAt(inner)
  const path = error.trace.slice(0, -1).map(callOf)
  const hidden = Math.max(0, path.length - SHOWN) + error.omitted
  const bounded = hidden > 0 ? [...path.slice(0, SHOWN), `${hidden} more`] : path
  const lines = [`${error.kname} error${error.hint === undefined ? "" : `: ${error.hint}`}`, shown.source, shown.caret]
  if (path.length > 0) lines.push(`in ${[...bounded, short(outer.source)].join(" < ")}`)
  return {
    name: error.kname,
    hint: error.hint ?? "",
    line: outermost.line,
    column: outermost.column,
    ...shown,
    at: inner.source.slice(inner.span.start, inner.span.end),
    ...(valence !== undefined && { valence }),
    path: bounded,
    rendered: lines.join("\n") + "\n",
  }
}
