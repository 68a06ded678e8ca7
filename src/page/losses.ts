/**
 * What a session lost when another interpreter, or another server, took over: as the page can tell, which saw the names before and after.
 * Pure. Does not: know whether a name that is gone was removed by K code in between.
 */

/** A session as it was seen. */
export interface Sight {
  readonly session: string
  /** Which of the servers that the page has reached told it, from 1. */
  readonly server: number
  /** Of the interpreter; undefined when none runs, or when the status was read before it began. */
  readonly pid: number | undefined
  /** Of the interpreter that holds the names; 0 when none does. */
  readonly generation: number
  /** Undefined before its variables were read. */
  readonly names: readonly string[] | undefined
}

const mostNames = 12

const listed = (names: readonly string[]): string =>
  names.length <= mostNames ? names.join(", ") : `${names.slice(0, mostNames).join(", ")} and ${names.length - mostNames} more`

/** Does another interpreter answer than before? Another server counts generations anew. */
export const isFresh = (before: Sight | undefined, after: Sight): boolean => {
  if (before?.session !== after.session || before.generation === 0 || after.generation === 0) return false
  if (before.server === after.server) return after.generation > before.generation
  return before.pid !== undefined && after.pid !== undefined && before.pid !== after.pid
}

/** What is known from now on: an interpreter that has not begun yet, or is not known to be another server's, replaces nothing. */
export const seen = (before: Sight | undefined, after: Sight): Sight =>
  before !== undefined && (after.generation === 0 || (before.server !== after.server && after.pid === undefined)) ? before : after

/** What to say of the interpreter that took over. */
export const lossOf = (before: Sight, after: Sight): string => {
  const { names = [] } = before
  const here = new Set(after.names)
  const gone = names.filter((name) => !here.has(name))
  const kept = names.length - gone.length
  const begun = `A fresh interpreter answers in session ${after.session} (generation ${after.generation}).`
  if (names.length === 0) return begun
  if (gone.length === 0) return `${begun} All ${kept} variables are there.`
  return `${begun} ${kept === 0 ? "No variable was kept" : `${kept} variables are there`}; lost: ${listed(gone)}.`
}

/** Said when the server answers again after it did not. `ms`: how long it did not. */
export const returned = (ms: number, unanswered: readonly string[]): string => {
  const back = `The server answers again, after ${ms < 1000 ? "a moment" : `${Math.round(ms / 1000)} s`}.`
  if (unanswered.length === 0) return back
  return `${back} No answer came to: ${listed(unanswered)}. The history tells whether it ran; it is not run again.`
}
