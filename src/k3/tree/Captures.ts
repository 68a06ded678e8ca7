/**
 * What changed in a K tree since it was last asked, values put back, and a mark to go back to.
 *
 * Guarantees: an unchanged variable costs one comparison of identity. That is enough because a value that was seen never changes: nobody
 * owns it any more. What came back is compared with
 * its image, byte for byte; values are put back before attributes, so that no trigger runs. Does not: evaluate, or keep images.
 */
import { Composition } from "../values/Composition.ts"
import { Derived } from "../values/Derived.ts"
import { Lambda } from "../values/Lambda.ts"
import { Projection } from "../values/function.ts"
import { KError } from "../run/KError.ts"
import type { Kernel } from "../run/kernel.ts"
import { preview } from "../values/preview.ts"
import { imageOf, imageSize } from "../values/image.ts"
import { valueOf } from "../values/imageReader.ts"
import { sameItems } from "../values/match.ts"
import { dimensions } from "../primitives/structure.ts"
import type { Cell, Directory } from "./Directory.ts"
import type { Tree } from "./tree.ts"
import { Dict, List, typeOf, type Value } from "../values/value.ts"

/** One variable as it was seen. */
export interface Variable {
  /** `.k.a.x`. */
  readonly path: string
  readonly type: number
  readonly shape: string
  /** Bytes of the image. */
  readonly bytes: number
  /** The printed form, cut short. */
  readonly text: string
  /** As `_bd` makes it; absent for a value that is computed, or was not taken. */
  readonly image?: Uint8Array
  /** Image of the attributes, when there are any. */
  readonly attributes?: Uint8Array
  /** Why there is no image. */
  readonly why?: string
}

/** What belongs to the state beside the variables. */
export interface Workspace {
  readonly precision: number
  readonly seed: number
  readonly directory: string
  /** Where `\l` and the file verbs look. */
  readonly folder: string
}

export interface Changes {
  /** Forget what was known before: `changed` is everything. */
  readonly anew: boolean
  /** There is more than fitted. */
  readonly more: boolean
  readonly changed: readonly Variable[]
  readonly removed: readonly string[]
  readonly workspace: Workspace
}

/** In bytes of images: of one variable, of one answer, and of a variable that is worth waiting for now. */
export interface CaptureLimits {
  readonly value: number
  readonly total: number
  readonly soon: number
}

export interface Given {
  readonly path: string
  readonly image?: Uint8Array | undefined
  readonly attributes?: Uint8Array | undefined
}

export interface Lost {
  readonly path: string
  readonly why: string
}

/** What a capture asks of its interpreter. */
export interface Captured extends Kernel {
  tree: Tree
  /** Compiled statements hold cells of a tree that is no more. */
  forget(): void
}

/** How an error of K reads as a reason. */
const reason = (thrown: unknown): string => (thrown instanceof KError ? `${thrown.kname} ${thrown.hint}`.trimEnd() : String(thrown))

const throwFinal = (thrown: unknown): void => {
  if (thrown instanceof KError && thrown.isFinal) throw thrown
}

/** Does it hold a function that took variables of another along? Its text alone does not make it again. */
const isClosed = (x: Value): boolean => {
  if (typeof x === "number") return false
  if (x instanceof Lambda) return x.closed
  if (x instanceof Derived) return isClosed(x.f)
  if (x instanceof Projection) return isClosed(x.f) || x.args.some((a) => a !== undefined && isClosed(a))
  if (x instanceof Composition) return x.parts.some(isClosed)
  if (x instanceof List) return x.v.some(isClosed)
  return x instanceof Dict && (x.values.some(isClosed) || x.attributes.some(isClosed))
}

const isComputed = (cell: Cell): boolean => cell.watch?.attributes?.keys.some(({ text }) => text === "d") === true

/** Takes a value out of the cell without computing it; from then on it is never changed in place. */
const seen = (cell: Cell): Value | undefined => {
  const value = cell.share()
  return isComputed(cell) ? undefined : value
}

/** A state to go back to. */
interface Mark {
  readonly tree: Tree
  readonly cells: ReadonlyMap<Cell, { readonly value: Value | undefined; readonly attributes: Dict | undefined }>
  /** Each with its children. */
  readonly directories: ReadonlyMap<Directory, readonly string[]>
  readonly workspace: Workspace
}

export class Captures {
  private tree: Tree | undefined
  /** Number of the last answer; who asks tells which one came through. */
  private serial = 0
  private marked: Mark | undefined

  constructor(private readonly k: Captured) {}

  /** What changed since the answer number `since` and was not put back by `restore`; everything when that was not the last one. */
  capture(since: number, limits: CaptureLimits): Changes & { readonly serial: number } {
    const { tree } = this.k
    const anew = tree !== (this.tree ?? tree) || since !== this.serial
    // Who captures does not go back any more; what was marked would be held for nothing.
    this.marked = undefined
    this.tree = tree
    // Counted before the walk: when that is interrupted, the next one begins anew.
    const serial = ++this.serial
    if (anew)
      tree.root.each((cell) => {
        cell.seen = cell.seenAttributes = undefined
        return true
      })
    const changed: Variable[] = []
    const removed: string[] = []
    let room = limits.total
    let more = false
    tree.root.each((cell) => {
      const attributes = cell.watch?.attributes
      if (cell.value === cell.seen && attributes === cell.seenAttributes) return true
      const value = seen(cell)
      if (value === cell.seen && attributes === cell.seenAttributes) return true
      if (value === undefined && attributes === undefined) removed.push(cell.path)
      else {
        const variable = this.variable(cell, value, attributes, limits, room)
        if (variable === undefined) {
          more = true
          return changed.length === 0
        }
        changed.push(variable)
        room -= variable.image?.length ?? 0
      }
      cell.seen = value
      cell.seenAttributes = attributes
      return true
    })
    return { serial, anew, more, changed, removed, workspace: this.workspace() }
  }

  /** `undefined` when it does not fit, or is not worth waiting for now. */
  private variable(
    cell: Cell,
    value: Value | undefined,
    attributes: Dict | undefined,
    limits: CaptureLimits,
    room: number,
  ): Variable | undefined {
    const { path } = cell
    let bytes = 0
    let about = { path, type: 6, shape: "", text: "" }
    try {
      const given = attributes === undefined ? {} : { attributes: imageOf(attributes) }
      if (value === undefined) return { ...about, ...given, bytes }
      bytes = imageSize(value)
      const fits = bytes <= limits.value
      if (fits && (bytes > limits.soon || (bytes > room && room < limits.total))) return undefined
      about = { path, type: typeOf(value), shape: dimensions(value).join(" "), text: preview(value, this.k.precision), ...given }
      if (isClosed(value)) return { ...about, bytes, why: "a function in it holds variables of the function that made it" }
      if (!fits) return { ...about, bytes, why: `its ${bytes} bytes are more than the ${limits.value} that are kept` }
      return { ...about, bytes, image: imageOf(value) }
    } catch (thrown) {
      throwFinal(thrown)
      return { ...about, bytes, why: `its image cannot be made: ${reason(thrown)}` }
    }
  }

  /**
   * Removes and puts back; gives those that did not come back equal, which stay as they are. The workspace comes with the last call:
   * dependencies are computed again from then on. An interrupt ends it; what came back by then stays.
   */
  restore(given: readonly Given[], workspace: Workspace | undefined, removed: readonly string[] = []): readonly Lost[] {
    const lost: Lost[] = []
    const attempt = (path: string, work: () => void): void => {
      try {
        work()
      } catch (thrown) {
        throwFinal(thrown)
        lost.push({ path, why: reason(thrown) })
      }
    }
    const { tree } = this.k
    for (const path of removed) tree.remove(path)
    for (const { path, image } of given)
      attempt(path, () => {
        // Also without a value, so that names come back in their order.
        const cell = tree.cellAt(path)
        // The next capture tells what is there when this does not come back.
        cell.seen = cell.seenAttributes = undefined
        const value = image === undefined ? undefined : valueOf(image, this.k)
        if (value !== undefined && !sameItems(imageOf(value), image!)) throw new KError("differs", "what came back is not equal")
        cell.clear()
        cell.home.close(cell.name.text)
        cell.assign((cell.seen = value))
      })
    for (const { path, attributes } of given)
      if (attributes !== undefined)
        attempt(path, () => {
          const value = valueOf(attributes, this.k)
          if (!(value instanceof Dict)) throw new KError("type", "attributes are a dictionary")
          const cell = tree.cellAt(path)
          tree.setAttributes(cell, value)
          cell.seenAttributes = value
        })
    if (workspace === undefined) return lost
    tree.root.each((cell) => {
      if (isComputed(cell)) cell.assign(undefined)
      return true
    })
    this.set(workspace, attempt)
    return lost
  }

  private workspace(): Workspace {
    const { precision, seed, tree, host } = this.k
    return { precision, seed, directory: tree.current.path, folder: host.files.cd() }
  }

  private set(
    { precision, seed, directory, folder }: Workspace,
    attempt: (path: string, work: () => void) => void = (_, work) => work(),
  ): void {
    this.k.precision = precision
    this.k.seed = seed
    attempt("\\d", () => this.k.tree.enter(directory === "" ? "." : directory))
    if (folder !== this.k.host.files.cd()) attempt("\\cd", () => void this.k.host.files.cd(folder))
  }

  /** Remembers the state as it is, by reference, until the next capture. */
  mark(): void {
    const { tree } = this.k
    const cells: Map<Cell, { readonly value: Value | undefined; readonly attributes: Dict | undefined }> = new Map()
    const directories: Map<Directory, readonly string[]> = new Map()
    const note = (directory: Directory): void => {
      directories.set(directory, [...directory.children.keys()])
      for (const cell of directory.cells.values()) {
        const value = seen(cell)
        const attributes = cell.watch?.attributes
        if (value !== undefined || attributes !== undefined) cells.set(cell, { value, attributes })
      }
      for (const child of directory.children.values()) note(child)
    }
    note(tree.root)
    this.marked = { tree, cells, directories, workspace: this.workspace() }
  }

  /** Goes back to the mark; without triggers, and dependencies are computed again. */
  back(): void {
    const mark = this.marked
    if (mark === undefined) return
    this.marked = undefined
    const { tree } = mark
    if (this.k.tree !== tree) {
      this.k.tree = tree
      this.k.forget()
    }
    const visit = (directory: Directory): void => {
      for (const cell of directory.cells.values()) {
        const then = mark.cells.get(cell)
        cell.assign(then?.value)
        if (cell.watch !== undefined) cell.watch.attributes = then?.attributes
      }
      const names = mark.directories.get(directory)!
      for (const name of directory.children.keys()) if (!names.includes(name)) directory.close(name)
      for (const name of names) visit(directory.child(name))
    }
    visit(tree.root)
    this.set(mark.workspace)
  }
}
