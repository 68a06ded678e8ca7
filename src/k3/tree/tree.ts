/**
 * The K tree: directories of cells, each cell one global variable.
 *
 * Guarantees: a cell lives as long as its tree, so compiled code may hold it; a plain variable needs nothing but reading and assigning its cell (see
 * `ownership.ts`). A cell with a `watch` (a dependency, a trigger, variables that depend on it, a directory of its name, a missing directory around it)
 * is read through `fetch` when its value is absent, and always written through `put`.
 *
 * Does not: parse or run K; its `TextRunner` runs the expressions of attributes.
 */
import { Directory, type Cell } from "./Directory.ts"
import { found, made, namesOf, ofDirectories, wayOf, type Place } from "./place.ts"
import { tick } from "../run/budget.ts"
import { KError } from "../run/KError.ts"
import { wrongType } from "../run/mismatch.ts"
import { apart } from "../values/ownership.ts"
import { Dict, NIL, sym, type Sym, type Value } from "../values/value.ts"

/** The interpreter, as the tree uses it for dependencies and triggers. */
export interface TextRunner {
  /** Runs an expression in a directory. */
  run(code: string, directory: Directory): Value
  /** The cells and paths that an expression names; none when it is not K. */
  reads(code: string, directory: Directory): { readonly names: readonly Cell[]; readonly paths: readonly string[] }
  /** Runs the trigger of an amended cell. `index`: the amended index, nil for the whole value. */
  trigger(code: string, cell: Cell, index: Value): void
}

export class Tree {
  readonly root = new Directory("")
  current: Directory = this.root.child("k")
  /** Cells that the running statement will assign: a dictionary of their directory already shows them, as nil. */
  pending: readonly Cell[] = []
  constructor(private readonly runner: TextRunner) {}

  /** The place of a path, from the current directory unless it begins with a dot. Makes nothing. */
  find(path: string): Place | undefined {
    return found(wayOf(this.root, this.current, path))
  }

  /** As `find`, for an assignment: makes the variable, and the directory below the root that it is in. */
  place(path: string): Place {
    return made(wayOf(this.root, this.current, path), (name) => this.below(this.root, name), "cell")
  }

  /**
   * As `find`, for code of a directory that names the path: makes the variable; a missing directory stays missing until something in it is
   * assigned, or its name has a dictionary.
   */
  mention(path: string, from = this.current): Place {
    const below = (name: string): Directory => (this.isDictionary(`.${name}`) ? this.below(this.root, name) : this.root.named(name))
    return made(wayOf(this.root, from, path), below, "mention")
  }

  /** Is there a dictionary in a variable at the path? It becomes a directory when compiled code has a cell for one of its entries. */
  private isDictionary(path: string): boolean {
    const place = this.find(path)
    if (place === undefined || "directory" in place) return false
    const entry = (x: Value | undefined, key: string): Value | undefined => (x instanceof Dict ? x.values[x.find(sym(key))] : undefined)
    return place.keys.reduce(entry, place.cell.value) instanceof Dict
  }

  /** The directory of an absolute path, for code that is compiled in it. It may be missing, as in `mention`. */
  directoryNamed(path: string): Directory {
    return ofDirectories(namesOf(path)).reduce((at, name) => at.named(name), this.root)
  }

  /** The value of a cell whose `value` is absent: a directory, a dependency to compute, or `undefined`. */
  fetch(cell: Cell): Value | undefined {
    const { home } = cell
    if (home.isMissing && this.isDictionary(home.path)) {
      this.open(this.root, namesOf(home.path))
      if (cell.value !== undefined) return cell.share()
    }
    const directory = home.children.get(cell.name.text)
    if (directory !== undefined) return this.asDictionary(directory)
    const code = cell.code("d")
    if (code === undefined) return undefined
    // Names may have become directories, or variables again, since it was last followed.
    this.follow(cell, code)
    const value = apart(() => this.runner.run(code, cell.home))
    cell.compute(value)
    return value
  }

  /** Reads a cell for a reader that may keep the value. */
  read(cell: Cell): Value | undefined {
    return cell.share() ?? this.fetch(cell)
  }

  private follow(cell: Cell, code: string): void {
    const watch = cell.watched()
    const { names, paths } = this.runner.reads(code, cell.home)
    for (const c of watch.reads) c.watch?.dependents.delete(cell)
    const reads: Cell[] = []
    for (const place of [...names.map((c) => ({ cell: c })), ...paths.map((path) => this.mention(path, cell.home))]) {
      if ("cell" in place) {
        reads.push(place.cell)
        if (place.cell !== cell) place.cell.dependents.add(cell)
      }
      const directory = "cell" in place ? place.cell.home.children.get(place.cell.name.text) : place.directory
      // One by one: there may be more of them than the host allows arguments.
      for (const each of directory?.follow(cell) ?? []) reads.push(each)
    }
    watch.reads = reads
  }

  /** Assigns a watched cell: its dependents are marked for computing, and its trigger runs. */
  put(cell: Cell, value: Value, index: Value = NIL): void {
    this.settle(cell)
    cell.assign(value)
    if (cell.watch !== undefined) this.changed(cell, index)
  }

  /** Gives the cell its place in its directory, which exists from now on. */
  private settle({ home, name }: Cell): void {
    if (home.isMissing) this.open(this.root, namesOf(home.path))
    home.cell(name.text)
  }

  /** Follows the assignment or amendment of a watched cell. */
  private changed(cell: Cell, index: Value): void {
    this.close(cell.home, cell.name.text)
    this.invalidate(cell)
    const code = cell.code("t")
    if (code !== undefined) this.runner.trigger(code, cell, index)
  }

  private close(directory: Directory, name: string): void {
    const child = directory.children.get(name)
    if (child === undefined) return
    const gone = child.all
    directory.close(name)
    for (const cell of gone) this.invalidate(cell)
  }

  /** Marks all cells that depend on this one, directly or not, for computing. `seen` ends cycles: the cell itself keeps its value. */
  private invalidate(cell: Cell, seen = new Set([cell])): void {
    for (const d of cell.watch?.dependents ?? []) {
      if (seen.has(d) || d.code("d") === undefined) continue
      seen.add(d)
      d.assign(undefined)
      this.invalidate(d, seen)
    }
  }

  /** Replaces the attribute dictionary of a cell. With a dependency (`d`), the value is computed when it is next read. */
  setAttributes(cell: Cell, attributes: Dict): void {
    this.settle(cell)
    cell.watched().attributes = attributes
    const code = cell.code("d")
    if (code === undefined) cell.assign(cell.value ?? NIL)
    else {
      cell.assign(undefined)
      this.follow(cell, code)
      this.invalidate(cell)
    }
  }

  /**
   * Follows the dependencies anew, after values and attributes were written as they were at an earlier time, and in any order. Computed values are
   * computed again; values that were assigned over a dependency stay.
   */
  refollow(): void {
    for (const cell of this.root.everyCell()) {
      const code = cell.code("d")
      if (code === undefined) continue
      cell.assign(cell.stored())
      this.follow(cell, code)
    }
  }

  /** A directory as a dictionary, its variables read by `read`. */
  asDictionary(directory: Directory, read = (cell: Cell): Value | undefined => this.read(cell)): Dict {
    const out = new Dict([], [], [])
    for (const cell of directory.cells.values()) {
      tick()
      const value = read(cell) ?? (this.pending.includes(cell) ? NIL : undefined)
      if (value !== undefined) out.add(cell.name, value, cell.watch?.attributes)
    }
    for (const [name, child] of directory.children) if (!directory.cells.has(name)) out.add(sym(name), this.asDictionary(child, read))
    return out
  }

  /** The names in a directory that have a value, or a dependency that gives one. Computes nothing. */
  names(directory: Directory): string[] {
    const { cells, children } = directory
    const isThere = (cell: Cell): boolean => {
      tick()
      return cell.value !== undefined || children.has(cell.name.text) || cell.code("d") !== undefined || this.pending.includes(cell)
    }
    return [...[...cells.values()].filter(isThere).map(({ name }) => name.text), ...[...children.keys()].filter((name) => !cells.has(name))]
  }

  /** The directory as a dictionary, for a caller that keeps nothing: variables still own their values, and a failing dependency is nil. */
  listing(directory: Directory): Dict {
    return this.asDictionary(directory, (cell) => {
      const child = cell.home.children.get(cell.name.text)
      return cell.value ?? (child === undefined ? this.computed(cell) : this.listing(child))
    })
  }

  private computed(cell: Cell): Value | undefined {
    try {
      return this.fetch(cell)
    } catch (thrown) {
      if (thrown instanceof KError && !thrown.isFinal) return NIL
      throw thrown
    }
  }

  /**
   * Assigns a whole directory: its variables become the entries of the dictionary. Then the triggers run of variables whose value is another than
   * before, or that `isAssigned` names.
   */
  replace(directory: Directory, value: Value, isAssigned: (name: Sym) => boolean): void {
    if (!(value instanceof Dict)) throw new KError("type", { what: "is-directory", path: directory.path })
    tick(value.keys.length + directory.cells.size)
    for (const cell of this.write(directory, value, isAssigned)) this.changed(cell, NIL)
  }

  /** Writes the entries; gives the watched cells that were written. */
  private write(directory: Directory, { keys, values, attributes }: Dict, isAssigned: (name: Sym) => boolean): Cell[] {
    const written = keys.flatMap((key, i) => {
      const value = values[i]!
      const child = directory.children.get(key.text)
      if (child !== undefined && value instanceof Dict) return this.write(child, value, () => isAssigned(key))
      const cell = directory.cell(key.text)
      const isOther = cell.value !== value || isAssigned(key)
      if (isOther) cell.assign(value)
      const given = attributes[i]
      if (given instanceof Dict && given !== cell.watch?.attributes) this.setAttributes(cell, given)
      return isOther && cell.watch !== undefined ? [cell] : []
    })
    // Removed variables come last, so that cells that depend on them are computed again.
    const kept = new Set(keys)
    for (const cell of directory.cells.values())
      if (!kept.has(cell.name)) {
        directory.forget(cell)
        this.invalidate(cell)
      }
    for (const name of directory.children.keys()) if (directory !== this.root && !kept.has(sym(name))) this.close(directory, name)
    return written
  }

  /** `\d path`: makes the missing directories and enters the last; a dictionary on the path becomes a directory. */
  enter(path: string): void {
    this.current = this.open(path.startsWith(".") ? this.root : this.current, namesOf(path))
  }

  /** The cell of an absolute path; missing directories on the path are made. */
  cellAt(path: string): Cell {
    const cut = path.lastIndexOf(".")
    return this.open(this.root, namesOf(path.slice(0, cut))).cell(path.slice(cut + 1))
  }

  /** Removes the variable of an absolute path, and directories left empty by that. Gives the cell, if there is one. */
  remove(path: string): Cell | undefined {
    return this.removeBelow(this.root, path.split(".").slice(1))
  }

  private removeBelow(directory: Directory, [name = "", ...rest]: readonly string[]): Cell | undefined {
    if (rest.length === 0) {
      const cell = directory.cells.get(name)
      if (cell !== undefined) directory.forget(cell)
      return cell
    }
    const child = directory.children.get(name)
    if (child === undefined) return undefined
    const cell = this.removeBelow(child, rest)
    if (child.isEmpty && child.path !== ".k") directory.close(name)
    return cell
  }

  /**
   * The directory with these names below another one, made where it is missing; a dictionary becomes a directory, its entries variables. Another
   * value is kept: it is a type error.
   */
  open(directory: Directory, names: readonly string[]): Directory {
    return ofDirectories(names).reduce((at, name) => this.below(at, name), directory)
  }

  private below(directory: Directory, name: string): Directory {
    const known = directory.children.get(name)
    if (known !== undefined) return known
    // Directories of the root have a cell only where code names one.
    const cell = directory === this.root ? directory.known(name) : directory.cell(name)
    if (cell === undefined) return directory.child(name)
    const { value } = cell
    if (value !== undefined && value !== NIL && !(value instanceof Dict)) throw wrongType("only a dictionary has entries", value)
    const child = directory.child(name)
    cell.assign(undefined)
    cell.watched()
    if (value instanceof Dict) this.write(child, value, () => false)
    this.invalidate(cell)
    return child
  }

  /** `\d ^`: enters the parent directory. */
  leave(): void {
    this.current = this.open(this.root, namesOf(this.current.path).slice(0, -1))
  }
}
