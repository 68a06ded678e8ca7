/**
 * Captures the variables that changed since the last capture, and restores them. Also keeps one mark to go back to.
 *
 * Guarantees: an unchanged variable costs one comparison of identity. Identity suffices because a captured value never changes: no variable owns it
 * any more. A restored value is compared with its image, byte for byte; values are restored before attributes, so that no trigger runs. Does not:
 * evaluate, or keep images.
 */
import { KError } from "../run/KError.ts"
import { missedByImage } from "../values/contexts.ts"
import { preview } from "../values/preview.ts"
import { imageOf, imageSize, isImageOf } from "../values/image.ts"
import { valueOf } from "../values/imageReader.ts"
import { goBack, markOf, type TreeMark } from "./mark.ts"
import { setWorkspace, workspaceOf, type CaptureSource, type TreeSettings } from "./treeSettings.ts"
import { dimensions } from "../primitives/structure.ts"
import { FORGOTTEN, type Cell } from "./Directory.ts"
import type { Tree } from "./tree.ts"
import { Dict, Func, NIL, typeOf, type Value } from "../values/value.ts"

/** One variable as it was captured. */
export interface CapturedVariable {
  /** `.k.a.x`. */
  readonly path: string
  readonly type: number
  readonly shape: string
  /** Bytes of the image. */
  readonly bytes: number
  /** The beginning of the display. */
  readonly text: string
  /** The value as `_bd` writes it; absent for a computed value, and for a value that `why` explains. */
  readonly image?: Uint8Array
  /** The image of the attributes, when there are any. */
  readonly attributes?: Uint8Array
  /** The reason why there is no image. */
  readonly why?: string
}

export interface Changes {
  /** True: `changed` has all variables, and earlier captures are void. */
  readonly anew: boolean
  /** True: more variables changed than the limits let into this answer. */
  readonly more: boolean
  readonly changed: readonly CapturedVariable[]
  readonly removed: readonly string[]
  readonly workspace: TreeSettings
}

/** Bytes of images at most: of one variable, of one answer, and of one variable that is captured now. Larger variables wait for a later answer. */
export interface CaptureLimits {
  readonly value: number
  readonly total: number
  readonly soon: number
}

export interface VariableToRestore {
  readonly path: string
  readonly image?: Uint8Array | undefined
  /** The text of a function, in place of an image. */
  readonly function?: string | undefined
  readonly attributes?: Uint8Array | undefined
}

export interface NotRestored {
  readonly path: string
  readonly why: string
}

/** Bytes are counted up to this multiple of the limit: the image of a list that shares its items may be far larger than memory. */
const COUNTED = 16

/** An error of K as the reason in `why`. */
const reason = (thrown: unknown): string => (thrown instanceof KError ? `${thrown.kname} ${thrown.hint}`.trimEnd() : String(thrown))

const throwFinal = (thrown: unknown): void => {
  if (thrown instanceof KError && thrown.isFinal) throw thrown
}

export class TreeCaptures {
  private tree: Tree | undefined
  /** The number of the last answer. The caller gives the number of the answer that it has. */
  private serial = 0
  private marked: TreeMark | undefined

  constructor(private readonly k: CaptureSource) {}

  /** The variables that changed since the answer numbered `since`, except restored ones. All variables when that was not the last answer. */
  capture(since: number, limits: CaptureLimits): Changes & { readonly serial: number } {
    const { tree } = this.k
    const anew = tree !== (this.tree ?? tree) || since !== this.serial
    // A capture drops the mark, since a mark holds values.
    this.marked = undefined
    this.tree = tree
    // Counted first: when the walk is interrupted, the next capture begins anew.
    const serial = ++this.serial
    if (anew) for (const cell of tree.root.everyCell()) cell.seen = cell.seenAttributes = undefined
    const changed: CapturedVariable[] = []
    const removed: string[] = []
    let room = limits.total
    let more = false
    let newWaits = false
    for (const cell of tree.root.everyCell()) {
      const attributes = cell.watch?.attributes
      if (cell.value === cell.seen && attributes === cell.seenAttributes) continue
      const value = cell.stored()
      if (value === cell.seen && attributes === cell.seenAttributes) continue
      const isGone = value === undefined && attributes === undefined
      const isBack = cell.seen === FORGOTTEN
      const isNew = isBack || cell.seen === undefined
      // The order of the names is that in which they are told: a new one does not pass another.
      const variable = isGone || (isNew && newWaits) ? undefined : this.variable(cell, value, limits, room)
      if (variable === undefined && !isGone) {
        more = true
        if (changed.length > 0) break
        newWaits ||= isNew
        continue
      }
      if (isGone || isBack) removed.push(cell.path)
      if (variable !== undefined) changed.push(variable)
      room -= variable?.image?.length ?? 0
      cell.seen = value
      cell.seenAttributes = attributes
    }
    return { serial, anew, more, changed, removed, workspace: workspaceOf(this.k) }
  }

  /** Variables whose image takes more than `most` bytes, so that no capture has it; without variables that were captured since they changed. */
  large(most: number): readonly { readonly path: string; readonly bytes: number }[] {
    const weighed = Array.from(this.k.tree.root.everyCell(), (cell) => {
      const value = cell.value === cell.seen ? undefined : cell.stored()
      return { cell, bytes: value === undefined ? 0 : imageSize(value, COUNTED * most) }
    })
    return weighed.filter(({ bytes }) => bytes > most).map(({ cell, bytes }) => ({ path: cell.path, bytes }))
  }

  /** `undefined` when the variable is left for a later answer. */
  private variable({ path, watch }: Cell, value: Value | undefined, limits: CaptureLimits, room: number): CapturedVariable | undefined {
    const attributes = watch?.attributes
    let bytes = 0
    let about = { path, type: 6, shape: "", text: "" }
    try {
      if (attributes !== undefined && imageSize(attributes, limits.value) > limits.value)
        throw new KError("limit", `its attributes take more than the ${limits.value} bytes that are kept`)
      const given = attributes === undefined ? {} : { attributes: imageOf(attributes) }
      if (value === undefined) return { ...about, ...given, bytes }
      bytes = imageSize(value, Math.min(COUNTED * limits.value, limits.soon))
      if (bytes > limits.soon) return undefined
      const fits = bytes <= limits.value
      if (fits && bytes > room && room < limits.total) return undefined
      about = { path, type: typeOf(value), shape: dimensions(value).join(" "), text: preview(value, this.k.precision), ...given }
      if (!fits) return { ...about, bytes, why: `its bytes, at least ${bytes}, are more than the ${limits.value} that are kept` }
      const why = missedByImage(value)
      return why === undefined ? { ...about, bytes, image: imageOf(value) } : { ...about, bytes, why }
    } catch (thrown) {
      throwFinal(thrown)
      return { ...about, bytes, why: `its image cannot be made: ${reason(thrown)}` }
    }
  }

  /**
   * Removes and restores variables; gives those that did not come back equal, which stay as they are. The workspace is given with the last call: only
   * then are dependencies computed again. An interrupt ends it; variables restored by then stay.
   */
  restore(
    given: readonly VariableToRestore[],
    workspace: TreeSettings | undefined,
    removed: readonly string[] = [],
  ): readonly NotRestored[] {
    const lost: NotRestored[] = []
    const attempt = (path: string, work: () => void): boolean => {
      try {
        work()
        return true
      } catch (thrown) {
        throwFinal(thrown)
        lost.push({ path, why: reason(thrown) })
        return false
      }
    }
    const { tree } = this.k
    for (const path of removed) tree.remove(path)
    const assigned = given.filter((variable) => attempt(variable.path, () => this.restoreValue(variable)))
    for (const { path, attributes } of assigned) if (attributes !== undefined) attempt(path, () => this.restoreAttributes(path, attributes))
    if (workspace === undefined) return lost
    tree.refollow()
    attempt("\\d", () => tree.enter(workspace.directory === "" ? "." : workspace.directory))
    setWorkspace(this.k, workspace, attempt)
    return lost
  }

  private restoreValue({ path, image, function: code }: VariableToRestore): void {
    const { tree } = this.k
    const cell = tree.cellAt(path)
    // Unless the value is restored, the next capture tells the present one.
    cell.seen = cell.seenAttributes = undefined
    const value = code !== undefined ? this.functionIn(cell, code) : image === undefined ? undefined : valueOf(image, this.k)
    if (image !== undefined && !isImageOf(image, value!)) throw new KError("differs", "what came back is not equal")
    cell.clear()
    // Without a value, the name may be that of a directory, whose variables are restored by themselves.
    if (value !== undefined || cell.home.children.get(cell.name.text)?.isEmpty === true) cell.home.close(cell.name.text)
    tree.cellAt(path).assign(value)
    // A function restored from text has no image yet: the next capture makes it.
    if (code === undefined) cell.seen = value
  }

  private restoreAttributes(path: string, image: Uint8Array): void {
    const value = valueOf(image, this.k)
    if (!(value instanceof Dict)) throw new KError("type", "attributes are a dictionary")
    const cell = this.k.tree.cellAt(path)
    cell.watched().attributes = value
    if (cell.value === undefined && cell.code("d") === undefined) cell.assign(NIL)
    cell.seenAttributes = value
  }

  private functionIn(cell: Cell, code: string): Value {
    const value = this.k.functionOf(code, cell.path.slice(0, cell.path.lastIndexOf(".")))
    if (!(value instanceof Func)) throw new KError("parse", "it is no function")
    return value
  }

  /** Remembers the state, by reference, until the next capture. */
  mark(): void {
    this.marked = markOf(this.k)
  }

  /** Goes back to the mark; a second call does nothing. */
  back(): void {
    const mark = this.marked
    this.marked = undefined
    if (mark !== undefined) goBack(this.k, mark)
  }
}
