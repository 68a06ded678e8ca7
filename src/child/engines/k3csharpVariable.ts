/**
 * Reads one variable of a K3CSharp child by evaluating K: type, shape, the beginning of its printed text, and an exact image as an expression.
 *
 * Values that `_db` does not restore are kept as text: functions, which it returns without their code; empty vectors; and values with chars
 * beyond Latin-1, of which an image has only the lowest byte. Reading is slow (a second for a million ints), so it is limited. Measured on its
 * head of 2026-04-18.
 */
import * as Effect from "effect/Effect"
import type { Child, ChildEnded } from "../Child.ts"
import { type Item, read as readImage } from "./image.ts"
import { plainText } from "./imageText.ts"
import type { Variable } from "../Contents.ts"
import { k3csharpSymbol } from "./letters.ts"
import { text, whole } from "./ownRequests.ts"
import { isError } from "./k3csharpErrors.ts"
import { decoded, empties, mostBytes } from "./k3csharpForm.ts"
import { holdsChars, lettered, mayHoldWide } from "./k3csharpLetters.ts"
import { recall, type WrittenForms } from "./k3csharpWritten.ts"

export const tooLarge = `it takes more than the ${mostBytes} bytes that are read of a K3CSharp variable`
const previewed = 60
const mostItems = 30

/** Minimal bytes of an item, by type. */
const leastBytes: Readonly<Record<number, number>> = { 0: 8, [-1]: 4, [-2]: 8, [-3]: 1, [-4]: 2 }

/** The beginning of a printed text. `isPart`: there is more than is shown. */
export const cut = (shown: string, isPart = false): string => (isPart || shown.length > previewed ? `${shown.slice(0, previewed)}…` : shown)

export const symbols = (printed: string): readonly string[] =>
  printed
    .split("`")
    .slice(1)
    .map((name) => name.trim())

/** The keys in the output of `!`. */
const keys = (printed: string): readonly string[] => (isError(printed) ? [] : symbols(printed))

/** A key that needs quotes cannot be assigned. */
const isName = (key: string): boolean => /^[A-Za-z]\w*$/.test(key)

/** Names of the root that a new interpreter has. */
const own: ReadonlySet<string> = new Set(["k", "t"])

/**
 * The paths of all variables: in the directories of the root, and in the root itself. A directory with a key that is no name is one variable, a
 * dictionary. Without the interpreter's own `.t`.
 */
export const paths = Effect.fnUntraced(function* (child: Child): Effect.fn.Return<readonly string[], ChildEnded> {
  const tops = keys(yield* text(child, "!`")).filter(isName)
  const below = yield* Effect.forEach(tops, (top) => Effect.map(text(child, `!\`.${top}`), keys))
  return tops.flatMap((top, i) => {
    const found = below[i]!
    const isDirectory = own.has(top) || (found.length > 0 && found.every(isName))
    return isDirectory ? found.filter(isName).map((name) => `.${top}.${name}`) : [`.${top}`]
  })
})

/** The exact K text of a value for K3CSharp; undefined when there is none. */
const textOf = (item: Item): string | undefined => {
  const text = plainText(item, "")
  return text === undefined || /\p{Surrogate}/u.test(text) ? undefined : text
}

/** Why there is no image. For functions with an adverb, K3CSharp's message only names a class of its own. */
const whyNoImage = (error: string): string => {
  const said = error.trim().slice("Error: ".length, 200)
  return /Cannot convert K3CSharp\.\w*(?:Function|Verb|Adverb)\w*/.test(said)
    ? "K3CSharp makes no image of a function that is not written {…}"
    : `K3CSharp makes no image of it: ${said}`
}

const functionOf = (printed: string, written: WrittenForms): Pick<Variable, "image" | "why"> => {
  const text = recall(written, printed)
  return text === undefined
    ? { image: printed, why: "given back from its printed form, in which K3CSharp drops quotes and backquotes: look at it" }
    : { image: text }
}

/** The type of a value and the numbers of its items, which one request gives. */
interface Size {
  readonly type: number
  /** The output of `^`. */
  readonly axes: string
  readonly count: number
}

/** Undefined when the variable does not exist. */
export const measured = Effect.fnUntraced(function* (child: Child, path: string): Effect.fn.Return<Size | undefined, ChildEnded> {
  const facts = /^\((-?\d+);(.*);(\d+)\)$/.exec(yield* text(child, `(4:${path};^${path};#${path})`))
  return facts === null ? undefined : { type: Number(facts[1]), axes: facts[2]!, count: Number(facts[3]) }
})

/** Minimal bytes of the image. */
export const leastBytesOf = ({ type, count }: Size): number => count * (leastBytes[type] ?? 0)

/** Reads a variable. Empty when it does not exist; a dictionary with functions becomes a variable for each entry, and for its attributes. */
export const readVariable = Effect.fnUntraced(function* (
  child: Child,
  path: string,
  written: WrittenForms,
): Effect.fn.Return<readonly Variable[], ChildEnded> {
  const size = yield* measured(child, path)
  if (size === undefined) return []
  const { type, axes, count } = size
  const shape = type > 0 || axes === "!0" ? "" : axes.replace(",", "")
  const isLong = type <= 0 && count > mostItems
  const beginning = yield* text(child, isLong ? `${mostItems}#${path}` : path)
  const about = { path, type, shape, bytes: 0, text: cut(beginning) }
  const inexact = (why: string, bytes = 0) => [{ ...about, text: cut(beginning, isLong), bytes, why }]

  const least = leastBytesOf(size)
  if (least > mostBytes) return inexact(tooLarge, least)
  if (type < 0 && count === 0) return [{ ...about, type: empties.get(about.text) ?? type, image: about.text }]
  const printed = yield* whole(child, `_ic _bd ${path}`)
  if (printed === undefined) return inexact(tooLarge)
  if (isError(printed)) return inexact(whyNoImage(printed))
  const { item, bytes, isFunction, holdsFunction } = readImage(printed)
  if (isFunction) {
    const shown = isLong ? yield* text(child, path) : beginning
    return [{ ...about, type: 7, shape: "", bytes, ...functionOf(shown, written) }]
  }
  if (!holdsFunction) {
    if (bytes > mostBytes) return inexact(tooLarge, bytes)
    if (item === undefined || !holdsChars(item)) return [{ ...about, bytes, image: decoded + printed }]
    const shown = isLong ? ((yield* whole(child, path)) ?? "") : beginning
    const isWide = mayHoldWide(shown)
    const letters = lettered(item, shown) ?? (isWide ? undefined : item)
    const asText = letters && textOf(letters)
    if (isWide && asText === undefined) return inexact("K3CSharp does not bring back its letters beyond Latin-1", bytes)
    return [{ ...about, bytes, image: asText !== undefined && isWide ? asText : decoded + printed }]
  }
  if (item?.type !== 5) return inexact("K3CSharp does not bring back functions in a list", bytes)
  const without = (place: string, item: Item, why: string): Variable => ({
    path: place,
    type: item.type,
    shape: "",
    bytes: item.bytes.length,
    text: cut(plainText(item, "") ?? ""),
    why,
  })
  return (yield* Effect.forEach(
    item.items,
    Effect.fnUntraced(function* ({ items: [key, value, attributes] }): Effect.fn.Return<readonly Variable[], ChildEnded> {
      if (!isName(key.text))
        return [without(`${path}.${JSON.stringify(k3csharpSymbol(key.text))}`, value, "K3CSharp assigns no entry whose key is not a name")]
      const found = yield* readVariable(child, `${path}.${key.text}`, written)
      if (attributes.type === 6) return found
      return [...found, without(`${path}.${key.text}.`, attributes, "K3CSharp does not bring back attributes beside functions")]
    }),
  )).flat()
})
