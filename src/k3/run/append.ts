/**
 * `x,:y` without copying x, so that appending in a loop takes time in proportion to the items appended.
 *
 * A vector that grows and is not short gets a buffer with spare room. The buffer records how much of it is taken. The longest vector in a buffer may
 * be appended to in place, even when others hold it: the result is a longer view of the buffer, and holders of the shorter view never see the rest. A
 * list has no such views, and is appended to in place only when its variable owns it.
 *
 * Does not: decide who owns a value; `ownership.ts` does. With ownership off, nothing is appended in place.
 */
import { alloc, itemsOf, push, tick, transfer } from "./budget.ts"
import { extended } from "./extend.ts"
import { isOff } from "../values/ownership.ts"
import { AT_HOME, count, isAtom, List, stored, typeOf, vector, vectorOf, type Value, type Vector } from "../values/value.ts"

/** A buffer with spare room; `taken` counts the items in use. */
interface Room extends ArrayBuffer {
  taken?: number
}

/** Bytes announced for an item appended to a list: a reference, and a part of the value it refers to. */
const ITEM = 32

/** `x,y` for a variable that holds x; `own`: it is the only holder. `undefined` when the types do not allow appending. */
export const append = (x: Value, own: boolean, y: Value): Value | undefined => {
  if (isAtom(x) || isOff()) return undefined
  if (x.t === 0) return x.v.length === 0 ? undefined : appendToList(x, own, y)
  if (isAtom(y)) {
    if (typeOf(y) !== -x.t) return undefined
    const v = grown(x, 1)
    v[v.length - 1] = stored(y)
    return vector(x.t, v)
  }
  if (y.t !== x.t) return undefined
  const v = grown(x, y.v.length)
  transfer(v, x.v.length, y.v)
  return vector(x.t, v)
}

const appendToList = (x: List, own: boolean, y: Value): List => {
  const n = count(y)
  alloc(ITEM * n)
  // An interrupt in between leaves a copy unfinished, not the list.
  const list = own && n <= AT_ONCE ? x : new List(itemsOf(x.v))
  for (let i = 0; i < n; i++) {
    if (n > AT_ONCE) tick()
    push(list.v, extended(y, i))
  }
  return list
}

/** Items appended without a step in between. */
const AT_ONCE = 8192

/** The vector's items with room for `extra` more after them, in its own buffer when that has room. */
const grown = ({ t, v }: Vector, extra: number): Vector["v"] => {
  const n = v.length + extra
  const size = v.BYTES_PER_ELEMENT
  const room: Room | undefined = v.byteLength > AT_HOME ? (v.buffer as ArrayBuffer) : undefined
  if (room?.taken === v.length && room.byteLength >= n * size) {
    room.taken = n
    return size === 1 ? new Uint8Array(room, 0, n) : size === 4 ? new Int32Array(room, 0, n) : new Float64Array(room, 0, n)
  }
  // Twice the size for a buffer that has grown before, a little more for a first one: most vectors are appended to once.
  const length = n * size <= AT_HOME ? n : room?.taken === undefined ? n + 16 + (n >> 3) : n * 2
  const wider = transfer(vectorOf(t, length).v, 0, v)
  if (length === n) return wider
  ;(wider.buffer as Room).taken = n
  return wider.subarray(0, n)
}
