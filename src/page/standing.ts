/**
 * How the page stands with its server: how often that was reached, which session is followed, what was seen of its interpreter, and what
 * nobody has answered. A value and its transitions. Pure.
 */
import { isFresh, lossOf, returned, seen, type Sight } from "./losses.ts"

export interface Standing {
  /** How often the server was reached: it may be another one each time. */
  readonly arrivals: number
  /** The session whose transcript is shown. */
  readonly shown: string | undefined
  /** Addresses whose changes are told, in one text. */
  readonly watched: string
  /** Numbers of the session's plots, in one text. */
  readonly plots: string
  readonly sight: Sight | undefined
  /** Milliseconds since 1970, while the server does not answer and until that is said. */
  readonly goneSince: number | undefined
  /** Code that was asked and not answered when it went. */
  readonly unanswered: readonly string[]
}

export const atFirst: Standing = {
  arrivals: 0,
  shown: undefined,
  watched: "",
  plots: "",
  sight: undefined,
  goneSince: undefined,
  unanswered: [],
}

/** The server answers; it watches nothing for us yet. */
export const reached = (standing: Standing): Standing => ({ ...standing, arrivals: standing.arrivals + 1, watched: "" })

export const gone = (standing: Standing, at: number): Standing => ({ ...standing, goneSince: standing.goneSince ?? at })

export const leftUnanswered = (standing: Standing, code: string): Standing => ({
  ...standing,
  unanswered: [...standing.unanswered, code],
})

/** What to say now that it is back; undefined when it was not gone. */
export const back = (standing: Standing, at: number): readonly [Standing, string | undefined] =>
  standing.goneSince === undefined
    ? [standing, undefined]
    : [{ ...standing, goneSince: undefined, unanswered: [] }, returned(at - standing.goneSince, standing.unanswered)]

/** The transcript of that session is shown, from its latest entries on. */
export const opened = (standing: Standing, session: string): Standing => ({ ...standing, shown: session, plots: "", sight: undefined })

/** The interpreter of a status. */
export type Interpreter = Pick<Sight, "session" | "pid" | "generation">

/** Also an interpreter that ends before its variables were read is followed by a fresh one. True: the variables are due. */
export const statusSeen = (standing: Standing, { session, pid, generation }: Interpreter): readonly [Standing, boolean] => {
  const { sight: before, arrivals } = standing
  const isFirst = before === undefined || before.generation === 0
  const sight = isFirst ? { session, server: arrivals, pid, generation, names: undefined } : before
  return [{ ...standing, sight }, sight.pid !== pid || sight.generation !== generation]
}

/** Its variables were read; with what to say when another interpreter holds them than before. */
export const namesSeen = (
  standing: Standing,
  interpreter: Interpreter,
  names: readonly string[],
): readonly [Standing, string | undefined] => {
  const sight: Sight = { ...interpreter, server: standing.arrivals, names }
  const { sight: before } = standing
  const loss = before !== undefined && isFresh(before, sight) ? lossOf(before, sight) : undefined
  return [{ ...standing, sight: seen(before, sight) }, loss]
}
