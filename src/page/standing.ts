/**
 * The page's standing with its server, as a value and its transitions: how often the server was reached, the subscriptions, the plots and the
 * interpreter that were seen, and the code without a reply. Pure.
 */
import { isFresh, lossOf, returned, seen, type SessionReading } from "./losses.ts"

export interface Standing {
  /** How often the server was reached. It may be another server each time. */
  readonly arrivals: number
  /** The addresses that the page is subscribed to, joined into one text. */
  readonly watched: string
  /** The numbers of the session's plots, joined into one text. */
  readonly plots: string
  readonly reading: SessionReading | undefined
  /** Milliseconds since 1970; undefined while the server answers, and once its return was announced. */
  readonly goneSince: number | undefined
  /** Code whose reply was lost with the server. */
  readonly unanswered: readonly string[]
}

export const atFirst: Standing = {
  arrivals: 0,
  watched: "",
  plots: "",
  reading: undefined,
  goneSince: undefined,
  unanswered: [],
}

/** The server answers. A new connection has no subscription yet, and another server numbers its plots from 1. */
export const reached = (standing: Standing): Standing => ({ ...standing, arrivals: standing.arrivals + 1, watched: "", plots: "" })

export const gone = (standing: Standing, at: number): Standing => ({ ...standing, goneSince: standing.goneSince ?? at })

export const leftUnanswered = (standing: Standing, code: string): Standing => ({
  ...standing,
  unanswered: [...standing.unanswered, code],
})

/** The server answers again. The second item is the sentence to show; undefined when the server was not gone. */
export const back = (standing: Standing, at: number): readonly [Standing, string | undefined] =>
  standing.goneSince === undefined
    ? [standing, undefined]
    : [{ ...standing, goneSince: undefined, unanswered: [] }, returned(at - standing.goneSince, standing.unanswered)]

/** Another session is shown. */
export const opened = (standing: Standing): Standing => ({ ...standing, plots: "", reading: undefined })

/** The interpreter that a status tells of. */
export type InterpreterIdentity = Pick<SessionReading, "session" | "pid" | "generation">

/**
 * Takes in a status. The second item is true when the variables must be read: another interpreter runs than the one seen last. The first interpreter
 * is remembered before its variables are read, so that one that takes over at once still counts as fresh.
 */
export const statusSeen = (standing: Standing, { session, pid, generation }: InterpreterIdentity): readonly [Standing, boolean] => {
  const { reading: before, arrivals } = standing
  const isFirst = before === undefined || before.generation === 0
  const reading = isFirst ? { session, server: arrivals, pid, generation, names: undefined } : before
  return [{ ...standing, reading }, reading.pid !== pid || reading.generation !== generation]
}

/** Takes in the names that an interpreter holds; undefined when not all are known. The second item is the sentence to show when another interpreter held the names before. */
export const namesSeen = (
  standing: Standing,
  interpreter: InterpreterIdentity,
  names: SessionReading["names"],
): readonly [Standing, string | undefined] => {
  const reading: SessionReading = { ...interpreter, server: standing.arrivals, names }
  const { reading: before } = standing
  const loss = before !== undefined && isFresh(before, reading) ? lossOf(before, reading) : undefined
  return [{ ...standing, reading: seen(before, reading) }, loss]
}

/**
 * Takes in the names read while an evaluation ran. They count only while no others are known, and only for the interpreter seen last: a fresh one may
 * not have its variables yet.
 */
export const namesGlimpsed = (standing: Standing, interpreter: InterpreterIdentity, names: SessionReading["names"]): Standing => {
  const reading: SessionReading = { ...interpreter, server: standing.arrivals, names }
  const { reading: before } = standing
  const areNews = before !== undefined && before.names === undefined && names !== undefined && names.length > 0 && !isFresh(before, reading)
  return areNews ? { ...standing, reading: seen(before, reading) } : standing
}
