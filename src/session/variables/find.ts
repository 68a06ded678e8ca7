/**
 * Searches captured variables for a text in names, functions, strings and symbols, entries of dictionaries included. Pure.
 *
 * Guarantees: upper and lower case are the same. Each place is listed once, with its path. Does not: search inside a value of more than
 * `mostOne` bytes, or beyond `mostAll` bytes of values in total. Of such a value only the name and the start of its printed text are searched;
 * `unread` counts them.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { Variable } from "../../child/Contents.ts"
import { imageBytes, type Item, itemOf } from "../../child/engines/image.ts"
import { kindOf } from "../../child/engines/kinds.ts"
import type { ListedName } from "../../child/engines/Listing.ts"

const mostOne = 256 * 1024
const mostAll = 4 * 1024 ** 2
const deepest = 100
/** Characters of an excerpt, and how many of them precede the match. */
const shown = 80
const lead = 20

export interface FoundVariables {
  readonly entries: readonly ListedName[]
  readonly unread: number
}

/** The value of an image; undefined when the image is text or not readable. */
const itemIn = (image: string): Item | undefined => {
  if (image.startsWith("{")) return undefined
  const bytes = image.startsWith("_db ") ? imageBytes(image) : Result.getOrUndefined(Base64.decode(image))
  return bytes && itemOf(bytes, deepest)
}

/** The texts in a value. Those of a dictionary belong to its entries. */
const textsIn = (item: Item): readonly string[] => {
  switch (item.type) {
    case 0:
      return item.items.flatMap(textsIn)
    case 3:
    case 4:
    case -3:
    case 10:
      return [item.text]
    case -4:
      return item.texts
    default:
      return []
  }
}

const excerpt = (text: string, at: number): string => {
  const from = Math.max(0, at - lead)
  const part = text.slice(from, from + shown).replaceAll(/\s+/g, " ")
  return `${from > 0 ? "…" : ""}${part}${from + shown < text.length ? "…" : ""}`
}

const typeIn = ({ type }: Item): number => (type === 10 ? 7 : type)

export const findIn = (variables: ReadonlyMap<string, Variable>, wanted: string): FoundVariables => {
  const text = wanted.toLowerCase()
  const at = (within: string): number => within.toLowerCase().indexOf(text)
  const entries: ListedName[] = []
  let left = mostAll
  let unread = 0

  /** An excerpt of the first of these texts that matches. */
  const match = (texts: readonly string[]): string | undefined => {
    const found = texts.find((each) => at(each) >= 0)
    return found === undefined ? undefined : excerpt(found, at(found))
  }

  /** Lists the matching entries of a dictionary. Gives an excerpt for a match elsewhere, which belongs to the nearest enclosing name. */
  const search = (path: string, item: Item): string | undefined => {
    for (const { items } of item.type === 5 ? item.items : []) {
      const [key, value] = items
      const name = `${path}.${key.text}`
      const preview = search(name, value)
      const type = typeIn(value)
      if (preview !== undefined || at(key.text) >= 0) entries.push({ name, type, kind: kindOf(type), shape: "", preview: preview ?? "" })
    }
    return match(textsIn(item))
  }

  for (const { path, type, shape, text: printed, image } of [...variables.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const isRead = image === undefined || (image.length <= mostOne && image.length <= left)
    if (!isRead) unread++
    else left -= image?.length ?? 0
    const item = isRead && image !== undefined ? itemIn(image) : undefined
    const place = entries.length
    const own = item && search(path, item)
    const plain = item === undefined && isRead && image?.startsWith("{") === true ? image : printed
    const found = own ?? (item?.type === 5 ? undefined : match([plain]))
    if (found === undefined && at(path) < 0) continue
    entries.splice(place, 0, { name: path, type, kind: kindOf(type), shape, preview: found ?? printed })
  }
  return { entries, unread }
}
