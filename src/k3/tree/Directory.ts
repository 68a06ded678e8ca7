/**
 * Cells, each one global variable, and the directories they are in.
 *
 * Guarantees: a cell lives as long as its tree, so that compiled code may hold it. The names are in the order in which statements assign them; a name
 * that code only mentions is not among them. Does not: know paths, or run anything: `tree.ts` does.
 */
import { KError } from "../run/KError.ts"
import { Holder } from "../values/ownership.ts"
import { Dict, List, sym, textOf, type Sym, type Value } from "../values/value.ts"

/** Directories within each other: walks over the tree are recursive. */
const DEEPEST = 200

/** What a capture saw last in a cell that has been forgotten since: equal to no value, so that the name is told as removed, also when it is back. */
export const FORGOTTEN: Value = new List([])

/** The text under a name in an attribute dictionary: a dependency (`d`) or a trigger (`t`). */
export const codeOf = (attributes: Value | undefined, name: string): string | undefined => {
  if (!(attributes instanceof Dict)) return undefined
  const i = attributes.find(sym(name))
  return i < 0 ? undefined : textOf(attributes.values[i]!)
}

/** The extra data of a cell with attributes or dependents. */
export interface Watch {
  /** Cells whose dependency reads this one. */
  readonly dependents: Set<Cell>
  attributes: Dict | undefined
  /** Cells that this cell's dependency read when it was last followed. */
  reads: readonly Cell[]
  /** True when the dependency computed the value; false for a value that was assigned over it. */
  isComputed: boolean
}

export class Cell extends Holder {
  watch: Watch | undefined = undefined
  /** The value and attributes at the last capture. */
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
  /** The text of the cell's dependency (`d`) or trigger (`t`). */
  code(name: string): string | undefined {
    return codeOf(this.watch?.attributes, name)
  }
  override assign(value: Value | undefined): void {
    super.assign(value)
    if (this.watch !== undefined) this.watch.isComputed = false
  }
  /** Assigns the value that the dependency gave. */
  compute(value: Value): void {
    this.assign(value)
    this.watched().isComputed = true
  }
  /** The value, to be kept by the caller; `undefined` when a dependency computes it. */
  stored(): Value | undefined {
    const value = this.share()
    return this.watch?.isComputed === true ? undefined : value
  }
  get dependents(): Set<Cell> {
    return this.watched().dependents
  }
  /** The watch, made when there is none. */
  watched(): Watch {
    return (this.watch ??= { dependents: new Set(), attributes: undefined, reads: [], isComputed: false })
  }
  /** Drops a watch that watches nothing. */
  unwatch(): void {
    if (this.watch?.attributes === undefined && this.watch?.dependents.size === 0) this.watch = undefined
  }
  /** Removes value and attributes. */
  clear(): void {
    this.assign(undefined)
    if (this.watch !== undefined) this.watch.attributes = undefined
  }
}

const isFree = (cell: Cell): boolean => cell.value === undefined && cell.watch?.attributes === undefined

export class Directory {
  /** It was closed, or is not made yet. */
  isMissing: boolean
  /** In the order in which they were assigned. */
  readonly cells = new Map<string, Cell>()
  /** Cells that code names and nothing has assigned. Each has a watch, so that its assignment is told (`Tree.put`). */
  private readonly mentioned = new Map<string, Cell>()
  readonly children = new Map<string, Directory>()
  /** Children that were closed or are not made yet. Compiled code may hold their cells, which are used when the name becomes a directory. */
  private readonly former = new Map<string, Directory>()
  /** Dependencies on every cell of this directory, including cells made later. */
  private readonly followers = new Set<Cell>()
  constructor(
    /** `.k.a`; the empty string for the root. */
    readonly path: string,
    private readonly depth = 0,
  ) {
    this.isMissing = depth > 0
  }
  /** The cell of that name, to be assigned: it has its place in the order from now on, unless the directory is missing. */
  cell(name: string): Cell {
    const cell = this.mention(name)
    if (!this.isMissing && this.mentioned.delete(name)) {
      this.cells.set(name, cell)
      if (!this.children.has(name) && !this.former.has(name)) cell.unwatch()
    }
    return cell
  }
  /** The cell of that name, assigned or only named, if there is one. */
  known(name: string): Cell | undefined {
    return this.cells.get(name) ?? this.mentioned.get(name)
  }
  /** The cell of that name, to be read. */
  mention(name: string): Cell {
    const known = this.known(name)
    if (known !== undefined) return known
    const cell = new Cell(sym(name), this)
    this.forget(cell)
    for (const each of this.followers) cell.dependents.add(each)
    return cell
  }
  /** Takes the cell out of the order, without value and attributes. */
  forget(cell: Cell): void {
    cell.clear()
    cell.watched()
    if (cell.seen !== undefined) cell.seen = FORGOTTEN
    this.cells.delete(cell.name.text)
    this.mentioned.set(cell.name.text, cell)
  }
  /** The child of that name, whether it exists or not. */
  named(name: string): Directory {
    const known = this.children.get(name) ?? this.former.get(name)
    if (known !== undefined) return known
    if (this.depth === DEEPEST) throw new KError("limit", { what: "depth", most: DEEPEST, of: "directories" })
    const child = new Directory(`${this.path}.${name}`, this.depth + 1)
    this.former.set(name, child)
    return child
  }
  /** The child of that name, which exists from now on. */
  child(name: string): Directory {
    const child = this.named(name)
    if (this.former.delete(name)) {
      this.children.set(name, child)
      child.isMissing = false
      for (const each of this.followers) child.follow(each)
    }
    return child
  }
  /** Makes a dependency depend on all cells here and below, now and later; gives the present cells. */
  follow(dependency: Cell): readonly Cell[] {
    this.followers.add(dependency)
    for (const cell of [...this.cells.values(), ...this.mentioned.values()]) if (cell !== dependency) cell.dependents.add(dependency)
    this.children.forEach((child) => child.follow(dependency))
    return this.all
  }
  /** The cells here and below. */
  get all(): readonly Cell[] {
    return [...this.cells.values(), ...this.mentioned.values(), ...[...this.children.values()].flatMap((child) => child.all)]
  }
  /** Every cell here and below, in the order of the names; those in directories without a cell, mentioned ones and those in former children last. */
  *everyCell(): Generator<Cell, void> {
    for (const cell of this.cells.values()) {
      yield cell
      const child = this.children.size === 0 ? undefined : this.children.get(cell.name.text)
      if (child !== undefined) yield* child.everyCell()
    }
    for (const [name, child] of this.children) if (!this.cells.has(name)) yield* child.everyCell()
    yield* this.mentioned.values()
    for (const child of this.former.values()) yield* child.everyCell()
  }
  /** Removes the child directory of that name, and clears its cells. */
  close(name: string): void {
    const child = this.children.get(name)
    if (child === undefined) return
    this.children.delete(name)
    this.former.set(name, child)
    child.isMissing = true
    const own = this.cells.get(name)
    if (own !== undefined && isFree(own)) this.forget(own)
    for (const cell of child.cells.values()) child.forget(cell)
    for (const each of child.children.keys()) child.close(each)
  }
  get isEmpty(): boolean {
    return this.children.size === 0 && [...this.cells.values()].every(isFree)
  }
}
