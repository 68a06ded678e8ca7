/**
 * `x,:y` without copying what is there already, so that appending in a loop takes time in proportion to the items appended.
 *
 * A vector that grows, and is not short, gets a buffer with room to spare, which remembers how much of it is taken. The longest of the
 * vectors in a buffer may be appended to where it lies, whoever else holds it: what comes out is another view of the buffer, and who holds
 * the shorter one never sees the rest.
 * A list has no such views, and is appended to in place only when the caller alone holds it.
 * Does not: decide who owns a value: `ownership.ts` does, with which off nothing is appended to in place.
 */
import { alloc, itemsOf, push, tick, transfer } from "./budget.ts"
import { extended } from "./extend.ts"
import { isOff } from "../values/ownership.ts"
import { AT_HOME, Chars, count, Floats, Ints, List, Symbols, type Value } from "../values/value.ts"

type Buffer = Int32Array | Float64Array | Uint8Array

/** A buffer that a vector has grown into: so many of its items are taken. */
interface Room extends ArrayBuffer {
  taken?: number
}

/** What the list, with what may be appended to it at once, costs: items are references to something. */
const ITEM = 32

/** `x,y` for a variable that holds x, alone if `own`. `undefined` when the types do not let it. */
export const append = (x: Value, own: boolean, y: Value): Value | undefined => {
  if (typeof x === "number" || isOff()) return undefined
  switch (x.t) {
    case -1: {
      if (typeof y !== "number" && y.t !== -1) return undefined
      const v = grown(x.v, typeof y === "number" ? 1 : y.v.length, (n) => new Int32Array(n)) as Int32Array
      if (typeof y === "number") v[v.length - 1] = y
      else transfer(v, x.v.length, y.v)
      return new Ints(v)
    }
    case -2: {
      if (typeof y === "number" || (y.t !== -2 && y.t !== 2)) return undefined
      const v = grown(x.v, y.t === 2 ? 1 : y.v.length, (n) => new Float64Array(n)) as Float64Array
      if (y.t === 2) v[v.length - 1] = y.v
      else transfer(v, x.v.length, y.v)
      return new Floats(v)
    }
    case -3: {
      if (typeof y === "number" || (y.t !== -3 && y.t !== 3)) return undefined
      const v = grown(x.v, y.t === 3 ? 1 : y.v.length, (n) => new Uint8Array(n)) as Uint8Array
      if (y.t === 3) v[v.length - 1] = y.v
      else transfer(v, x.v.length, y.v)
      return new Chars(v)
    }
    case -4: {
      if (typeof y === "number" || (y.t !== -4 && y.t !== 4)) return undefined
      const v = grown(x.v, y.t === 4 ? 1 : y.v.length, (n) => new Int32Array(n)) as Int32Array
      if (y.t === 4) v[v.length - 1] = y.id
      else transfer(v, x.v.length, y.v)
      return new Symbols(v)
    }
    case 0:
      return x.v.length === 0 ? undefined : appendToList(x, own, y)
    default:
      return undefined
  }
}

const appendToList = (x: List, own: boolean, y: Value): List => {
  const n = count(y)
  alloc(ITEM * n)
  // Where an interrupt may come in between, a copy is what it leaves unfinished.
  const list = own && n <= AT_ONCE ? x : new List(itemsOf(x.v))
  for (let i = 0; i < n; i++) {
    if (n > AT_ONCE) tick()
    push(list.v, extended(y, i))
  }
  return list
}

/** Items appended between two looks at the budget. */
const AT_ONCE = 8192

/** The vector made longer by `extra` items, within its own buffer when that has room behind it. */
const grown = (v: Buffer, extra: number, make: (length: number) => Buffer): Buffer => {
  const n = v.length + extra
  const size = v.BYTES_PER_ELEMENT
  if (n * size <= AT_HOME) {
    const longer = make(n)
    transfer(longer, 0, v)
    return longer
  }
  const room: Room | undefined = v.byteLength > AT_HOME ? (v.buffer as ArrayBuffer) : undefined
  if (room !== undefined && room.taken === v.length && room.byteLength >= n * size) {
    room.taken = n
    return size === 1 ? new Uint8Array(room, 0, n) : size === 4 ? new Int32Array(room, 0, n) : new Float64Array(room, 0, n)
  }
  // Twice the size where it has grown before, else little: most vectors are appended to once.
  const length = room?.taken === undefined ? n + 16 + (n >> 3) : n * 2
  alloc(length * size)
  const wider = make(length)
  transfer(wider, 0, v)
  ;(wider.buffer as Room).taken = n
  return wider.subarray(0, n)
}
