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
import { bytesOf, type DictionaryItem, type EntryItem, type Item, itemOf } from "../../child/engines/image.ts"
import { kindOf } from "../../child/engines/kinds.ts"
import type { Entry } from "../../child/engines/Listing.ts"

const mostOne = 256 * 1024
const mostAll = 4 * 1024 ** 2
const deepest = 100
/** Characters of an excerpt, and how many of them precede the match. */
const shown = 80
const lead = 20

export interface Found {
  readonly entries: readonly Entry[]
  readonly unread: number
}

/** The value of an image; undefined when the image is text or not readable. */
const itemIn = (image: string): Item | undefined => {
  if (image.startsWith("{")) return undefined
  const bytes = image.startsWith("_db ") ? bytesOf(image) : Result.getOrUndefined(Base64.decode(image))
  return bytes && itemOf(bytes, deepest)
}

const textsIn = (item: Item): readonly string[] => {
  switch (item.type) {
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

const isDictionary = (item: Item): item is DictionaryItem => item.type === 5

const excerpt = (text: string, at: number): string => {
  const from = Math.max(0, at - lead)
  const part = text.slice(from, from + shown).replaceAll(/\s+/g, " ")
  return `${from > 0 ? "…" : ""}${part}${from + shown < text.length ? "…" : ""}`
}

const typeIn = ({ type }: Item): number => (type === 10 ? 7 : type)

export const findIn = (variables: ReadonlyMap<string, Variable>, wanted: string): Found => {
  const text = wanted.toLowerCase()
  const at = (within: string): number => within.toLowerCase().indexOf(text)
  const entries: Entry[] = []
  let left = mostAll
  let unread = 0

  const add = (path: string, type: number, shape: string, preview: string): void =>
    void entries.push({ name: path, type, kind: kindOf(type), shape, preview })

  /** Searches a value. A match belongs to the nearest enclosing name. */
  const search = (path: string, item: Item): { readonly preview: string } | undefined => {
    let own: { readonly preview: string } | undefined
    const visit = (value: Item): void => {
      if (isDictionary(value)) return
      for (const each of textsIn(value)) {
        const found = own === undefined ? at(each) : -1
        if (found >= 0) own = { preview: excerpt(each, found) }
      }
      if (value.type === 0) for (const each of value.items) visit(each)
    }
    visit(item)
    if (isDictionary(item)) for (const { items } of item.items) entry(path, items)
    return own
  }
  const entry = (path: string, [key, value]: EntryItem["items"]): void => {
    const name = `${path}.${key.text}`
    const own = search(name, value)
    if (own !== undefined || at(key.text) >= 0) add(name, typeIn(value), "", own?.preview ?? "")
  }

  for (const { path, type, shape, text: printed, image } of [...variables.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const isRead = image === undefined || (image.length <= mostOne && image.length <= left)
    if (!isRead) unread++
    else left -= image?.length ?? 0
    const item = isRead && image !== undefined ? itemIn(image) : undefined
    const place = entries.length
    const own = item === undefined ? undefined : search(path, item)
    const plain = item === undefined && isRead && image?.startsWith("{") === true ? image : printed
    const found = own === undefined && (item === undefined || item.type !== 5) ? at(plain) : -1
    if (own === undefined && found < 0 && at(path) < 0) continue
    const preview = own?.preview ?? (found >= 0 ? excerpt(plain, found) : printed)
    entries.splice(place, 0, { name: path, type, kind: kindOf(type), shape, preview })
  }
  return { entries, unread }
}
