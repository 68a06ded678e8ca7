/**
 * A value that describes its own picture: a dictionary with the data as `plot`, and any of `mark`, `x`, `y`, `color`, `title` beside it, such as
 * `.((`plot;!9);(`mark;`bar);(`title;"Nine"))`. Pure. A dictionary with any other entry is plain data.
 */
import type { EngineKind } from "../engineKinds.ts"
import { type Item, itemOf } from "../child/engines/image.ts"
import { textOf } from "./Column.ts"

const told = ["mark", "x", "y", "color", "title"] as const
type Said = Partial<Record<(typeof told)[number], string>>

export interface Described {
  readonly data: Item
  readonly said: Said
}

/** Levels of a value that is drawn. */
export const DEEPEST = 20

export const describedIn = (item: Item, engine: EngineKind): Described | undefined => {
  if (item.type !== 5) return undefined
  const entries = new Map(item.items.map(({ items: [key, value] }) => [key.text, value] as const))
  const data = entries.get("plot")
  const texts = told.flatMap((key) => {
    const given = entries.get(key)
    return given === undefined ? [] : [[key, textOf(given, engine)] as const]
  })
  const isKnown = texts.length + 1 === entries.size && texts.every(([, text]) => text !== undefined)
  return data !== undefined && isKnown ? { data, said: Object.fromEntries(texts) } : undefined
}

/** Is this the image of a value that describes its own picture? */
export const isDescribed = (image: Uint8Array, engine: EngineKind): boolean => {
  const item = itemOf(image, DEEPEST)
  return item !== undefined && describedIn(item, engine) !== undefined
}
