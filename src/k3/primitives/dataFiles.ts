/**
 * Data files: `fd ff ff ff 01 00 00 00`, then a value as in its image (see `image.ts`).
 *
 * Guarantees: a written value reads back exactly. Appending to a vector or list costs only the new items when the end of the old ones is known: for
 * ints, floats and chars from their count, for others after this program has written the file or appended to it. If the program ends during such an
 * append, the file holds its old value. Otherwise the file is rewritten whole.
 */
import type { Host } from "../Host.ts"
import type { Kernel } from "../run/kernel.ts"
import { bytesIn } from "../run/fileBytes.ts"
import { KError } from "../run/KError.ts"
import { spread } from "../run/Results.ts"
import { collapse, count, EMPTY_LIST, INF_INT, isAtom, List, typeOf, type Value, type Vector } from "../values/value.ts"
import { imageAfter8 } from "../values/image.ts"
import { valueAfter8 } from "../values/imageReader.ts"
import { join } from "./join.ts"

const viewOf = (v: Uint8Array): DataView => new DataView(v.buffer, v.byteOffset, v.byteLength)

/** Does it begin like a data file? */
const isData = (view: DataView): boolean => view.byteLength >= 12 && view.getInt32(0, true) === -3 && view.getInt32(4, true) === 1

export const readData = (name: string, k: Kernel): Value => {
  const v = bytesIn(name, k.host)
  if (!isData(viewOf(v))) throw new KError("damaged", "not a K data file")
  return valueAfter8(v, k)
}

export const writeData = (name: string, x: Value, k: Kernel): void => {
  const v = imageAfter8(x)
  const view = viewOf(v)
  view.setInt32(0, -3, true)
  view.setInt32(4, 1, true)
  k.host.files.write(name, v)
  leave(name, v.length, k)
}

/** Offsets of type, count and items of a vector or list. */
const TYPE = 8
const COUNT = 12
const ITEMS = 16
/** Bytes of an item, for types whose items all have as many. */
const WIDTHS: Readonly<Record<number, number>> = { [-1]: 4, [-2]: 8, [-3]: 1 }

/** The sizes of files as this program left them, by folder and name: a file with that size ends with its last item. */
const left = new WeakMap<Host["files"], Map<string, number>>()
const keyOf = (name: string, k: Kernel): string => `${k.host.files.cd()}\n${name}`
const leave = (name: string, size: number, k: Kernel): void => {
  const { files } = k.host
  const sizes = left.get(files) ?? new Map<string, number>()
  left.set(files, sizes.set(keyOf(name, k), size))
}
const isAsLeft = (name: string, size: number, k: Kernel): boolean => left.get(k.host.files)?.get(keyOf(name, k)) === size

/** The new items as a vector or list of type t; undefined when joining gives another type. */
const alike = (t: number, x: Value): Vector | List | undefined => {
  if (t !== 0) return Math.abs(typeOf(x)) !== -t ? undefined : isAtom(x) ? collapse([x]) : x
  return isAtom(x) ? new List([x]) : spread(x)
}

/**
 * Appends items in place, and gives the new count; undefined when the file must be rewritten. The count is written last, and bytes after the counted
 * items are never read, so until then the file holds its old value.
 */
const grow = (name: string, size: number, x: Value, k: Kernel): number | undefined => {
  const head = viewOf(bytesIn(name, k.host, 0, ITEMS))
  if (head.byteLength < ITEMS || !isData(head)) return undefined
  const t = head.getInt32(TYPE, true)
  const n = head.getInt32(COUNT, true)
  const more = n <= 0 || t > 0 || t < -4 ? undefined : alike(t, x)
  if (more === undefined || n + more.v.length > INF_INT) return undefined
  const width = WIDTHS[t]
  const end = width === undefined ? size : ITEMS + n * width
  // A damaged file is left for reading to report; chars are followed by a NUL.
  if (width === undefined ? !isAsLeft(name, size, k) : size < (t === -3 ? end + 1 : end)) return undefined
  const items = imageAfter8(more).subarray(ITEMS)
  const counted = new Uint8Array(4)
  viewOf(counted).setInt32(0, n + more.v.length, true)
  k.host.files.patch(name, [
    { at: end, bytes: items },
    { at: COUNT, bytes: counted },
  ])
  leave(name, end + items.length, k)
  return n + more.v.length
}

/** Appends, and gives the new count of items; a missing file is made. */
export const appendData = (name: string, x: Value, k: Kernel): number => {
  const size = sizeOf(name, k)
  const grown = size === undefined ? undefined : grow(name, size, x, k)
  if (grown !== undefined) return grown
  const after = join(size === undefined ? EMPTY_LIST : readData(name, k), x)
  writeData(name, after, k)
  return count(after)
}

/** Undefined when there is no such file. */
const sizeOf = (name: string, k: Kernel): number | undefined => {
  try {
    return k.host.files.size(name)
  } catch (error) {
    if (error instanceof KError && error.kind === "absent") return undefined
    throw error
  }
}
