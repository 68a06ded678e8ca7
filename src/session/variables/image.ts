/**
 * Reading just enough of a `_bd` image, printed as the integers of its bytes, to tell what is in it: how long it is and whether it holds functions.
 *
 * The layout is the one that `src/k3/primitives/image.ts` tells; what does not follow it counts as holding no function.
 */

export interface ImageFacts {
  readonly bytes: number
  readonly isFunction: boolean
  readonly holdsFunction: boolean
}

/** The bytes of an image written in integers, with whatever K is before them. */
export const bytesOf = (written: string): Uint8Array => Uint8Array.from(written.match(/\d+/g) ?? [], Number)

const FUNCTION = 10

/** Does the item at 8 hold a function? */
const searched = (bytes: Uint8Array): boolean => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 8
  let found = false
  const int = (): number => {
    at += 4
    return at <= bytes.length ? view.getInt32(at - 4, true) : 0
  }
  const text = (): void => {
    const end = bytes.indexOf(0, at)
    at = end < 0 ? bytes.length : end + 1
  }
  const item = (): void => {
    const type = int()
    if (type === FUNCTION) found = true
    if (found || at > bytes.length) return
    if (type === 4) return text()
    if (type === 2) at += 12
    else if (type === 1 || type === 3 || type === 6) at += 4
    else {
      const n = int()
      if (type === -1) at += 4 * n
      else if (type === -2) at += 8 * n
      else if (type === -3) at += n + 1
      else
        for (let i = 0; i < n && at < bytes.length; i++) {
          if (type === -4) text()
          else {
            item()
            at = (at + 7) & ~7
          }
        }
    }
  }
  item()
  return found
}

const typeOf = (bytes: Uint8Array): number => (bytes.length < 12 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getInt32(8, true))

export const isFunction = (image: Uint8Array): boolean => typeOf(image) === FUNCTION

export const read = (printed: string): ImageFacts => {
  const bytes = bytesOf(printed)
  return { bytes: bytes.length, isFunction: isFunction(bytes), holdsFunction: searched(bytes) }
}
