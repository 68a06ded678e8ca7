/**
 * Restores a workspace in a child. Values are assigned; nothing is evaluated again.
 *
 * Guarantees: each batch has a deadline, a large one a later one; a child that exceeds it is ended, as after a defect. When the child ends
 * during a batch, the result names the variables of that batch. Does not: change the workspace; the result is data for a transition.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Child, ChildEnded } from "../../child/Child.ts"
import { keptIn, compare, type Contents, initial, type Lost, type Variable } from "../../child/Contents.ts"
import type { Tracker } from "../../child/engines/Tracker.ts"
import { lostOf } from "./uncaptured.ts"
import { canRestore, hasToRestore, mostDeaths, type Restoration, whyNot, type Workspace } from "./Workspace.ts"

/** The child ended while the variables `given` were restored in it. */
export class RestoreDied extends Data.TaggedError("RestoreDied")<{ readonly how: ChildEnded; readonly given: readonly Variable[] }> {}

/** The child in which variables are restored. */
interface Target {
  readonly child: Child
  readonly tracker: Tracker
}

/** A target, and the deadline of a batch in ms. */
interface TimedTarget extends Target {
  readonly batchTimeout: number
}

const batchBytes = 4 * 1024 ** 2
const batchCount = 200

/** Restores the variables that can be restored exactly. */
const restoreExact = Effect.fnUntraced(function* (
  workspace: Workspace,
  target: TimedTarget,
  variables: readonly Variable[],
  settings: Contents["settings"],
): Effect.fn.Return<Pick<Restoration, "restored" | "lost">, RestoreDied> {
  const wanted = variables.filter((variable) => canRestore(workspace, variable))
  const refused = variables.filter((variable) => !canRestore(workspace, variable))
  const failed = yield* assign(target, wanted, settings, workspace.suspects)
  const notRestored = new Set(failed.map(({ path }) => path))
  return {
    restored: wanted.filter(({ path }) => !notRestored.has(path)),
    lost: [...refused.map((each) => ({ path: each.path, why: whyNot(workspace, each) })), ...failed],
  }
})

/** Restores the workspace in a new child. Undefined when there is nothing to restore. */
export const restore = Effect.fnUntraced(function* (
  workspace: Workspace,
  target: Target,
  batchTimeout: number,
): Effect.fn.Return<Restoration | undefined, RestoreDied> {
  if (!hasToRestore(workspace)) return undefined
  const { held, unreadable } = workspace
  const settings = workspace.deaths < mostDeaths ? held.settings : undefined
  const { restored, lost } = yield* restoreExact(workspace, { ...target, batchTimeout }, [...held.variables.values()], settings)
  // A restored variable may have a warning, which `lost` reports as well.
  const doubtful = restored.flatMap(({ path, why }) => (why === undefined ? [] : [{ path, why }]))
  return {
    restored,
    lost: [...doubtful, ...lost, ...unreadable, ...lostOf(workspace.uncaptured, held.variables)],
    dropped: lost.map(({ path }) => path),
  }
})

/** The result of `changeVariables`: the contents afterwards, and the changes. */
export interface ChangedVariables {
  readonly contents: Contents
  readonly restored: readonly string[]
  readonly removed: readonly string[]
  readonly lost: readonly Lost[]
}

/**
 * Changes a live child, whose capture is up to date, to `goal`. Undefined, with nothing done, when the goal lacks names that the engine cannot
 * remove.
 */
export const changeVariables = Effect.fnUntraced(function* (
  workspace: Workspace,
  target: Target,
  goal: Contents,
  batchTimeout: number,
): Effect.fn.Return<ChangedVariables | undefined, RestoreDied> {
  const { child, tracker } = target
  const timed = { child, tracker, batchTimeout }
  const { variables } = workspace.held
  const { differences, unsure } = compare(goal.variables, variables, true)
  const removed = differences.flatMap(({ path, before }) => (before === undefined ? [path] : []))
  if (removed.length > 0 && tracker.remove === null) return undefined
  const differing = [...differences, ...unsure].flatMap(({ before }) => (before === undefined ? [] : [before]))
  if (removed.length > 0) yield* Effect.mapError(tracker.remove!(removed), (how) => new RestoreDied({ how, given: [] }))
  const { restored, lost } = yield* restoreExact(workspace, timed, differing, goal.settings)
  const notRestored = new Set(lost.map(({ path }) => path))
  // A failed assignment may have replaced the previous value, so that value is assigned again.
  const left = [...variables].filter(([path]) => notRestored.has(path))
  const exact = left.map(([, variable]) => variable).filter((variable) => canRestore(workspace, variable))
  const again = exact.length === 0 ? [] : yield* assign(timed, exact, workspace.held.settings, workspace.suspects)
  if (exact.length > 0) yield* assign(timed, [], goal.settings, workspace.suspects)
  const lostTwice = new Set(again.map(({ path }) => path))
  const stays = left.filter(([path]) => !lostTwice.has(path))
  return {
    contents: { ...goal, variables: new Map([...[...goal.variables].filter(([path]) => !notRestored.has(path)), ...stays]) },
    restored: restored.map(({ path }) => path),
    removed,
    lost,
  }
})

/** Assigns variables in batches, then the settings. Gives the variables that could not be assigned. */
const assign = Effect.fnUntraced(function* (
  { child, tracker, batchTimeout }: TimedTarget,
  variables: readonly Variable[],
  settings: Contents["settings"],
  suspects: Workspace["suspects"],
): Effect.fn.Return<readonly Lost[], RestoreDied> {
  const ended = Effect.suspend(() => {
    child.kill()
    return Effect.flatMap(child.ended, Effect.fail)
  })
  const within = (given: readonly Variable[], work: Effect.Effect<readonly Lost[], ChildEnded>) => {
    const duration = batchTimeout * Math.max(1, Math.ceil(keptIn(given) / batchBytes))
    const whole = Effect.catchDefect(work, (defect) => Effect.andThen(Effect.logError("defect in a restore", defect), ended))
    return Effect.mapError(Effect.timeoutOrElse(whole, { duration, orElse: () => ended }), (how) => new RestoreDied({ how, given }))
  }
  const lost: Lost[] = []
  const precision = settings?.precision ?? initial.precision
  for (const batch of batches(variables, suspects)) lost.push(...(yield* within(batch, tracker.restore(batch, precision))))
  if (settings !== undefined) lost.push(...(yield* within([], tracker.settle(settings))))
  return lost
})

/** Variables in batches, in their order. Suspects come last, each in a batch of its own. */
const batches = (variables: readonly Variable[], suspects: Workspace["suspects"]): readonly (readonly Variable[])[] => {
  const all: Variable[][] = []
  let bytes = 0
  for (const variable of variables) {
    if (suspects.has(variable)) continue
    const size = variable.image?.length ?? 0
    const batch = all.at(-1)
    if (batch !== undefined && batch.length < batchCount && bytes + size <= batchBytes) {
      batch.push(variable)
      bytes += size
    } else {
      all.push([variable])
      bytes = size
    }
  }
  return [...all, ...variables.filter((variable) => suspects.has(variable)).map((variable) => [variable])]
}
