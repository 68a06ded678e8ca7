/**
 * What the next reply says of the variables, from the event that made it so to the reply that tells it. Pure.
 *
 * Guarantees: what came back, or did not, is told with why it had to, once, and as one notice however many children came between.
 */
import type { Notice } from "./Evaluation.ts"
import { type Live, liveOf, type PendingNotice, type SessionState } from "./state.ts"
import type { Restored } from "./variables/Workspace.ts"

/** What came back, or did not, belongs to why it had to. */
export const cameBack = (
  { notices, generation }: SessionState,
  restored: Restored | undefined,
  missed: number,
): readonly PendingNotice[] => {
  const last = notices.at(-1)
  if (restored === undefined) return last === undefined || missed === 0 ? notices : [...notices.slice(0, -1), { ...last, missed }]
  return [...notices.slice(0, -1), { ...(last ?? { after: generation }), restored }]
}

/**
 * Until whoever asked for a replacement is answered, it is news; where there was no child nothing was replaced. What was lost before and
 * never told is part of the answer.
 */
export const replaced = (state: SessionState, restored: Restored | undefined, missed: number): readonly PendingNotice[] => {
  const { notices, generation } = state
  const untold = notices.flatMap((each) => each.restored ?? { lost: [], missed: each.missed ?? 0 })
  const hadChild = liveOf(state) !== undefined
  // With no child, no notice and nothing to give back, the error that ended the last child has told that all is lost.
  const isTold = !hadChild && notices.length === 0 && restored === undefined
  const all: Restored = {
    restored: restored?.restored ?? 0,
    lost: [...untold.flatMap(({ lost }) => lost), ...(restored?.lost ?? [])],
    missed: untold.reduce((sum, each) => sum + each.missed, isTold ? 0 : missed),
  }
  const why = hadChild ? "the interpreter was replaced" : notices.at(-1)?.why
  return [{ after: generation, why, restored: restored === undefined && all.lost.length === 0 && all.missed === 0 ? undefined : all }]
}

/** The variables are not those of the evaluation before. */
export const because = ({ notices }: SessionState, { generation }: Live, why: string): readonly PendingNotice[] => [
  ...notices,
  { after: generation, why },
]

/** Why the variables are not those of the evaluation before, told as one. */
export const noticeOf = (pending: readonly PendingNotice[], generation: number): Notice | undefined => {
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
