/**
 * The K tree as verbs and names with dots see it: variables by path, entries of the dictionaries they hold, attributes, directories.
 *
 * Guarantees: an interrupt comes before a variable is written, or after.
 * Does not: know compiled code, which reads and writes cells itself.
 */
import { amend } from "../run/amend.ts"
import { append } from "../run/append.ts"
import { tick } from "../run/budget.ts"
import { below, index } from "../run/apply.ts"
import { Verb } from "../values/Verb.ts"
import type { Args } from "../values/function.ts"
import { KError } from "../run/KError.ts"
import type { Amended, Globals, Kernel } from "../run/kernel.ts"
import { codeOf, type Cell, type Directory } from "./Directory.ts"
import { keysOf, type Place } from "./place.ts"
import type { Tree } from "./tree.ts"
import { apart, isOwned, markAfter, markAfterJoin, NOBODY } from "../values/ownership.ts"
import { collapse, Dict, NIL, Sym, symbolOf, Symbols, type Value } from "../values/value.ts"

/** Steps paid for finding a variable by its path. */
const BY_PATH = 4

export class Variables implements Globals {
  constructor(
    private readonly kernel: Kernel & { readonly tree: Tree },
    /** Runs the trigger of an entry of a dictionary. */
    private readonly trigger: (code: string, amended: Amended, home: Directory) => void,
  ) {}

  /** Changes when all is cleared, or brought back. */
  private get tree(): Tree {
    return this.kernel.tree
  }

  /** The value of a global by path (`a`, `.k.a.b`, `d.x`), relative to the current directory. */
  find(path: string): Value | undefined {
    tick(BY_PATH)
    const place = this.tree.find(path)
    if (place === undefined) return undefined
    if ("directory" in place) {
      // An empty directory shows as nothing at all.
      const all = this.tree.asDictionary(place.directory)
      return all.keys.length === 0 ? NIL : all
    }
    const { cell, keys } = place
    if (keys[0] === "") {
      const attributes = cell.watch?.attributes
      return attributes === undefined ? NIL : (below(attributes, keysOf(keys.slice(1))) ?? NIL)
    }
    // `below` hands out items.
    const value = keys.length === 0 ? this.tree.read(cell) : (cell.value ?? this.tree.fetch(cell))
    return value === undefined ? undefined : below(value, keysOf(keys))
  }

  /** As `find`, for a reader that keeps nothing: variables go on owning their values, and a dependency that fails is nil in a directory. */
  look(path: string): Value | undefined {
    const place = this.tree.find(path)
    if (place === undefined) return undefined
    if ("directory" in place) return this.tree.listing(place.directory)
    return place.keys.length === 0 ? (place.cell.value ?? this.tree.fetch(place.cell)) : this.find(path)
  }

  /** Of a directory, an empty one too, or a dictionary. */
  namesIn(path: string): readonly string[] | undefined {
    const place = this.tree.find(path)
    if (place !== undefined && "directory" in place) return this.tree.names(place.directory)
    const value = this.find(path)
    return value instanceof Dict ? value.keys.map(({ text }) => text) : undefined
  }

  /** The same; throws `value` when there is none. */
  lookup(path: string): Value {
    const value = this.find(path)
    if (value === undefined) throw new KError("value", { what: "no-value", name: path })
    return value
  }

  assign(path: string, value: Value): void {
    const place = this.tree.place(path)
    if ("directory" in place) this.tree.replace(place.directory, value, () => true)
    else if (place.keys.length === 0) this.tree.put(place.cell, value)
    else this.amend(path, [], undefined, value)
  }

  /**
   * `.[path;places;f;y]`; `undefined` for f replaces, `undefined` for y makes f monadic. Gives the values at the places afterwards, if
   * `wanted`; they are read before the variable is written, since reading can be interrupted.
   */
  amend(path: string, places: readonly Value[], f: Value | undefined, y: Value | undefined, wanted = false): Value {
    tick(BY_PATH)
    return this.amendAt(this.tree.place(path), places, f, y, wanted)
  }

  private amendAt(place: Place, places: readonly Value[], f: Value | undefined, y: Value | undefined, wanted: boolean): Value {
    const at = (changed: Value, way: readonly Value[]): Value => (wanted ? index(changed, way, this.kernel) : NIL)
    if ("directory" in place) {
      const { directory } = place
      const [first, ...rest] = places
      // One variable of the directory is amended as by its own name.
      if (first instanceof Sym && /^\w+$/.test(first.text)) {
        const child = directory.children.get(first.text)
        return this.amendAt(child === undefined ? { cell: directory.cell(first.text), keys: [] } : { directory: child }, rest, f, y, wanted)
      }
      const changed = amend(this.tree.asDictionary(directory), NOBODY, places, f, y, this.kernel)
      const result = at(changed, places)
      this.tree.replace(directory, changed, isNamedBy(first))
      return result
    }
    const { cell, keys } = place
    if (keys[0] === "") {
      const attributes = cell.watch?.attributes ?? new Dict([], [], [])
      const way = [...keysOf(keys.slice(1)), ...places]
      const changed = amend(attributes, NOBODY, way, f, y, this.kernel)
      if (!(changed instanceof Dict)) throw new KError("type", "attributes are a dictionary")
      const result = at(changed, way)
      this.tree.setAttributes(cell, changed)
      return result
    }
    const before = cell.value ?? this.tree.fetch(cell) ?? NIL
    const way = [...keysOf(keys), ...places]
    const joins = way.length === 0 && f instanceof Verb && f.rows.dyad?.role === "join" && y !== undefined
    // f is given the whole value, and may keep it.
    if (way.length === 0 && f !== undefined && !joins) cell.share()
    const mark = cell.ownerMark
    const changed = (joins ? append(before, isOwned(mark), y) : undefined) ?? amend(before, mark, way, f, y, this.kernel)
    const result = at(changed, way)
    if (cell.watch !== undefined) this.putAt(cell, changed, way)
    else {
      const after = way.length > 0 ? markAfter(changed, before, mark) : joins && !wanted ? markAfterJoin(changed, before, mark, y) : NOBODY
      cell.amended(changed, after)
      if (changed instanceof Dict && way.length > 0) this.entered(cell, changed, way)
    }
    this.openComputed(cell, changed, way)
    return result
  }

  /** A variable was changed at some places that its watcher is to know. */
  putAt(cell: Cell, value: Value, places: Args): void {
    const directory = cell.home.children.get(cell.name.text)
    // Compiled before this was one.
    if (directory !== undefined && places.length > 0) return this.tree.replace(directory, value, isNamedBy(places[0]))
    this.tree.put(cell, value, indexOf(places))
    if (value instanceof Dict && places.length > 0) this.entered(cell, value, places)
  }

  /** Runs the triggers of the entries on an amended path, from the outside in. Amending attributes runs none. */
  entered(cell: Cell, value: Dict, places: Args): void {
    const [key] = places
    if (places.length === 1 && key instanceof Sym && value.attributes[value.find(key)] === NIL) return
    this.runTriggers(value, () => cell.path, places, cell.home)
  }

  private runTriggers(x: Value, path: () => string, [place, ...rest]: Args, home: Directory): void {
    if (!(x instanceof Dict)) return
    const keys = place === undefined || place === NIL ? x.keys : place instanceof Symbols ? Array.from(place.v, symbolOf) : [place]
    for (const key of keys) {
      const i = key instanceof Sym ? x.find(key) : -1
      if (i < 0) continue
      tick()
      const variable = (): string => `${path()}.${x.keys[i]!.text}`
      const code = codeOf(x.attributes[i], "t")
      if (code !== undefined) apart(() => this.trigger(code, { variable: variable(), index: indexOf(rest) }, home))
      if (rest.length > 0) this.runTriggers(x.values[i]!, variable, rest, home)
    }
  }

  /** An entry that was given a dependency is a variable from now on, since those alone are computed, and the dictionary a directory. */
  private openComputed(cell: Cell, value: Value, way: readonly Value[]): void {
    const i = way.findIndex(isOfAttributes)
    if (i < 0) return
    const names = (way.slice(0, i) as Sym[]).map(({ text }) => text)
    const of = index(value, way.slice(0, i + 1), this.kernel)
    if (codeOf(of, "d") !== undefined) this.tree.open(cell.home, [cell.name.text, ...names])
  }
}

/** Does an amendment at this place change the entry of that name? */
const isNamedBy =
  (place: Value | undefined) =>
  (name: Sym): boolean =>
    place === undefined || place === NIL || place === name || (place instanceof Symbols && place.v.includes(name.id))

const indexOf = (places: Args): Value =>
  places.length === 1 ? (places[0] ?? NIL) : places.length === 0 ? NIL : collapse(places.map((i) => i ?? NIL))

/** `` `a. `` stands for the attributes of `a`. */
const isOfAttributes = (place: Value): boolean => place instanceof Sym && place.text.endsWith(".")
