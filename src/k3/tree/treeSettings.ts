/** The state of an interpreter beside its variables. */
import type { Tree } from "./tree.ts"
import type { Kernel } from "../run/kernel.ts"

export interface TreeSettings {
  readonly precision: number
  readonly seed: number
  readonly directory: string
  /** The working folder of `\l` and the file verbs. */
  readonly folder: string
}

/** The interpreter, as captures use it. */
export interface CaptureSource extends Kernel {
  tree: Tree
  /** Drops compiled statements: they hold cells of a tree that is replaced. */
  forget(): void
}

export const workspaceOf = ({ precision, seed, tree, host }: CaptureSource): TreeSettings => ({
  precision,
  seed,
  directory: tree.current.path,
  folder: host.files.cd(),
})

/** Restores the workspace but for the directory. `attempt` runs the step that may fail: changing the folder. */
export const setWorkspace = (
  k: CaptureSource,
  { precision, seed, folder }: TreeSettings,
  attempt: (path: string, work: () => void) => void = (_, work) => work(),
): void => {
  k.precision = precision
  k.seed = seed
  if (folder !== k.host.files.cd()) attempt("\\cd", () => void k.host.files.cd(folder))
}
