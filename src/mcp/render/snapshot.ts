/** The replies of `k_snapshot`. A long list of differences is cut, in text and fields alike, and the reply says how many are left out. */
import type { Difference, Variable } from "../../child/Contents.ts"
import type { ComparedSnapshot, RestoredSnapshot, Saved, SnapshotInfo, Undone, Unwritten } from "../../session/variables/Snapshots.ts"
import type { Direction } from "../../session/variables/undo.ts"
import { noticed, type Reply } from "./Reply.ts"
import { differenceLine, lostLine, lostOutput } from "./variables.ts"
import { duration, paragraphs, plural, roundMs, some } from "./words.ts"

const mostNames = 50

const infoOutput = ({ name, ageMs, generation, engine, build, variables }: SnapshotInfo) => ({
  name,
  age_ms: roundMs(ageMs),
  generation,
  engine,
  ...(build !== null && { build }),
  variables,
})

const cut = <A>(all: readonly A[]): readonly A[] => all.slice(0, mostNames)

const generationOf = (generation: number): string => (generation === 0 ? "an earlier server" : `generation ${generation}`)

/** A reply whose only field is the text. */
export const done = (text: string): Reply => noticed([], {}, [text])

const notOnDisk = "Note: this is not on disk yet: k_status says why."

export const renamed = (from: string, to: string, unwritten: Unwritten | undefined): Reply =>
  noticed([], {}, [`Snapshot ${from} is now ${to}.`, unwritten && notOnDisk])

export const saved = ({ snapshot, replaced, isSessionBehind, isUnwritten }: Saved): Reply =>
  noticed(
    [`Snapshot ${snapshot.name}: ${plural(snapshot.variables, "variable")}.`],
    { snapshots: [infoOutput(snapshot)], ...lostOutput(snapshot.lost) },
    [
      replaced === undefined ? undefined : `It replaces the one from ${duration(replaced.ageMs)} ago.`,
      lostLine(snapshot.lost, "No restore brings back"),
      isUnwritten && notOnDisk,
      isSessionBehind &&
        `The session itself is not written to the database as it is now: when its machine is lost, restore snapshot ${snapshot.name}.`,
    ],
  )

export const listed = (session: string, all: readonly SnapshotInfo[]): Reply => ({
  text:
    all.length === 0
      ? `Session ${session} has no snapshot; k_snapshot save makes one.`
      : all
          .map(
            ({ name, ageMs, generation, engine, build, variables }) =>
              `${name}: ${plural(variables, "variable")}, ${duration(ageMs)} ago, ${generationOf(generation)}, ${engine}${build === null ? "" : ` ${build.slice(0, 8)}`}`,
          )
          .join("\n"),
  structured: { ok: true, snapshots: all.map(infoOutput) },
})

const summaryOf = ({ type, shape, text }: Variable) => ({ type, shape, preview: text })

const changes = ["added", "changed", "removed"] as const

const whatOf = ({ before, after }: Difference): (typeof changes)[number] =>
  before === undefined ? "added" : after === undefined ? "removed" : "changed"

const changeOutput = (each: Difference) => ({
  name: each.path,
  what: whatOf(each),
  ...(each.before !== undefined && { before: summaryOf(each.before) }),
  ...(each.after !== undefined && { after: summaryOf(each.after) }),
})

const otherOrigin = ({ snapshot, present }: Pick<ComparedSnapshot, "snapshot" | "present">): string | undefined => {
  if (snapshot.engine !== present.engine)
    return `Note: the snapshot is of engine ${snapshot.engine}, this is ${present.engine}: compared by type, shape and print.`
  if (snapshot.build !== present.build)
    return `Note: the snapshot is of another build (${(snapshot.build ?? "unknown").slice(0, 8)}; this is ${(present.build ?? "unknown").slice(0, 8)}).`
  return snapshot.generation === present.generation
    ? undefined
    : `Note: the snapshot is of ${generationOf(snapshot.generation)}, this is generation ${present.generation}.`
}

/** The differences, in the order added, changed, removed. `rebased`: the snapshot was replaced by the present variables. */
export const compared = (
  { snapshot, present, ageMs, differences, unsure: alike, isUnwritten }: ComparedSnapshot,
  rebased = false,
): Reply => {
  const sorted = changes.map((what) => differences.filter((each) => whatOf(each) === what))
  const shown = cut(sorted.flat())
  const counts = sorted.flatMap(({ length }, i) => (length === 0 ? [] : [`${length} ${changes[i]}`]))
  const unsure = alike.map(({ path }) => path)
  return noticed(
    [
      `Since ${snapshot.name} (${duration(snapshot.ageMs)} ago): ${counts.join(", ") || "no difference"}.`,
      ...shown.map(differenceLine),
      unsure.length === 0 ? undefined : `Looks the same, but no exact value is held: ${some(unsure, mostNames)}`,
    ],
    {
      snapshots: [infoOutput(snapshot)],
      changes: shown.map(changeOutput),
      ...(unsure.length > 0 && { unsure: cut(unsure) }),
      generation: present.generation,
    },
    [
      differences.length > shown.length ? `${differences.length - shown.length} more are left out.` : undefined,
      otherOrigin({ snapshot, present }),
      ageMs > 0 ? `As it was ${duration(ageMs)} ago: the session is busy.` : undefined,
      rebased ? `Snapshot ${snapshot.name} now holds what the session holds.` : undefined,
      isUnwritten && notOnDisk,
    ],
  )
}

const list = (names: readonly string[]): string => some(names, mostNames) || "none"

const isNothing = ({ restored, removed, lost }: Omit<RestoredSnapshot, "snapshot">): boolean =>
  restored.length + removed.length + lost.length === 0

const renewedNotice = ({ renewed, generation }: Omit<RestoredSnapshot, "snapshot">): string =>
  renewed ? `A new interpreter (generation ${generation}) took over, since this engine cannot remove a name.` : ""

const putBack = ({ restored: put, removed }: Omit<RestoredSnapshot, "snapshot">): string =>
  `Restored: ${list(put)}. Removed: ${list(removed)}.`

const putBackOutput = ({ restored: put, removed, lost }: Omit<RestoredSnapshot, "snapshot">) => ({
  restored: cut(put),
  removed: cut(removed),
  ...lostOutput(lost),
})

export const restored = (done: RestoredSnapshot): Reply => {
  const { snapshot, generation, lost } = done
  return noticed(
    [
      isNothing(done)
        ? `Variables are as in ${snapshot.name} already.`
        : `Variables are as in ${snapshot.name} (${duration(snapshot.ageMs)} ago). ${putBack(done)}`,
      lostLine(lost),
    ],
    { ...putBackOutput(done), generation },
    [renewedNotice(done)],
  )
}

export const undone = (direction: Direction, done: Undone): Reply => {
  const { generation, lost, evaluations, left } = done
  const [did, other] = direction === "undo" ? ["Undone", "redo"] : ["Done again", "undo"]
  const what = evaluations === 0 ? "a change that no evaluation made, such as a restore or a merge" : plural(evaluations, "evaluation")
  const settings = isNothing(done) ? " The precision, the directory or the folder is another one." : ""
  const notice = renewedNotice(done)
  return {
    text: paragraphs(
      `${did}: ${what}. ${putBack(done)}${settings}`,
      lostLine(lost),
      notice,
      `k_snapshot ${other} takes this back${lost.length === 0 ? "" : ", but not what is lost"}; ${left} more can be ${did.toLowerCase()}.`,
    ),
    structured: {
      ok: true,
      ...putBackOutput(done),
      evaluations,
      left,
      generation,
      ...(notice !== "" && { notice }),
    },
  }
}
