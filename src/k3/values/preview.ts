/** One line of a value, as the console shows it, cut. The cost does not grow with the value. */
import { display } from "./format.ts"
import { firstOf, partsOf } from "./Parts.ts"
import { Dict, isAtom, List, vector, type Value } from "./value.ts"

/** Characters of a preview. */
export const PREVIEW = 60

/** The part of a value that can be seen in a preview; `room` counts the items still to be shown. */
const head = (x: Value, room: { left: number }): Value => {
  if (x instanceof Dict) {
    room.left--
    const values: Value[] = []
    const attributes: Value[] = []
    for (let i = 0; i < x.keys.length && room.left > 0; i++) {
      values.push(head(x.values[i]!, room))
      attributes.push(head(x.attributes[i]!, room))
    }
    if (areSame(values, x.values) && areSame(attributes, x.attributes)) return x
    return new Dict(x.keys.slice(0, values.length), values, attributes)
  }
  const parts = partsOf(x)
  if (parts !== undefined) return head(firstOf(parts, PREVIEW), room)
  room.left--
  if (isAtom(x)) return x
  if (x.t === 0) {
    const kept: Value[] = []
    for (let i = 0; i < x.v.length && room.left > 0; i++) kept.push(head(x.v[i]!, room))
    return areSame(kept, x.v) ? x : new List(kept)
  }
  const n = Math.max(0, room.left)
  room.left -= x.v.length
  return x.v.length <= n ? x : vector(x.t, x.v.slice(0, n))
}

const areSame = (kept: readonly Value[], items: readonly Value[]): boolean =>
  kept.length === items.length && kept.every((x, i) => x === items[i])

export const preview = (x: Value, precision: number): string => {
  const small = head(x, { left: PREVIEW })
  const text = display(small, precision).replace(/\n */g, ";")
  return text.length > PREVIEW || small !== x ? `${text.slice(0, PREVIEW)}…` : text
}
