/**
 * Reads an image (`_bd`) into items. Only this file of the server reads the bytes of images; `src/k3/values/image.ts` has their layout.
 *
 * Guarantees: reading ends for any bytes, and takes memory in proportion to them. Bytes that break the layout give undefined. Texts are byte
 * strings: each character stands for one byte. Does not: check the first eight bytes, or decode letters, which engines encode differently.
 */
import * as Result from "effect/Result"

interface Of<Type extends number> {
  /** The type code of `4:`, but 10 for a function. */
  readonly type: Type
  /** The item's own bytes, without padding. */
  readonly bytes: Uint8Array
}
export type Item = NumberItem | TextItem | Of<6> | FunctionItem | NumbersItem | SymbolsItem | ListItem | DictionaryItem
interface NumberItem extends Of<1 | 2> {
  readonly value: number
}
/** A char, a symbol or chars. */
export interface TextItem extends Of<3 | 4 | -3> {
  readonly text: string
}
interface FunctionItem extends Of<10> {
  /** The directory of its globals; empty when it has none, or for the root. */
  readonly directory: string
  readonly text: string
  /** A dictionary of the locals that it captured. */
  readonly captured: Item | undefined
}
interface NumbersItem extends Of<-1 | -2> {
  readonly values: Int32Array | Float64Array
}
interface SymbolsItem extends Of<-4> {
  readonly texts: readonly string[]
}
export interface ListItem extends Of<0> {
  readonly items: readonly Item[]
}
export interface DictionaryItem extends Of<5> {
  /** Lists of key, value and attributes. */
  readonly items: readonly EntryItem[]
}
interface EntryItem extends ListItem {
  readonly items: readonly [key: TextItem, value: Item, attributes: Item]
}

/** A table with a function for each type of item; `Rest` are the function's further arguments. */
export type ByType<Found, Rest extends readonly unknown[] = []> = {
  readonly [Type in Item["type"]]: (item: Item & { readonly type: Type }, ...rest: Rest) => Found
}

/** Calls the table's function for the item's type; undefined without one. */
export const byType = <Found, Rest extends readonly unknown[]>(
  table: Partial<ByType<Found, Rest>>,
  item: Item,
  ...rest: Rest
): Found | undefined => (table[item.type] as ((item: Item, ...rest: Rest) => Found) | undefined)?.(item, ...rest)

const FUNCTION = 10
/** A function with captured locals, in the embedded engine's images. */
const CLOSURE = 11
const headed = 8

const isEntry = (item: Item): item is EntryItem => item.type === 0 && item.items.length === 3 && item.items[0]!.type === 4

class Reader {
  private at = headed
  private readonly view: DataView

  constructor(
    private readonly bytes: Uint8Array,
    private readonly deepest: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  private int(): number {
    this.at += 4
    return this.view.getInt32(this.at - 4, true)
  }

  private float(): number {
    this.at += 8
    return this.view.getFloat64(this.at - 8, true)
  }

  /** The bytes up to `end` as text. Then skips `over` bytes. */
  private text(end: number, over: number): string {
    if (end < this.at || end + over > this.bytes.length) throw new RangeError("beyond its end")
    let text = ""
    for (let i = this.at; i < end; i++) text += String.fromCharCode(this.bytes[i]!)
    this.at = end + over
    return text
  }

  private untilNul(): string {
    return this.text(this.bytes.indexOf(0, this.at), 1)
  }

  /** The number of the following items of at least `size` bytes each. */
  private count(size: number): number {
    const n = this.int()
    if (n < 0 || this.at + n * size > this.bytes.length) throw new RangeError("more items than bytes")
    return n
  }

  /** The place of a vector's numbers of `size` bytes each: in the image itself when they are aligned, since copying may be large; else in a copy. */
  private numbers(size: number): readonly [buffer: ArrayBuffer, offset: number, length: number] {
    const n = this.count(size)
    const { buffer, byteOffset } = this.bytes
    const start = byteOffset + this.at
    this.at += n * size
    if (start % size === 0) return [buffer as ArrayBuffer, start, n]
    return [(buffer as ArrayBuffer).slice(start, start + n * size), 0, n]
  }

  private padded(depth: number): Item {
    const item = this.item(depth + 1)
    this.at = (this.at + 7) & ~7
    return item
  }

  item(depth: number): Item {
    if (depth > this.deepest) throw new RangeError("nested too deeply")
    const start = this.at
    const rest = this.rest(depth)
    return { ...rest, bytes: this.bytes.subarray(start, this.at) } as Item
  }

  private rest(depth: number) {
    const type = this.int()
    switch (type) {
      case 1:
        return { type, value: this.int() }
      case 2:
        this.int()
        return { type, value: this.float() }
      case 3:
        return { type, text: this.text(this.at + 1, 3) }
      case 4:
        return { type, text: this.untilNul() }
      case 6:
        this.int()
        return { type }
      case FUNCTION:
      case CLOSURE: {
        const [directory, text] = [this.untilNul(), this.untilNul()]
        return { type: FUNCTION, directory, text, captured: type === CLOSURE ? this.item(depth + 1) : undefined }
      }
      case -1:
        return { type, values: new Int32Array(...this.numbers(4)) }
      case -2:
        return { type, values: new Float64Array(...this.numbers(8)) }
      case -3: {
        const n = this.int()
        return { type, text: this.text(this.at + n, 1) }
      }
      case -4:
        return { type, texts: Array.from({ length: this.count(1) }, () => this.untilNul()) }
      case 0:
      case 5: {
        const items = Array.from({ length: this.count(8) }, () => this.padded(depth))
        if (type === 5 && !items.every(isEntry)) throw new RangeError("not a dictionary")
        return { type, items }
      }
      default:
        throw new RangeError(`no type ${type}`)
    }
  }
}

/** The item of an image; undefined for a malformed image, or nesting beyond `deepest`. */
export const itemOf = (image: Uint8Array, deepest = 1000): Item | undefined =>
  Result.getOrUndefined(Result.try(() => new Reader(image, deepest).item(0)))

/** The image of an item. */
export const imageOf = ({ bytes }: Pick<Item, "bytes">): Uint8Array => {
  const image = new Uint8Array(headed + bytes.length)
  image[0] = 1
  new DataView(image.buffer).setInt32(4, bytes.length, true)
  image.set(bytes, headed)
  return image
}

/** The image of an empty list or vector of a type; undefined for other types. */
export const emptyImage = (type: number): Uint8Array | undefined => {
  if (type > 0 || type < -4) return undefined
  // A char vector ends with NUL, an empty one too.
  const bytes = new Uint8Array(type === -3 ? 9 : 8)
  new DataView(bytes.buffer).setInt32(0, type, true)
  return imageOf({ bytes })
}

/** Whether an item, or an item in it, passes a test. */
export const holds = (item: Item, test: (item: Item) => boolean): boolean =>
  test(item) || ((item.type === 0 || item.type === 5) && item.items.some((each) => holds(each, test)))

export const holdsFunction = (item: Item): boolean => holds(item, ({ type }) => type === FUNCTION)

/** The type of the outermost item; 0 for bytes that are too short. */
const typeOf = (image: Uint8Array): number =>
  image.length < headed + 4 ? 0 : new DataView(image.buffer, image.byteOffset).getInt32(headed, true)

export const isFunction = (image: Uint8Array): boolean => typeOf(image) === FUNCTION

/** The bytes of an image that is written as integers; K text before them is skipped. */
export const imageBytes = (written: string): Uint8Array => {
  const bytes = new Uint8Array((written.length >> 1) + 1)
  let n = 0
  let number = -1
  for (let i = 0; i <= written.length; i++) {
    const digit = written.charCodeAt(i) - 48
    if (digit >= 0 && digit <= 9) number = (number < 0 ? 0 : 10 * number) + digit
    else if (number >= 0) {
      bytes[n++] = number
      number = -1
    }
  }
  return bytes.slice(0, n)
}

const counts: Partial<ByType<number>> = {
  [-1]: ({ values }) => values.length,
  [-2]: ({ values }) => values.length,
  [-3]: ({ text }) => text.length,
  [-4]: ({ texts }) => texts.length,
}

/** An empty vector, which K3CSharp reads as an empty list. */
const isEmptyVector = (item: Item): boolean => byType(counts, item) === 0

export interface ImageFacts {
  readonly item: Item | undefined
  readonly holdsEmpty: boolean
  readonly bytes: number
  readonly isFunction: boolean
  /** False also for an unreadable image. */
  readonly holdsFunction: boolean
}

/** Facts about an image that was printed as the integers of its bytes. */
export const read = (printed: string): ImageFacts => {
  const bytes = imageBytes(printed)
  const item = itemOf(bytes)
  return {
    item,
    bytes: bytes.length,
    isFunction: isFunction(bytes),
    holdsFunction: item !== undefined && holdsFunction(item),
    holdsEmpty: item !== undefined && holds(item, isEmptyVector),
  }
}
