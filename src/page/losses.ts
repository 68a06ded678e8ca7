/**
 * The names that a session lost when another interpreter or another server took over, found by comparing the names before and after. Pure. Does not:
 * know whether K code removed a name in between.
 */

/** A session as the page read it at one moment. */
export interface SessionReading {
  readonly session: string
  /** The server that answered, as the number of the connection, from 1. */
  readonly server: number
  /** Of the interpreter; undefined when none runs, or when the status was read before it began. */
  readonly pid: number | undefined
  /** Of the interpreter that holds the names; 0 when none does. */
  readonly generation: number
  /** Undefined until the variables are read, and when they are too many to be read at once. */
  readonly names: readonly string[] | undefined
}

const mostNames = 12

const listed = (names: readonly string[]): string =>
  names.length <= mostNames ? names.join(", ") : `${names.slice(0, mostNames).join(", ")} and ${names.length - mostNames} more`

/** Is `after` of another interpreter than `before`? Across servers the pids decide, since each server counts generations from 1. */
export const isFresh = (before: SessionReading | undefined, after: SessionReading): boolean => {
  if (before?.session !== after.session || before.generation === 0 || after.generation === 0) return false
  if (before.server === after.server) return after.generation > before.generation
  return before.pid !== undefined && after.pid !== undefined && before.pid !== after.pid
}

/** The reading to compare with from now on. `before` stays when `after` has no interpreter yet, or is of another server and its pid is not known. */
export const seen = (before: SessionReading | undefined, after: SessionReading): SessionReading =>
  before !== undefined && (after.generation === 0 || (before.server !== after.server && after.pid === undefined)) ? before : after

/** The sentence about the interpreter that took over, and the names that were lost. */
export const lossOf = (before: SessionReading, after: SessionReading): string => {
  const begun = `A fresh interpreter answers in session ${after.session} (generation ${after.generation}).`
  const { names = [] } = before
  if (names.length === 0 || after.names === undefined) return begun
  const here = new Set(after.names)
  const gone = names.filter((name) => !here.has(name))
  const kept = names.length - gone.length
  const isOne = kept === 1
  if (gone.length === 0) return `${begun} ${isOne ? "Its variable is" : `All ${kept} variables are`} there.`
  return `${begun} ${kept === 0 ? "No variable was kept" : `${kept} ${isOne ? "variable is" : "variables are"} there`}; lost: ${listed(gone)}.`
}

/** The sentence for a server that answers again. `ms`: how long it did not; `unanswered`: code whose reply was lost. */
export const returned = (ms: number, unanswered: readonly string[]): string => {
  const back = `The server answers again, after ${ms < 1000 ? "a moment" : `${Math.round(ms / 1000)} s`}.`
  if (unanswered.length === 0) return back
  return `${back} No answer came to: ${listed(unanswered)}. The history tells whether it ran; it is not run again.`
}
