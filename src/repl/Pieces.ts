/**
 * Transfers images that are too long for one message in pieces: the image of a value, of a captured variable, and of a variable to restore.
 *
 * Guarantees: holds at most one image of each of the three, and frees it when its last piece was taken or its variable restored. A value's image
 * is separate from a capture's, since a capture may be interrupted between two pieces. Does not: know the value of an image.
 */
import type { Changes, CapturedVariable } from "../k3/k3.ts"

const NOTHING = new Uint8Array(0)

/** A captured variable with its image, or with `inPieces` if the image leaves in pieces. */
export type CapturedImage = CapturedVariable & { readonly inPieces?: true }

/** An image that leaves in pieces. */
class Leaving {
  private image: Uint8Array = NOTHING

  /** Replaces an earlier image. */
  set(image: Uint8Array | undefined): void {
    this.image = image ?? NOTHING
  }

  take(from: number, to: number): Uint8Array {
    const piece = this.image.subarray(from, to)
    if (to >= this.image.length) this.image = NOTHING
    return piece
  }
}

export class Pieces {
  readonly value = new Leaving()
  readonly captured = new Leaving()
  private arriving: Uint8Array = NOTHING

  /** Removes an image of more than `most` bytes from a capture, for `captured`. A capture has at most one such image. */
  without(changes: Changes, most: number): Omit<Changes, "changed"> & { readonly changed: readonly CapturedImage[] } {
    const changed = changes.changed.map((each): CapturedImage => {
      if (each.image === undefined || each.image.length <= most) return each
      const { image, ...rest } = each
      this.captured.set(image)
      return { ...rest, inPieces: true }
    })
    return { ...changes, changed }
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
