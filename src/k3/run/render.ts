/**
 * Makes the text of an error: name, source line, caret, and the path of calls. No other file does.
 *
 * Guarantees: each part of an error is bounded, whatever the program's names, signals and literals are.
 * Does not: find places; compiled code puts frames into `KError.trace`, innermost first.
 */
import type { TraceFrame, KError } from "./KError.ts"
import type { Failure } from "../Failure.ts"
import { valenceAt } from "../syntax/blame.ts"
import { pointed, utf8 } from "../text/caret.ts"
import { placeOf } from "../text/place.ts"

/** Calls that are shown; the rest is counted. */
const SHOWN = 8

const short = (text: string): string => {
  const line = text.split("\n", 1)[0]!
  return line.length > 32 || line.length < text.length ? `${line.slice(0, 30)}…` : line
}

/** Characters of a name, a signal or a hint. */
const LONGEST = 400

/** The beginning of a long text, without a character that the cut would break. */
const beginning = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/[\xc0-\xff][\x80-\xbf]*$/, "")}…`

const callOf = ({ name, source }: TraceFrame): string => (name === undefined ? short(source) : beginning(name))

/** The further bytes of a UTF-8 character; text of the language is bytes. */
const CONTINUATION = /[\x80-\xbf]/g

/** `statement` is the text given to `evaluate`. */
export const failureOf = (error: KError, statement: string): Failure => {
  const inner: TraceFrame = error.trace[0] ?? { source: statement, span: { start: 0, end: statement.length } }
  const outer = error.trace[error.trace.length - 1] ?? inner
  const place = placeOf(inner.source, inner.span.start)
  const outermost = placeOf(outer.source, outer.span.start)
  const shown = pointed(place.text, place.column, utf8)
  const valence = valenceAt(inner)
  const path = error.trace.slice(0, -1).map(callOf)
  // The line of a script is shown even when there are too many calls.
  const last = path.length > SHOWN && error.trace.at(-2)!.isScript === true ? path.slice(-1) : []
  const hidden = Math.max(0, path.length - SHOWN - last.length) + error.omitted
  const bounded = [...path.slice(0, SHOWN), ...(hidden > 0 ? [`${hidden} more`] : []), ...last]
  const [name, hint] = [beginning(error.kname), beginning(error.hint)]
  const lines = [`${name} error${hint === "" ? "" : `: ${hint}`}`, shown.source, shown.caret]
  if (path.length > 0) lines.push(`in ${[...bounded, short(outer.source)].join(" < ")}`)
  return {
    kind: error.kind,
    name,
    hint,
    line: outermost.line,
    column: 1 + outermost.text.slice(0, outermost.column - 1).replace(CONTINUATION, "").length,
    ...shown,
    at: beginning(inner.source.slice(inner.span.start, inner.span.end)),
    ...(valence !== undefined && { valence }),
    path: bounded,
    rendered: lines.join("\n") + "\n",
  }
}
