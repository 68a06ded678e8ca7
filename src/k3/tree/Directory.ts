/**
 * Cells, each one global variable, and the directories they are in.
 *
 * Guarantees: a cell lives as long as its tree, so that compiled code may hold it. Does not: know paths, or run anything: `tree.ts` does.
 */
import { Holder } from "../values/ownership.ts"
import { sym, type Dict, type Sym, type Value } from "../values/value.ts"

/** What is unusual about a cell. */
export interface Watch {
  /** Cells whose dependency expression reads this one. */
  readonly dependents: Set<Cell>
  attributes: Dict | undefined
  /** Cells that the dependency expression of this one was seen to read. */
  reads: readonly Cell[]
}

export class Cell extends Holder {
  watch: Watch | undefined = undefined
  /** Value and attributes when `Captures` last looked. */
  seen: Value | undefined = undefined
  seenAttributes: Dict | undefined = undefined
  constructor(
    readonly name: Sym,
    readonly home: Directory,
  ) {
    super()
  }
  get path(): string {
    return `${this.home.path}.${this.name.text}`
  }
  /** Without value and attributes. */
  clear(): void {
    this.assign(undefined)
    if (this.watch !== undefined) this.watch.attributes = undefined
  }
}

export class Directory {
  readonly cells = new Map<string, Cell>()
  readonly children = new Map<string, Directory>()
  /** Children that were closed: compiled code may hold their cells, which are used again when the name is a directory again. */
  readonly former = new Map<string, Directory>()
  /** Dependencies that follow all in here, also what is made later. */
  readonly followers = new Set<Cell>()
  constructor(
    /** `.k.a`; the empty string for the root. */
    readonly path: string,
  ) {}
  cell(name: string): Cell {
    let cell = this.cells.get(name)
    if (cell === undefined) {
      this.cells.set(name, (cell = new Cell(sym(name), this)))
      if (this.followers.size > 0) cell.watch = { dependents: new Set(this.followers), attributes: undefined, reads: [] }
    }
    return cell
  }
  child(name: string): Directory {
    let child = this.children.get(name)
    if (child === undefined) {
      this.children.set(name, (child = this.former.get(name) ?? new Directory(`${this.path}.${name}`)))
      for (const each of this.followers) child.followers.add(each)
    }
    return child
  }
  /** The name is no directory any more; what was in it is gone. */
  close(name: string): void {
    const child = this.children.get(name)
    if (child === undefined) return
    this.children.delete(name)
    this.former.set(name, child)
    for (const cell of child.cells.values()) cell.clear()
    for (const each of child.children.keys()) child.close(each)
  }
  get isEmpty(): boolean {
    if (this.children.size > 0) return false
    for (const cell of this.cells.values()) if (cell.value !== undefined || cell.watch?.attributes !== undefined) return false
    return true
  }
}
