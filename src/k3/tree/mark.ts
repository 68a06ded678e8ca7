/** A state of an interpreter to go back to. Guarantees: making a mark copies no value; going back runs no trigger. */
import type { Cell, Directory } from "./Directory.ts"
import type { Tree } from "./tree.ts"
import { setWorkspace, workspaceOf, type CaptureSource, type TreeSettings } from "./treeSettings.ts"
import type { Dict, Value } from "../values/value.ts"

/** What a cell stored, and what the last capture saw. */
interface Stored {
  readonly value: Value | undefined
  readonly attributes: Dict | undefined
  readonly seen: Value | undefined
}

export interface TreeMark {
  readonly tree: Tree
  readonly cells: ReadonlyMap<Cell, Stored>
  /** Each directory with the names of its children. */
  readonly directories: ReadonlyMap<Directory, readonly string[]>
  readonly current: Directory
  readonly workspace: TreeSettings
}

export const markOf = (k: CaptureSource): TreeMark => {
  const { tree } = k
  const cells = new Map<Cell, Stored>()
  const directories = new Map<Directory, readonly string[]>()
  const note = (directory: Directory): void => {
    directories.set(directory, [...directory.children.keys()])
    for (const cell of directory.cells.values())
      cells.set(cell, { value: cell.stored(), attributes: cell.watch?.attributes, seen: cell.seen })
    directory.children.forEach(note)
  }
  note(tree.root)
  return { tree, cells, directories, current: tree.current, workspace: workspaceOf(k) }
}

/** Goes back to a mark; dependencies are computed again. */
export const goBack = (k: CaptureSource, { tree, cells, directories, current, workspace }: TreeMark): void => {
  if (k.tree !== tree) {
    k.tree = tree
    k.forget()
  }
  const visit = (directory: Directory): void => {
    for (const cell of directory.cells.values()) directory.forget(cell)
    for (const name of directory.children.keys()) directory.close(name)
    for (const name of directories.get(directory)!) visit(directory.child(name))
  }
  visit(tree.root)
  for (const [cell, { value, attributes, seen }] of cells) {
    cell.home.cell(cell.name.text).assign(value)
    cell.seen = seen
    if (attributes !== undefined) cell.watched().attributes = attributes
  }
  tree.refollow()
  tree.current = current
  setWorkspace(k, workspace)
}
