/**
 * What a session lost when another interpreter, or another server, took over: as the page can tell, which saw the names before and after.
 * Pure. Does not: know whether a name that is gone was removed by K code in between.
 */

/** A session as it was seen. */
export interface Sight {
  readonly session: string
  /** Of the interpreter; undefined when none runs. */
  readonly pid: number | undefined
  readonly generation: number
  readonly names: readonly string[]
}

const mostNames = 12

const listed = (names: readonly string[]): string =>
  names.length <= mostNames ? names.join(", ") : `${names.slice(0, mostNames).join(", ")} and ${names.length - mostNames} more`

/** Is it another interpreter than before? Not known while none runs. */
export const isFresh = (before: Sight | undefined, after: Sight): boolean =>
  before !== undefined &&
  before.session === after.session &&
  before.pid !== undefined &&
  after.pid !== undefined &&
  before.pid !== after.pid

/** What to say of the interpreter that took over. */
export const lossOf = (before: Sight, after: Sight): string => {
  const here = new Set(after.names)
  const gone = before.names.filter((name) => !here.has(name))
  const kept = before.names.length - gone.length
  const begun = `A fresh interpreter answers in session ${after.session} (generation ${after.generation}).`
  if (before.names.length === 0) return begun
  if (gone.length === 0) return `${begun} All ${kept} variables are there.`
  return `${begun} ${kept === 0 ? "No variable was kept" : `${kept} variables are there`}; lost: ${listed(gone)}.`
}

/** Said when the server answers again after it did not. `ms`: how long it did not. */
export const returned = (ms: number, unanswered: readonly string[]): string => {
  const back = `The server answers again, after ${ms < 1000 ? "a moment" : `${Math.round(ms / 1000)} s`}.`
  if (unanswered.length === 0) return back
  return `${back} No answer came to: ${listed(unanswered)}. The history tells whether it ran; it is not run again.`
}
