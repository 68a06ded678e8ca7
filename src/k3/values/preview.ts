/** One line of a value, as the console shows it, cut. The cost does not grow with the value. */
import { display } from "./format.ts"
import { firstOf, piecesOf } from "./Strings.ts"
import { Dict, isAtom, List, vector, type Value } from "./value.ts"

/** Characters of a preview. */
export const PREVIEW = 60

/** The part of a value that can show in a preview; `room` counts the items still wanted. */
const head = (x: Value, room: { left: number }): Value => {
  if (x instanceof Dict) {
    const kept = heads(x.values, room)
    return kept.length === x.keys.length ? x : new Dict(x.keys.slice(0, kept.length), kept, x.attributes.slice(0, kept.length))
  }
  const pieces = piecesOf(x)
  if (pieces !== undefined) return head(firstOf(pieces, PREVIEW), room)
  room.left--
  if (isAtom(x)) return x
  if (x.t === 0) {
    const kept = heads(x.v, room)
    return kept.length === x.v.length && kept.every((y, i) => y === x.v[i]) ? x : new List(kept)
  }
  const n = Math.max(0, room.left)
  room.left -= x.v.length
  return x.v.length <= n ? x : vector(x.t, x.v.slice(0, n))
}

const heads = (items: readonly Value[], room: { left: number }): Value[] => {
  const kept: Value[] = []
  for (let i = 0; i < items.length && room.left > 0; i++) kept.push(head(items[i]!, room))
  return kept
}

/** A value in one line, cut. */
export const preview = (x: Value, precision: number): string => {
  const small = head(x, { left: PREVIEW })
  const text = display(small, precision).replace(/\n */g, ";")
  return text.length > PREVIEW || small !== x ? `${text.slice(0, PREVIEW)}…` : text
}
