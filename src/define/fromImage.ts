/**
 * Turns a K value, given as its image, into JSON. Pure.
 *
 * | K                               | JSON                                                        |
 * | ------------------------------- | ----------------------------------------------------------- |
 * | int, float                      | number; 0N and 0n null                                      |
 * | char, string, symbol            | text                                                        |
 * | nil                             | null                                                        |
 * | vector, list                    | array                                                       |
 * | dictionary                      | object                                                      |
 * | 0I, 0i and their negatives, functions, strings that are no UTF-8, dictionaries with attributes | text as K prints it |
 *
 * Guarantees: every valid image has JSON, with exact floats. A value that JSON cannot carry becomes its printed text, and a JSON pointer gives
 * its place. Does not: distinguish an int from a float of the same value, a char from a string of one char, or -0 from 0.
 */
import type { EngineKind } from "../engineKinds.ts"
import { type DictionaryItem, type Item, itemOf } from "../child/engines/image.ts"
import { itemText } from "../child/engines/imageText.ts"
import { bytesOf, k3csharpSymbol, utf8Of } from "../child/engines/letters.ts"
import { quoted } from "./toK.ts"

export interface FromK {
  readonly value: unknown
  /** JSON pointers to texts that stand for values which JSON cannot carry. */
  readonly printed: readonly string[]
}

const DEEPEST = 200

const pointer = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** Makes JSON of items, and collects the places of printed texts. */
class JsonWriter {
  private readonly path: (string | number)[] = []
  readonly printed: string[] = []

  constructor(private readonly engine: EngineKind) {}

  private asPrinted(text: string): string {
    this.printed.push(pointer(this.path))
    return text
  }

  private int(x: number): unknown {
    if (x === -(2 ** 31)) return null
    return Math.abs(x) === 2 ** 31 - 1 ? this.asPrinted(x > 0 ? "0I" : "-0I") : x
  }

  private float(x: number): unknown {
    if (Number.isNaN(x)) return null
    return Number.isFinite(x) ? x : this.asPrinted(x > 0 ? "0i" : "-0i")
  }

  private symbol(text: string): string {
    return this.engine === "k3csharp" ? k3csharpSymbol(text) : (utf8Of(text) ?? this.asPrinted(`\`${quoted(bytesOf(text))}`))
  }

  private each<A>(items: Iterable<A>, one: (item: A) => unknown): unknown {
    return Array.from(items, (item, i) => this.at(i, () => one(item)))
  }

  private at(step: string | number, tell: () => unknown): unknown {
    this.path.push(step)
    const found = tell()
    this.path.pop()
    return found
  }

  item(item: Item): unknown {
    switch (item.type) {
      case 1:
        return this.int(item.value)
      case 2:
        return this.float(item.value)
      case 3:
      case -3:
        // In K3CSharp's images a char is the code of a letter, not a byte of UTF-8.
        return utf8Of(item.text) ?? (this.engine === "k3csharp" ? item.text : this.asPrinted(itemText(item)))
      case 4:
        return this.symbol(item.text)
      case 6:
        return null
      case 10:
        return this.asPrinted(utf8Of(item.text) ?? item.text)
      case -1:
        return this.each(item.values, (x) => this.int(x))
      case -2:
        return this.each(item.values, (x) => this.float(x))
      case -4:
        return this.each(item.texts, (text) => this.symbol(text))
      case 0:
        return this.each(item.items, (each) => this.item(each))
      case 5:
        return item.items.every(({ items: [, , attributes] }) => attributes.type === 6) ? this.object(item) : this.asPrinted(itemText(item))
    }
  }

  private object({ items }: DictionaryItem): unknown {
    const entries = items.map(({ items: [name, value] }) => {
      const key = this.symbol(name.text)
      return [key, this.at(key, () => this.item(value))] as const
    })
    return Object.fromEntries(entries)
  }
}

/** Undefined for an invalid image. */
export const fromImage = (image: Uint8Array, engine: EngineKind): FromK | undefined => {
  const item = itemOf(image, DEEPEST)
  if (item === undefined) return undefined
  const writer = new JsonWriter(engine)
  return { value: writer.item(item), printed: writer.printed }
}
