/**
 * Transfers images that are too long for one message in pieces: the image of a value, of a captured variable, and of a variable to restore.
 *
 * Guarantees: holds at most one image of each of the three, and frees it when its last piece was taken or its variable restored. A value's image
 * is separate from a capture's, since a capture may be interrupted between two pieces. Does not: know of what it is the image.
 */
import type { Changes, Variable } from "../k3/k3.ts"

const NOTHING = new Uint8Array(0)

/** A captured variable with its image, or with `inPieces` if `take` gives the image. */
export type Captured = Variable & { readonly inPieces?: true }

export class Pieces {
  private leaving: Uint8Array = NOTHING
  private arriving: Uint8Array = NOTHING
  private value: Uint8Array = NOTHING

  /** Sets the image of a value, which `lent` gives; it replaces an earlier one. */
  lend(image: Uint8Array | undefined): void {
    this.value = image ?? NOTHING
  }

  lent(from: number, to: number): Uint8Array {
    const piece = this.value.subarray(from, to)
    if (to >= this.value.length) this.value = NOTHING
    return piece
  }

  /** Removes an image of more than `most` bytes from a capture, for `take`. A capture has at most one such image. */
  without(changes: Changes, most: number): Omit<Changes, "changed"> & { readonly changed: readonly Captured[] } {
    const changed = changes.changed.map((each): Captured => {
      if (each.image === undefined || each.image.length <= most) return each
      const { image, ...rest } = each
      this.leaving = image
      return { ...rest, inPieces: true }
    })
    return { ...changes, changed }
  }

  take(from: number, to: number): Uint8Array {
    const piece = this.leaving.subarray(from, to)
    if (to >= this.leaving.length) this.leaving = NOTHING
    return piece
  }

  /** Takes a piece of an image to restore; `size`: bytes of the whole image. */
  give(piece: Uint8Array, at: number, size: number): void {
    if (at === 0) this.arriving = new Uint8Array(size)
    this.arriving.set(piece, at)
  }

  given(): Uint8Array {
    const { arriving } = this
    this.arriving = NOTHING
    return arriving
  }
}
