/**
 * The changes that evaluations made, to undo and redo. Pure.
 *
 * Guarantees: a step is the difference that one capture found, so it costs as much as the change. At most `mostSteps` steps and `mostBytes` of values
 * are held; the oldest are dropped first. Does not: separate evaluations without a capture between them; a step counts them.
 */
import { keptIn, type Contents, type Difference, initial, isExact, looksAlike, type WorkspaceSettings } from "../../child/Contents.ts"

export const mostSteps = 20
export const mostBytes = 64 * 1024 ** 2

export interface UndoStep {
  readonly differences: readonly Difference[]
  readonly before: WorkspaceSettings | undefined
  readonly after: WorkspaceSettings | undefined
  /** Number of evaluations that may have made the change; 0 when something else did, such as a restore. */
  readonly evaluations: number
}

export interface Undo {
  /** Steps to undo, the latest last. */
  readonly past: readonly UndoStep[]
  /** Undone steps to redo, the latest last. */
  readonly future: readonly UndoStep[]
  /** The latest change exceeds `mostBytes`, so it cannot be undone. */
  readonly tooLarge: boolean
}

export type Direction = "undo" | "redo"

export const nothing: Undo = { past: [], future: [], tooLarge: false }

const bytesIn = ({ differences }: UndoStep): number => keptIn(differences.flatMap(({ before }) => before ?? []))

/** The latest steps within both limits. */
const bounded = (steps: readonly UndoStep[]): readonly UndoStep[] => {
  let bytes = 0
  const from = steps.findLastIndex((step, i) => (bytes += bytesIn(step)) > mostBytes || steps.length - i > mostSteps)
  return steps.slice(from + 1)
}

/** False for a variable that an engine reports at each capture because it makes no image of it. */
const isReal = ({ before, after }: Difference): boolean =>
  before === undefined || after === undefined || isExact(before) || isExact(after) || !looksAlike(before, after)

const sameSettings = (a: WorkspaceSettings | undefined, b: WorkspaceSettings | undefined): boolean =>
  a === undefined || b === undefined || (a.precision === b.precision && a.directory === b.directory && a.folder === b.folder)

/** Adds a step. Unchanged when the step has no real difference. */
export const changed = (undo: Undo, step: UndoStep): Undo => {
  const differences = step.differences.filter(isReal)
  // Of a new session there was no capture.
  const { precision, directory } = initial
  const before = step.before ?? (step.after && { ...step.after, precision, directory })
  if (differences.length === 0 && sameSettings(before, step.after)) return undo
  const past = bounded([...undo.past, { ...step, before, differences }])
  return { past, future: [], tooLarge: past.length === 0 }
}

/** The next step in a direction. */
export const next = ({ past, future }: Undo, direction: Direction): UndoStep | undefined => (direction === "undo" ? past : future).at(-1)

/** Moves the next step to the other side, after it was undone or redone. */
export const stepMoved = ({ past, future }: Undo, direction: Direction): Undo => {
  const [from, to] = direction === "undo" ? [past, future] : [future, past]
  const [left, more] = [from.slice(0, -1), [...to, ...from.slice(-1)]]
  return direction === "undo" ? { past: left, future: more, tooLarge: false } : { past: more, future: left, tooLarge: false }
}

/** The contents after a step is undone or redone. */
export const goalOf = ({ variables, settings }: Contents, step: UndoStep, direction: Direction): Contents => {
  const goal = new Map(variables)
  for (const { path, before, after } of step.differences) {
    const variable = direction === "undo" ? before : after
    if (variable === undefined) goal.delete(path)
    else goal.set(path, variable)
  }
  return { variables: goal, settings: (direction === "undo" ? step.before : step.after) ?? settings }
}
