/**
 * Notices about the workspace: a log of posted notices, and the position of each reader in it. A reader is a client of the session. Pure.
 *
 * Guarantees: a reader's next reply contains one notice that says why the interpreter is another one and which variables were restored, however
 * many children came between; the notice is not repeated to that reader. A new reader gets the notices that no reader got before, and those
 * about a restore from the store and about evaluations missing from it as long as they are the latest. The log and the positions are bounded.
 * Does not: remember more than `mostReaders` readers, or keep more than the latest `mostNotices` notices.
 */
import type { Notice } from "./Evaluation.ts"
import { setLatest } from "./setLatest.ts"
import type { RestoredVariables } from "./variables/Workspace.ts"

/** Why the variables may differ from those after the last evaluation, and which were restored. */
export interface Posted {
  /** Ids only grow. */
  readonly id: number
  /** Generation of a child. Only replies of later children contain the notice. */
  readonly after: number
  /** When no pending notice has a reason, the reply has no notice. */
  readonly why?: string | undefined
  /** For variables from the store: milliseconds since they were written. */
  readonly savedMsAgo?: number | undefined
  readonly restored?: RestoredVariables | undefined
  /** Number of evaluations whose changes are lost, when nothing was restored. */
  readonly missed?: number
  /** First and last number of the evaluations that ran on a lost machine and were not restored. */
  readonly missing?: readonly [from: number, to: number]
}

export interface Notices {
  /** Oldest first. A notice is dropped when every reader has got it. */
  readonly log: readonly Posted[]
  /** Id of the latest notice. */
  readonly last: number
  /** A new reader gets the notices with greater ids. */
  readonly reported: number
  /** For each reader, the id of the last notice it got; the reader that has been silent longest comes first. */
  readonly positions: ReadonlyMap<string, number>
  /** The reader of the latest request. */
  readonly latest: string | undefined
}

export const noNotices: Notices = { log: [], last: 0, reported: 0, positions: new Map(), latest: undefined }

const mostNotices = 32
const mostReaders = 64

const positionOf = ({ positions, reported }: Notices, reader: string): number => positions.get(reader) ?? reported

export const post = (notices: Notices, notice: Omit<Posted, "id">): Notices => {
  const last = notices.last + 1
  return { ...notices, last, log: [...notices.log, { ...notice, id: last }].slice(-mostNotices) }
}

/** Adds to the latest notice if no child was adopted since, else posts a new one. `generation`: the latest adopted child. */
const amend = (notices: Notices, generation: number, more: Omit<Posted, "id" | "after">): Notices => {
  const latest = notices.log.at(-1)
  if (latest?.after !== generation) return post(notices, { after: generation, ...more })
  return { ...notices, log: [...notices.log.slice(0, -1), { ...latest, ...more }] }
}

/** Adds the result of a restore to the notice that says why it was needed. `generation`: that of the previous child. */
export const withRestore = (notices: Notices, generation: number, restored: RestoredVariables | undefined, missed: number): Notices => {
  if (restored !== undefined) return amend(notices, generation, { restored })
  return missed > 0 && notices.log.at(-1)?.after === generation ? amend(notices, generation, { missed }) : notices
}

/** Posts that another child replaced the child of this generation. */
export const replaced = (notices: Notices, generation: number, restored: RestoredVariables | undefined, missed: number): Notices =>
  post(notices, { after: generation, why: "the interpreter was replaced", ...(restored === undefined ? { missed } : { restored }) })

/** Removes restored and lost variables from the notices, since a reset made them obsolete. */
export const withoutValues = (notices: Notices): Notices => ({
  ...notices,
  log: notices.log.map(({ id, after, why }) => ({ id, after, why })),
})

/** Registers a reader, which gets every later notice. */
export const attended = (notices: Notices, reader: string): Notices =>
  notices.latest === reader && notices.positions.has(reader) ? notices : moved(notices, reader, positionOf(notices, reader))

/** Marks the notices of earlier children than `generation` as reported to a reader. Without a generation: all notices. */
export const noticed = (notices: Notices, reader: string, generation = Number.POSITIVE_INFINITY): Notices => {
  const { log } = notices
  const last = log.findLast(({ after }) => after < generation)
  return last === undefined || last.id <= positionOf(notices, reader) ? notices : moved(notices, reader, last.id)
}

const moved = (notices: Notices, reader: string, id: number): Notices => {
  const positions = new Map(notices.positions)
  setLatest(positions, reader, id, mostReaders)
  const reportedOnce = notices.log.findLast((each) => each.id <= id && each.savedMsAgo === undefined && each.missing === undefined)?.id ?? 0
  const reported = Math.max(notices.reported, reportedOnce)
  const everywhere = Math.min(reported, ...positions.values())
  return { ...notices, positions, reported, latest: reader, log: notices.log.filter((each) => each.id > everywhere) }
}

/** The notices that a reader has not got, of earlier children than `generation`. */
export const pendingFor = (notices: Notices, reader: string, generation: number): readonly Posted[] => {
  const from = positionOf(notices, reader)
  return notices.log.filter(({ id, after }) => id > from && after < generation)
}

/** The result of the restore in the child of this generation; undefined when nothing was restored. */
export const restoredIn = ({ log }: Notices, generation: number): RestoredVariables | undefined =>
  log.find(({ after }) => after === generation - 1)?.restored

/** As `restoredIn`, with the losses of earlier children that were not reported to the reader. */
export const restoredFor = (notices: Notices, reader: string, generation: number): RestoredVariables | undefined => {
  const given = restoredIn(notices, generation)
  const unreported = pendingFor(notices, reader, generation).filter(({ restored }) => restored !== given || given === undefined)
  const all = [...unreported.map(({ restored, missed = 0 }) => restored ?? { lost: [], missed }), ...(given === undefined ? [] : [given])]
  const lost = all.flatMap((each) => each.lost)
  const missed = all.reduce((sum, each) => sum + each.missed, 0)
  return given === undefined && lost.length === 0 && missed === 0 ? undefined : { restored: given?.restored ?? 0, lost, missed }
}

/** Joins pending notices into one. */
export const noticeOf = (pending: readonly Posted[], generation: number): Notice | undefined => {
  const why = pending.findLast((each) => each.why !== undefined)?.why
  if (why === undefined) return undefined
  const restored = pending.flatMap((each) => each.restored ?? [])
  const lost = restored.flatMap((each) => each.lost)
  const savedMsAgo = pending.find((each) => each.savedMsAgo !== undefined)?.savedMsAgo
  const latest = restored.at(-1)
  // Stored variables that were read are not restored in a child that is launched without variables.
  if (latest === undefined || (savedMsAgo === undefined && restored.every((each) => each.restored === 0)))
    return { kind: "fresh", generation, why, lost }
  return {
    kind: "restored",
    generation,
    why,
    ...(savedMsAgo !== undefined && { savedMsAgo }),
    restored: latest.restored,
    lost,
    missed: restored.reduce((sum, { missed }) => sum + missed, 0),
  }
}
