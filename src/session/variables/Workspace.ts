/**
 * The workspace of a session as a value: the last capture, which outlives the child, and how far it can be restored. Pure.
 *
 * Guarantees: only a complete capture counts, so a restore gives the state of one moment. When restoring variables ends a child, each is tried
 * alone; a variable that then ends a child is set aside. When the child was killed, the cause may be a machine that is too slow or has too little
 * memory, so the variable is tried alone once more. After `mostDeaths` ends in a row, all variables are set aside.
 */
import type { ChildEnded } from "../../child/Child.ts"
import type { EngineKind } from "../../engineKinds.ts"
import { compare, type Contents, type Difference, empty, holds, isExact, type Lost, type Variable } from "../../child/Contents.ts"
import type { WrittenForms } from "../../child/engines/k3csharpWritten.ts"
import { lostOf, none, type Uncaptured } from "./uncaptured.ts"
import { changed, type Direction, stepMoved, nothing, type Undo } from "./undo.ts"

export const mostDeaths = 4

export interface Workspace {
  /** Grows with each reset. Events of an earlier epoch have no effect. */
  readonly epoch: number
  readonly held: Contents
  /** The engine whose encoding the held values have. */
  readonly engine: EngineKind | undefined
  /** Number of evaluations since the capture. */
  readonly missed: number
  /** Number of evaluations since the capture that may have changed variables. */
  readonly changing: number
  /** Names defined since the capture. */
  readonly uncaptured: Uncaptured
  /** Time of the capture, ms since 1970. */
  readonly capturedAt: number
  /** Paths whose values may differ from the stored ones. */
  readonly unsaved: ReadonlySet<string>
  /** Paths without a held value that a reply has reported, or that are in `unheld`. */
  readonly warned: ReadonlySet<string>
  /** Variables without a held value, which the next reply reports. */
  readonly unheld: readonly Lost[]
  /** Variables saved by another engine; this one cannot read them. */
  readonly unreadable: readonly Lost[]
  /** Variables that are not restored any more, with the reason. Keyed by the value, since a later value of the same name may be harmless. */
  readonly setAside: ReadonlyMap<Variable, string>
  /** Variables during whose restore a child ended. Each is restored alone. True: a child was killed while this variable was restored alone. */
  readonly suspects: ReadonlyMap<Variable, boolean>
  /** Number of children in a row that ended during a restore. The first kill of a variable that was restored alone does not count. */
  readonly deaths: number
  readonly undo: Undo
  /** A cache of the engine K3CSharp: the original texts of functions. */
  readonly written: WrittenForms
}

/** The result of a restore. */
export interface Restoration {
  readonly restored: readonly Variable[]
  readonly lost: readonly Lost[]
  /** Paths that could not be restored, and are removed from the workspace. */
  readonly dropped: readonly string[]
}

/** A restore as replies report it. */
export interface RestoredVariables {
  readonly restored: number
  readonly lost: readonly Lost[]
  /** Number of evaluations after the capture, whose changes are lost. */
  readonly missed: number
}

export const newWorkspace = (): Workspace => ({
  epoch: 0,
  held: empty,
  engine: undefined,
  missed: 0,
  changing: 0,
  uncaptured: none,
  capturedAt: 0,
  unsaved: new Set(),
  warned: new Set(),
  unheld: [],
  unreadable: [],
  setAside: new Map(),
  suspects: new Map(),
  deaths: 0,
  undo: nothing,
  written: new Map(),
})

/** Whether the capture is up to date. False before the first capture, since precision and directory of the new session are not known. */
export const isCurrent = ({ missed, held }: Workspace): boolean => missed === 0 && held.settings !== undefined

export const holdsAnything = ({ held }: Workspace): boolean => holds(held)

export const hasToRestore = (workspace: Workspace): boolean => hasToReport(workspace) || workspace.unreadable.length > 0

/** Whether variables are held, or known to be lost. */
export const hasToReport = (workspace: Workspace): boolean => holdsAnything(workspace) || workspace.uncaptured.paths.size > 0

/** The fields of a workspace whose capture is up to date. */
export const caughtUp = { missed: 0, changing: 0, uncaptured: none } as const

/** Whether the variable's value cannot be restored. Its attributes may still be. */
const isUnheld = ({ image, why }: Variable): boolean => image === undefined && why !== undefined

/** Number of variables that a restart restores, evaluations since the capture, and variables that cannot be restored. */
export const summaryOf = ({ held, missed, uncaptured }: Workspace) => {
  const lost = [...held.variables.values()].flatMap((variable) =>
    isExact(variable) && !isUnheld(variable) ? [] : [{ path: variable.path, why: variable.why ?? "" }],
  )
  return { variables: held.variables.size - lost.length, missed, lost: [...lost, ...lostOf(uncaptured, held.variables)] }
}

export const whyNot = ({ setAside }: Workspace, variable: Variable): string =>
  setAside.get(variable) ?? variable.why ?? "no exact value of it is held"

export const canRestore = ({ setAside }: Workspace, variable: Variable): boolean => isExact(variable) && !setAside.has(variable)

/** The workspace after an evaluation. Written out: copying by `...` takes ten times as long, and each evaluation does this. */
export const evaluated = (before: Workspace, mayChange: boolean): Workspace => {
  const { epoch, held, engine, uncaptured, capturedAt, unsaved, warned, unheld, unreadable, setAside, suspects, deaths, undo, written } =
    before
  const missed = before.missed + 1
  const changing = before.changing + (mayChange ? 1 : 0)
  return {
    epoch,
    held,
    engine,
    missed,
    changing,
    uncaptured,
    capturedAt,
    unsaved,
    warned,
    unheld,
    unreadable,
    setAside,
    suspects,
    deaths,
    undo,
    written,
  }
}

/** The workspace after a complete capture. `differences`: the changes since the capture before. */
export const captured = (
  workspace: Workspace,
  {
    held,
    engine,
    differences,
    at,
  }: { readonly held: Contents; readonly engine: EngineKind; readonly differences: readonly Difference[]; readonly at: number },
): Workspace => {
  const isOther = workspace.engine !== undefined && workspace.engine !== engine
  const step = { differences, before: workspace.held.settings, after: held.settings, evaluations: workspace.changing }
  // Another engine encodes values differently, so its steps cannot be undone.
  const undo = isOther ? nothing : changed(workspace.undo, step)
  const next = { ...workspace, ...caughtUp, held, engine, capturedAt: at, undo }
  const differing = differences.map(({ path }) => path)
  if (differing.length === 0) return next
  const warned = new Set(workspace.warned)
  const unheld = workspace.unheld.filter(({ path }) => !differing.includes(path))
  for (const path of differing) {
    const variable = held.variables.get(path)
    if (variable === undefined || !isUnheld(variable)) warned.delete(path)
    else if (!warned.has(path)) unheld.push({ path, why: whyNot(workspace, variable) })
  }
  for (const { path } of unheld) warned.add(path)
  return { ...next, unsaved: new Set([...workspace.unsaved, ...differing]), warned, unheld }
}

/** The empty workspace of the next epoch. `missed` is 1, so that the next capture reads all variables. */
export const forgotten = ({ epoch, engine, capturedAt, written }: Workspace): Workspace => ({
  ...newWorkspace(),
  epoch: epoch + 1,
  engine,
  capturedAt,
  written,
  missed: 1,
})

/**
 * The workspace with `contents`, as captured at time `at`. `by`: the beginning of the session, or an undo or redo; otherwise the change becomes a
 * step to undo.
 */
export const holding = (workspace: Workspace, contents: Contents, at: number, by?: "beginning" | Direction): Workspace => {
  // Without other fields, which the contents of a snapshot have.
  const held = { variables: contents.variables, settings: contents.settings }
  const { variables } = workspace.held
  const differing = [...variables.keys()].filter((path) => !held.variables.has(path))
  for (const [path, variable] of held.variables) if (variables.get(path) !== variable) differing.push(path)
  const unsaved = new Set([...workspace.unsaved, ...differing])
  return { ...workspace, ...caughtUp, held, capturedAt: at, unsaved, undo: undoAfter(workspace, held, by) }
}

/** The workspace before a change, in the next epoch: a child that is being given the changed one is not adopted. */
export const takenBack = ({ epoch, held, unsaved }: Workspace, before: Workspace): Workspace => ({
  ...before,
  epoch: epoch + 1,
  unsaved: new Set([...unsaved, ...held.variables.keys(), ...before.held.variables.keys()]),
})

const undoAfter = ({ undo, held }: Workspace, contents: Contents, by: "beginning" | Direction | undefined): Undo => {
  if (by === "beginning") return undo
  if (by !== undefined) return stepMoved(undo, by)
  const { differences } = compare(held.variables, contents.variables, true)
  return changed(undo, { differences, before: held.settings, after: contents.settings, evaluations: 0 })
}

export const restored = (workspace: Workspace, { restored, dropped }: Restoration): Workspace => {
  const nowRestored = new Set(restored)
  const variables = new Map(workspace.held.variables)
  for (const path of dropped) variables.delete(path)
  return {
    ...workspace,
    held: { ...workspace.held, variables },
    unsaved: new Set([...workspace.unsaved, ...dropped]),
    ...caughtUp,
    unreadable: [],
    deaths: 0,
    suspects: new Map([...workspace.suspects].filter(([each]) => !nowRestored.has(each))),
  }
}

/** The workspace after a child ended while the variables `given` were restored in it. */
export const restoreDied = (workspace: Workspace, given: readonly Variable[], { reason, exit }: ChildEnded): Workspace => {
  const [alone] = given.length === 1 ? given : []
  const isKilled = reason === "exit" && exit.signal === "SIGKILL"
  if (alone !== undefined && isKilled && workspace.suspects.get(alone) !== true)
    return { ...workspace, suspects: new Map(workspace.suspects).set(alone, true) }
  const deaths = workspace.deaths + 1
  const setAside = new Map(workspace.setAside)
  if (alone !== undefined) setAside.set(alone, "restoring it ended the interpreter")
  if (deaths >= mostDeaths)
    for (const variable of workspace.held.variables.values())
      if (!setAside.has(variable)) setAside.set(variable, `the interpreter ended ${deaths} times while variables were restored`)
  const suspects = new Map([...given.map((variable) => [variable, false] as const), ...workspace.suspects])
  return { ...workspace, deaths, setAside, suspects }
}
