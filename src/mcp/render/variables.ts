/** Restored, lost and changed variables, as text and as fields that say the same. */
import { kindOf } from "../../child/engines/kinds.ts"
import type { Change, HeldSummary } from "../../session/SessionError.ts"
import type { Lost, Variable } from "../../child/Contents.ts"
import { paragraphs, plural, some } from "./words.ts"

/** A sentence on restored variables. `evaluations`: the evaluations since the capture. `from`: words for the origin. */
export const areBack = (variables: number, evaluations: number, lost: readonly Lost[], from = ""): string => {
  const back = `${plural(variables, "variable")} ${variables === 1 ? "is" : "are"} back${from}`
  const since =
    evaluations === 0
      ? "."
      : `, as of ${plural(evaluations, "evaluation")} ago. Lost since: what ${evaluations === 1 ? "that evaluation" : "those evaluations"} changed.`
  return paragraphs(`${back}${since}`, lostLine(lost))
}

/** The most names that a text lists. */
const mostNames = 20

/** The names, each with the reason of its loss. */
export const namedWhy = (lost: readonly Lost[]): string =>
  some(
    lost.map(({ path, why }) => `${path} (${why})`),
    mostNames,
    "; ",
  )

export const lostLine = (lost: readonly Lost[], label = "Lost"): string | undefined =>
  lost.length === 0 ? undefined : `${label}: ${namedWhy(lost)}`

export const lostOutput = (lost: readonly Lost[]) =>
  lost.length === 0 ? {} : { lost: lost.map(({ path, why }) => ({ name: path, reason: why })) }

type Shape = Pick<Variable, "type" | "shape">
const summaryOf = ({ type, shape }: Shape) => ({ type, shape })

/** The differences as added, changed and removed names. */
export const changesOutput = (differences: readonly Change[]) => {
  const row = ({ path, before, after }: Change) => ({
    name: path,
    ...(before !== undefined && { before: summaryOf(before) }),
    ...(after !== undefined && { after: summaryOf(after) }),
  })
  const rows = (wanted: (each: Change) => boolean) => differences.filter(wanted).map(row)
  return {
    added: rows(({ before }) => before === undefined),
    changed: rows(({ before, after }) => before !== undefined && after !== undefined),
    removed: rows(({ after }) => after === undefined),
  }
}

export const changesLine = (differences: readonly Change[] | null, label = "Changes"): string => {
  if (differences === null) return `${label}: not known, the interpreter was busy.`
  if (differences.length === 0) return `${label}: none.`
  const of = ({ type, shape }: Shape): string => `${kindOf(type)}${shape === "" ? "" : ` ${shape}`}`
  const lines = differences.map(({ path, before, after }) => {
    if (before === undefined) return `added ${path} (${of(after!)})`
    if (after === undefined) return `removed ${path} (${of(before)})`
    const [was, is] = [of(before), of(after)]
    return `changed ${path} (${was === is ? is : `${was} → ${is}`})`
  })
  return `${label}: ${some(lines, mostNames, "; ")}.`
}

type Previewed = Pick<Variable, "type" | "shape" | "text">
export const preview = ({ type, shape, text }: Previewed): string => [kindOf(type), shape, text].filter((part) => part !== "").join(" ")

/** A changed name with its previews before and after. */
export const differenceLine = ({
  path,
  before,
  after,
}: {
  readonly path: string
  readonly before?: Previewed | undefined
  readonly after?: Previewed | undefined
}): string => {
  if (before === undefined) return `added ${path}: ${preview(after!)}`
  return after === undefined ? `removed ${path}: ${preview(before)}` : `changed ${path}: ${preview(before)} → ${preview(after)}`
}

/** A sentence on the variables that the next child gets. */
export const willCome = ({ variables, missed: evaluations }: HeldSummary): string =>
  `${plural(variables, "variable")} will be back as ${variables === 1 ? "it was" : "they were"} ${evaluations === 0 ? "" : `${plural(evaluations, "evaluation")} `}before this call; what changed since is lost.`
