/** A value at a glance: one line of what the console would show, cut, at a cost that does not grow with the value. */
import { display } from "./format.ts"
import { collapse, Dict, isAtom, item, List, type Value, type Vector } from "./value.ts"

/** Characters of a preview. */
export const PREVIEW = 60

/** As much of a value as can show in a preview; `room` counts what is still wanted. */
const head = (x: Value, room: { left: number }): Value => {
  if (x instanceof Dict) {
    const kept: Value[] = []
    for (let i = 0; i < x.keys.length && room.left > 0; i++) kept.push(head(x.values[i]!, room))
    return kept.length === x.keys.length ? x : new Dict(x.keys.slice(0, kept.length), kept, x.attributes.slice(0, kept.length))
  }
  room.left--
  if (isAtom(x)) return x
  const { v } = x as Vector | List
  if (x instanceof List) {
    const kept: Value[] = []
    for (let i = 0; i < v.length && room.left > 0; i++) kept.push(head(x.v[i]!, room))
    return kept.every((y, i) => y === x.v[i]) && kept.length === v.length ? x : new List(kept)
  }
  const n = Math.max(0, room.left)
  room.left -= v.length
  return v.length <= n ? x : collapse(Array.from({ length: n }, (_, i) => item(x as Vector, i)))
}

/** A value in one line, cut. */
export const preview = (x: Value, precision: number): string => {
  const small = head(x, { left: PREVIEW })
  const text = display(small, precision).replace(/\n */g, ";")
  return text.length > PREVIEW || small !== x ? `${text.slice(0, PREVIEW)}…` : text
}
