/**
 * What a session holds beyond the life of its child, as a value: the last capture, and how far it can be given back. Pure.
 *
 * Guarantees: only a complete capture counts, so a restore gives the state of one moment. When restoring variables ends a child, each is tried
 * alone; one that ends a child then is set aside by name. After `mostDeaths` ends in a row, all that are not restored yet are set aside.
 */
import {
  compare,
  type Contents,
  type Difference,
  empty,
  type Holdings,
  holds,
  holdingsOf,
  isExact,
  type Lost,
  type Variable,
  without,
} from "../../child/Contents.ts"
import type { Engine } from "../../child/engines/Engine.ts"
import type { Written } from "../../child/engines/k3csharpWritten.ts"
import { lostOf, none, type Uncaptured } from "./uncaptured.ts"
import { changed, type Direction, gone, nothing, type Undo } from "./undo.ts"

export const mostDeaths = 4

export interface Workspace {
  /** Grows when all is forgotten: what belongs to an earlier one counts no more. */
  readonly epoch: number
  readonly held: Holdings
  /** Whose values are held. */
  readonly engine: Engine["kind"] | undefined
  /** Evaluations since the capture. */
  readonly missed: number
  /** Those of them that may have changed something. */
  readonly changing: number
  /** Names defined since the capture. */
  readonly uncaptured: Uncaptured
  /** ms since 1970. */
  readonly capturedAt: number
  /** Names that may differ from what was last taken for writing. */
  readonly unsaved: ReadonlySet<string>
  /** Names of which nothing is held, that were told or are in `unheld`. */
  readonly warned: ReadonlySet<string>
  /** The same, to be told by the next reply. */
  readonly unheld: readonly Lost[]
  /** Variables saved by another engine; this one cannot read them. */
  readonly unreadable: readonly Lost[]
  /** By value: another variable of the same name is not to blame. */
  readonly setAside: ReadonlyMap<Variable, string>
  /** On their way when a child ended. */
  readonly suspects: ReadonlySet<Variable>
  readonly deaths: number
  readonly undo: Undo
  /** A cache of the engine: functions as they were written. */
  readonly written: Written
}

/** A child was given what is held. */
export interface Restoration {
  /** Of the workspace it was given. */
  readonly epoch: number
  readonly restored: readonly Variable[]
  readonly lost: readonly Lost[]
  /** Names that are not held any more. */
  readonly dropped: readonly string[]
}

/** The same as it is told. */
export interface Restored {
  readonly restored: number
  readonly lost: readonly Lost[]
  /** Evaluations that came after the capture: what they changed is not in it. */
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
  suspects: new Set(),
  deaths: 0,
  undo: nothing,
  written: new Map(),
})

/** Is what is held what there is? With what precision and in which directory a session begins is not known before its first capture. */
export const isCurrent = ({ missed, held }: Workspace): boolean => missed === 0 && held.workspace !== undefined

export const holdsAnything = ({ held }: Workspace): boolean => holds(held)

export const hasToRestore = (workspace: Workspace): boolean => hasToTell(workspace) || workspace.unreadable.length > 0

/** Is anything held, or known to be lost? */
export const hasToTell = (workspace: Workspace): boolean => holdsAnything(workspace) || workspace.uncaptured.paths.size > 0

/** Nothing is missed. */
export const caughtUp = { missed: 0, changing: 0, uncaptured: none } as const

/** Has it a value that does not come back? Its attributes may. */
const isUnheld = ({ image, why }: Variable): boolean => image === undefined && why !== undefined

/** Variables that can be given back, those that cannot, and evaluations that came after. */
export const summaryOf = ({ held, missed, uncaptured }: Workspace) => {
  const lost = [...held.variables.values()].flatMap((variable) =>
    isExact(variable) && !isUnheld(variable) ? [] : [{ path: variable.path, why: variable.why ?? "" }],
  )
  return { variables: held.variables.size - lost.length, missed, lost: [...lost, ...lostOf(uncaptured, held.variables)] }
}

export const whyNot = ({ setAside }: Workspace, variable: Variable): string =>
  setAside.get(variable) ?? variable.why ?? "no exact value of it is held"

export const canRestore = ({ setAside }: Workspace, variable: Variable): boolean => isExact(variable) && !setAside.has(variable)

/** An evaluation came to its end. Written out: copying by `...` takes ten times as long, and each evaluation does this. */
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

/** A capture saw all there is, and what is not as it was in the one before. */
export const captured = (
  workspace: Workspace,
  {
    held,
    engine,
    differences,
    at,
  }: { readonly held: Holdings; readonly engine: Engine["kind"]; readonly differences: readonly Difference[]; readonly at: number },
): Workspace => {
  const isOther = workspace.engine !== undefined && workspace.engine !== engine
  const step = { differences, before: workspace.held.workspace, after: held.workspace, evaluations: workspace.changing }
  // Values of another engine are coded otherwise.
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

/** Nothing is given back any more until the next capture, which sees all there is. */
export const forgotten = ({ epoch, engine, capturedAt, written }: Workspace): Workspace => ({
  ...newWorkspace(),
  epoch: epoch + 1,
  engine,
  capturedAt,
  written,
  missed: 1,
})

/** From now on this is held, as it was at that time. `by`: it is the beginning of the session, or a step of `undo.ts`; else a change as any other. */
export const holding = (workspace: Workspace, contents: Contents, at: number, by?: "beginning" | Direction): Workspace => {
  const { variables } = workspace.held
  const differing = [...variables.keys()].filter((path) => !contents.variables.has(path))
  for (const [path, variable] of contents.variables) if (variables.get(path) !== variable) differing.push(path)
  const unsaved = new Set([...workspace.unsaved, ...differing])
  return { ...workspace, ...caughtUp, held: holdingsOf(contents), capturedAt: at, unsaved, undo: undoAfter(workspace, contents, by) }
}

const undoAfter = ({ undo, held }: Workspace, contents: Contents, by: "beginning" | Direction | undefined): Undo => {
  if (by === "beginning") return undo
  if (by !== undefined) return gone(undo, by)
  const { differences } = compare(held.variables, contents.variables, true)
  return changed(undo, { differences, before: held.workspace, after: contents.workspace, evaluations: 0 })
}

export const restored = (workspace: Workspace, { restored, dropped }: Restoration): Workspace => {
  const came = new Set(restored)
  return {
    ...workspace,
    held: dropped.length === 0 ? workspace.held : without(workspace.held, dropped),
    unsaved: dropped.length === 0 ? workspace.unsaved : new Set([...workspace.unsaved, ...dropped]),
    ...caughtUp,
    unreadable: [],
    deaths: 0,
    suspects: new Set([...workspace.suspects].filter((each) => !came.has(each))),
  }
}

/** A child ended while it was given these. */
export const restoreDied = (workspace: Workspace, given: readonly Variable[]): Workspace => {
  const deaths = workspace.deaths + 1
  const setAside = new Map(workspace.setAside)
  if (given.length === 1) setAside.set(given[0]!, "giving it back ended the interpreter")
  if (deaths >= mostDeaths)
    for (const variable of workspace.held.variables.values())
      if (!setAside.has(variable)) setAside.set(variable, `the interpreter ended ${deaths} times while variables were given back`)
  const suspects = given.length === 1 ? workspace.suspects : new Set([...workspace.suspects, ...given])
  return { ...workspace, deaths, setAside, suspects }
}
