/**
 * What replies say of the variables, from the event that made it so to the replies that tell it: a log, and how far each reader has heard it.
 * A reader is a client of the session. Pure.
 *
 * Guarantees: every reader hears why there is another interpreter, and what came back, once, in its next reply, and as one notice however
 * many children came between. A reader that is new hears what nobody was told yet, and what came from disk while that is the latest. Both
 * the log and the positions are bounded. Does not: know a reader again that was forgotten, or tell more than the latest `mostNotices`.
 */
import type { Notice } from "./Evaluation.ts"
import type { Restored } from "./variables/Workspace.ts"

/** Why the variables are not those of the evaluation before, and what came back. */
export interface Posted {
  /** Ids only grow. */
  readonly id: number
  /** For replies of later children than this one. */
  readonly after: number
  /** Without one nothing is said. */
  readonly why?: string | undefined
  /** When they come from the store: how long ago they were written. */
  readonly savedMsAgo?: number | undefined
  readonly restored?: Restored | undefined
  /** Evaluations whose changes are gone, when nothing was restored. */
  readonly missed?: number
}

export interface Notices {
  /** Oldest first; what every reader has heard is not in it any more. */
  readonly log: readonly Posted[]
  /** Id of the latest. */
  readonly last: number
  /** New readers hear what comes behind this id. */
  readonly told: number
  /** Id of the last one that each reader has heard; who asked longest ago comes first. */
  readonly heard: ReadonlyMap<string, number>
  /** Who asked last. */
  readonly latest: string | undefined
}

export const noNotices: Notices = { log: [], last: 0, told: 0, heard: new Map(), latest: undefined }

const mostNotices = 32
const mostReaders = 64

const positionOf = ({ heard, told }: Notices, reader: string): number => heard.get(reader) ?? told

export const post = (notices: Notices, notice: Omit<Posted, "id">): Notices => {
  const last = notices.last + 1
  return { ...notices, last, log: [...notices.log, { ...notice, id: last }].slice(-mostNotices) }
}

/** Adds to the latest one if no child was adopted since. */
const amend = (notices: Notices, generation: number, more: Omit<Posted, "id" | "after">): Notices => {
  const latest = notices.log.at(-1)
  if (latest?.after !== generation) return post(notices, { after: generation, ...more })
  return { ...notices, log: [...notices.log.slice(0, -1), { ...latest, ...more }] }
}

/** What came back, or did not, belongs to why it had to. `generation`: of the child before. */
export const cameBack = (notices: Notices, generation: number, restored: Restored | undefined, missed: number): Notices => {
  if (restored !== undefined) return amend(notices, generation, { restored })
  return missed > 0 && notices.log.at(-1)?.after === generation ? amend(notices, generation, { missed }) : notices
}

/** Another child took the place of that one. */
export const replaced = (notices: Notices, generation: number, restored: Restored | undefined, missed: number): Notices =>
  post(notices, { after: generation, why: "the interpreter was replaced", ...(restored === undefined ? { missed } : { restored }) })

/** What was told of values holds no more. */
export const withoutValues = (notices: Notices): Notices => ({
  ...notices,
  log: notices.log.map(({ id, after, why }) => ({ id, after, why })),
})

/** A reader is there: from now on it misses nothing. */
export const attended = (notices: Notices, reader: string): Notices =>
  notices.latest === reader && notices.heard.has(reader) ? notices : moved(notices, reader, positionOf(notices, reader))

/** A reader was told all that there is to tell before the child of that generation; everything when undefined. */
export const noticed = (notices: Notices, reader: string, generation = Number.POSITIVE_INFINITY): Notices => {
  const { log } = notices
  const last = log.findLast(({ after }) => after < generation)
  return last === undefined || last.id <= positionOf(notices, reader) ? notices : moved(notices, reader, last.id)
}

const moved = (notices: Notices, reader: string, id: number): Notices => {
  const heard = new Map(notices.heard)
  heard.delete(reader)
  heard.set(reader, id)
  const [oldest] = heard.keys()
  if (heard.size > mostReaders) heard.delete(oldest!)
  const toldOnce = notices.log.findLast((each) => each.id <= id && each.savedMsAgo === undefined)?.id ?? 0
  const told = Math.max(notices.told, toldOnce)
  const everywhere = Math.min(told, ...heard.values())
  return { ...notices, heard, told, latest: reader, log: notices.log.filter((each) => each.id > everywhere) }
}

/** What a reader has not heard, of what came before the child of that generation. */
export const unheard = (notices: Notices, reader: string, generation: number): readonly Posted[] => {
  const from = positionOf(notices, reader)
  return notices.log.filter(({ id, after }) => id > from && after < generation)
}

/** What the child of that generation was given. */
export const givenTo = ({ log }: Notices, generation: number): Restored | undefined =>
  log.find(({ after }) => after === generation - 1)?.restored

/** The same for a reader, with what went wrong before and it has not heard of. */
export const givenBackTo = (notices: Notices, reader: string, generation: number): Restored | undefined => {
  const given = givenTo(notices, generation)
  const untold = unheard(notices, reader, generation).filter(({ restored }) => restored !== given || given === undefined)
  const all = [...untold.map(({ restored, missed = 0 }) => restored ?? { lost: [], missed }), ...(given === undefined ? [] : [given])]
  const lost = all.flatMap((each) => each.lost)
  const missed = all.reduce((sum, each) => sum + each.missed, 0)
  return given === undefined && lost.length === 0 && missed === 0 ? undefined : { restored: given?.restored ?? 0, lost, missed }
}

/** Why the variables are not those of the evaluation before, told as one. */
export const noticeOf = (pending: readonly Posted[], generation: number): Notice | undefined => {
  const why = pending.findLast((each) => each.why !== undefined)?.why
  if (why === undefined) return undefined
  const restored = pending.flatMap((each) => each.restored ?? [])
  const lost = restored.flatMap((each) => each.lost)
  const savedMsAgo = pending.find((each) => each.savedMsAgo !== undefined)?.savedMsAgo
  if (savedMsAgo === undefined && restored.every((each) => each.restored === 0)) return { kind: "fresh", generation, why, lost }
  return {
    kind: "restored",
    generation,
    why,
    ...(savedMsAgo !== undefined && { savedMsAgo }),
    restored: restored.at(-1)!.restored,
    lost,
    missed: restored.reduce((sum, { missed }) => sum + missed, 0),
  }
}
