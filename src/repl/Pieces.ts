/**
 * Images that are too long for one message, on their way out of the interpreter or into it.
 *
 * Guarantees: one image each way at a time, and its memory is free when its last piece was taken, or when it was given back; a value's
 * leaves beside a capture's, since a capture may be interrupted between two pieces. Does not: know of what it is the image.
 */
import type { Changes, Variable } from "../k3/k3.ts"

const NOTHING = new Uint8Array(0)

/** A variable as it is told: with its image, or with word that it comes in pieces. */
export type Told = Variable & { readonly inPieces?: true }

export class Pieces {
  private leaving: Uint8Array = NOTHING
  private arriving: Uint8Array = NOTHING
  private value: Uint8Array = NOTHING

  /** The image of a value, to be taken by `lent`; it takes the place of one before. */
  lend(image: Uint8Array | undefined): void {
    this.value = image ?? NOTHING
  }

  lent(from: number, to: number): Uint8Array {
    const piece = this.value.subarray(from, to)
    if (to >= this.value.length) this.value = NOTHING
    return piece
  }

  /** An answer without an image of more than `most` bytes; that one is there to be taken. A capture has no more than one. */
  without(changes: Changes, most: number): Omit<Changes, "changed"> & { readonly changed: readonly Told[] } {
    const changed = changes.changed.map((each): Told => {
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

  /** `size`: bytes of the whole image. */
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
