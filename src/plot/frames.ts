/**
 * Messages between the server and the program that draws: JSON, then bytes. Pure.
 *
 * | bytes         | are                                                         |
 * | ------------- | ----------------------------------------------------------- |
 * | 4             | the length of the JSON, little-endian                       |
 * | that many     | JSON in UTF-8; its field `sizes` has the lengths of the bodies     |
 * | `sizes` each  | the bytes of a body                                         |
 */
import { joinedBytes } from "../joinedBytes.ts"
import type { PictureFacts, PictureRequest } from "./Picture.ts"

export interface DrawRequest {
  readonly request: PictureRequest
}

export type Answered =
  | ({ readonly kind: "picture"; readonly width: number; readonly height: number } & PictureFacts)
  /** The problem and the next step, in place of a picture. */
  | { readonly kind: "refused"; readonly problem: string; readonly next: string }

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** The beginning of a message; its bodies follow. */
export const headOf = (message: object, bodies: readonly Uint8Array[]): Uint8Array => {
  const json = utf8.encode(JSON.stringify({ ...message, sizes: bodies.map(({ length }) => length) }))
  const head = new Uint8Array(4 + json.length)
  new DataView(head.buffer).setUint32(0, json.length, true)
  head.set(json, 4)
  return head
}

export interface Message<A> {
  readonly message: A
  readonly bodies: readonly Uint8Array[]
}

/** Cuts chunks of bytes into messages. With `reuses`, the next message overwrites the bodies of the one before: fresh memory takes longer to fill. */
export class MessageReader<A extends object> {
  private head: Uint8Array = new Uint8Array(0)
  private message: (A & { readonly sizes: readonly number[] }) | undefined
  private body = new Uint8Array(0)
  private filled = 0
  /** The memory of earlier bodies, when it is reused. */
  private spare = new Uint8Array(0)

  constructor(private readonly reuses = false) {}

  /** The messages that this chunk completes. */
  feed(chunk: Uint8Array): readonly Message<A>[] {
    const found: Message<A>[] = []
    let rest = chunk
    do {
      rest = this.message === undefined ? this.takeHead(rest) : this.takeBody(rest)
      const { message } = this
      if (message !== undefined && this.filled === this.body.length) {
        found.push({ message, bodies: this.bodies(message.sizes) })
        this.message = undefined
        this.body = new Uint8Array(0)
        this.filled = 0
      }
    } while (rest.length > 0)
    return found
  }

  private takeHead(chunk: Uint8Array): Uint8Array {
    const joined = joinedBytes([this.head, chunk])
    const length = joined.length < 4 ? Infinity : new DataView(joined.buffer).getUint32(0, true)
    if (joined.length < 4 + length) {
      this.head = joined
      return new Uint8Array(0)
    }
    this.head = new Uint8Array(0)
    this.message = JSON.parse(text.decode(joined.subarray(4, 4 + length))) as A & { readonly sizes: readonly number[] }
    this.body = this.room(this.message.sizes.reduce((sum, size) => sum + size, 0))
    return joined.subarray(4 + length)
  }

  private room(size: number): Uint8Array<ArrayBuffer> {
    if (!this.reuses) return new Uint8Array(size)
    if (this.spare.length < size) this.spare = new Uint8Array(size)
    return this.spare.subarray(0, size)
  }

  private takeBody(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, this.body.length - this.filled)
    this.body.set(taken, this.filled)
    this.filled += taken.length
    return chunk.subarray(taken.length)
  }

  private bodies(sizes: readonly number[]): readonly Uint8Array[] {
    let at = 0
    return sizes.map((size) => this.body.subarray(at, (at += size)))
  }
}
