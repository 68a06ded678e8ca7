/**
 * The K tree for verbs and for names with dots: variables by path, entries of the dictionaries that they hold, attributes, directories.
 *
 * Guarantees: an interrupt comes before or after a variable is written, never within.
 *
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
import { apart, isOwned, markAfter, markAfterJoin, NOBODY, type OwnerMark } from "../values/ownership.ts"
import { collapse, Dict, EMPTY_SYMBOL, NIL, Sym, symbolOf, Symbols, type Value } from "../values/value.ts"

/** Steps paid for finding a variable by its path. */
const BY_PATH = 4

/** `.[…;places;f;y]` of a variable; without f the places are replaced, without y f is monadic. `wanted`: the result is the new values at the places. */
interface Change {
  readonly places: readonly Value[]
  readonly f: Value | undefined
  readonly y: Value | undefined
  readonly wanted: boolean
}

export class Variables implements Globals {
  constructor(
    private readonly kernel: Kernel & { readonly tree: Tree },
    /** Runs the trigger of an entry of a dictionary. */
    private readonly trigger: (code: string, amended: Amended, home: Directory) => void,
  ) {}

  /** A getter, since the tree is replaced when all is cleared or a mark is restored. */
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
      if (attributes === undefined) return (cell.value ?? this.tree.fetch(cell)) === undefined ? undefined : NIL
      return below(attributes, keysOf(keys.slice(1))) ?? NIL
    }
    // `below` shares the items that it gives.
    const value = keys.length === 0 ? this.tree.read(cell) : (cell.value ?? this.tree.fetch(cell))
    return value === undefined ? undefined : below(value, keysOf(keys))
  }

  /** As `find`, for a caller that keeps nothing: variables still own their values, and in a directory a failing dependency is nil. */
  look(path: string): Value | undefined {
    const place = this.tree.find(path)
    if (place === undefined) return undefined
    if ("directory" in place) return this.tree.listing(place.directory)
    return place.keys.length === 0 ? (place.cell.value ?? this.tree.fetch(place.cell)) : this.find(path)
  }

  /** The names in a directory, also an empty one, or in a dictionary; undefined for anything else. */
  namesIn(path: string): readonly string[] | undefined {
    const place = this.tree.find(path)
    if (place !== undefined && "directory" in place) return this.tree.names(place.directory)
    const value = this.find(path)
    return value instanceof Dict ? value.keys.map(({ text }) => text) : undefined
  }

  /** As `find`; throws `value` when there is no value. */
  lookup(path: string): Value {
    const value = this.find(path)
    if (value === undefined) throw new KError("value", { what: "no-value", name: path })
    return value
  }

  assign(path: string, value: Value): void {
    const place = this.place(path)
    if ("directory" in place) this.tree.replace(place.directory, value, () => true)
    else if (place.keys.length === 0) this.tree.put(place.cell, value)
    else this.amend(path, [], undefined, value)
  }

  /** As `Change` describes; without `wanted` the result is nil. */
  amend(path: string, places: readonly Value[], f: Value | undefined, y: Value | undefined, wanted = false): Value {
    tick(BY_PATH)
    return this.amendAt(this.place(path), { places, f, y, wanted })
  }

  /** The place of a path, for an assignment. */
  private place(path: string): Place {
    const place = this.tree.place(path)
    if ("cell" in place && place.cell.name === EMPTY_SYMBOL) throw new KError("nonce", "a directory has no attributes; its variables have")
    return place
  }

  private amendAt(place: Place, change: Change): Value {
    if ("directory" in place) return this.amendDirectory(place.directory, change)
    const { cell, keys } = place
    const isOfAttributes = keys[0] === ""
    const places = [...keysOf(isOfAttributes ? keys.slice(1) : keys), ...change.places]
    return isOfAttributes ? this.amendAttributes(cell, { ...change, places }) : this.amendCell(cell, { ...change, places })
  }

  private amended(x: Value, mark: OwnerMark, { places, f, y }: Change): Value {
    return amend(x, mark, places, f, y, this.kernel)
  }

  /** Read before the variable is written, since reading can be interrupted. */
  private resultOf(changed: Value, { places, wanted }: Change): Value {
    return wanted ? index(changed, places, this.kernel) : NIL
  }

  private amendDirectory(directory: Directory, change: Change): Value {
    const [first, ...places] = change.places
    // A single variable of the directory is amended like the variable itself.
    if (first instanceof Sym && /^\w+$/.test(first.text)) {
      const child = directory.children.get(first.text)
      const place = child === undefined ? { cell: directory.cell(first.text), keys: [] } : { directory: child }
      return this.amendAt(place, { ...change, places })
    }
    const changed = this.amended(this.tree.asDictionary(directory), NOBODY, change)
    const result = this.resultOf(changed, change)
    this.tree.replace(directory, changed, isNamedBy(first))
    return result
  }

  private amendAttributes(cell: Cell, change: Change): Value {
    const changed = this.amended(cell.watch?.attributes ?? new Dict([], [], []), NOBODY, change)
    if (!(changed instanceof Dict)) throw new KError("type", "attributes are a dictionary")
    const result = this.resultOf(changed, change)
    this.tree.setAttributes(cell, changed)
    return result
  }

  private amendCell(cell: Cell, change: Change): Value {
    const { places, f, y, wanted } = change
    const isWhole = places.length === 0
    const before = cell.value ?? this.tree.fetch(cell) ?? NIL
    const joins = isWhole && f instanceof Verb && f.rows.dyad?.role === "join" && y !== undefined
    // f gets the whole value, and may keep it.
    if (isWhole && f !== undefined && !joins) cell.share()
    const mark = cell.ownerMark
    const changed = (joins ? append(before, isOwned(mark), y) : undefined) ?? this.amended(before, mark, change)
    const result = this.resultOf(changed, change)
    if (cell.watch !== undefined) this.putAt(cell, changed, places)
    else {
      const after = !isWhole ? markAfter(changed, before, mark) : joins && !wanted ? markAfterJoin(changed, before, mark, y) : NOBODY
      cell.amended(changed, after)
      if (changed instanceof Dict && !isWhole) this.entered(cell, changed, places)
    }
    this.openComputed(cell, changed, places)
    return result
  }

  /** Writes a variable that was changed at some places, and tells its watcher these places. */
  putAt(cell: Cell, value: Value, places: Args): void {
    const directory = cell.home.children.get(cell.name.text)
    // The code was compiled before the name became a directory.
    if (directory !== undefined && places.length > 0) return this.tree.replace(directory, value, isNamedBy(places[0]))
    this.tree.put(cell, value, indexOf(places))
    if (value instanceof Dict && places.length > 0) this.entered(cell, value, places)
  }

  /** Runs the triggers of the entries on an amended path, outermost first. Amending attributes runs none. */
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

  /** Makes a directory of a dictionary whose entry was given a dependency: only variables can be computed. */
  private openComputed(cell: Cell, value: Value, way: readonly Value[]): void {
    const i = way.findIndex(isOfAttributes)
    if (i < 0) return
    const names = (way.slice(0, i) as Sym[]).map(({ text }) => text)
    const of = index(value, way.slice(0, i + 1), this.kernel)
    if (codeOf(of, "d") !== undefined) this.tree.open(cell.home, [cell.name.text, ...names])
  }
}

/** Does an amendment at this place change the entry with that name? */
const isNamedBy =
  (place: Value | undefined) =>
  (name: Sym): boolean =>
    place === undefined || place === NIL || place === name || (place instanceof Symbols && place.v.includes(name.id))

const indexOf = (places: Args): Value =>
  places.length === 1 ? (places[0] ?? NIL) : places.length === 0 ? NIL : collapse(places.map((i) => i ?? NIL))

/** Does the place stand for attributes, as `` `a. `` does for those of `a`? */
const isOfAttributes = (place: Value): boolean => place instanceof Sym && place.text.endsWith(".")
