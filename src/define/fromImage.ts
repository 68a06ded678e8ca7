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
import { type ByType, byType, type DictionaryItem, type Item, itemOf, type TextItem } from "../child/engines/image.ts"
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

  asPrinted(text: string): string {
    this.printed.push(pointer(this.path))
    return text
  }

  int(x: number): unknown {
    if (x === -(2 ** 31)) return null
    return Math.abs(x) === 2 ** 31 - 1 ? this.asPrinted(x > 0 ? "0I" : "-0I") : x
  }

  float(x: number): unknown {
    if (Number.isNaN(x)) return null
    return Number.isFinite(x) ? x : this.asPrinted(x > 0 ? "0i" : "-0i")
  }

  symbol(text: string): string {
    return this.engine === "k3csharp" ? k3csharpSymbol(text) : (utf8Of(text) ?? this.asPrinted(`\`${quoted(bytesOf(text))}`))
  }

  /** In K3CSharp's images a char is the code of a letter, not a byte of UTF-8. */
  string(item: TextItem): string {
    return utf8Of(item.text) ?? (this.engine === "k3csharp" ? item.text : this.asPrinted(itemText(item)))
  }

  each<A>(items: Iterable<A>, one: (item: A) => unknown): unknown {
    return Array.from(items, (item, i) => this.at(i, () => one(item)))
  }

  private at(step: string | number, tell: () => unknown): unknown {
    this.path.push(step)
    const found = tell()
    this.path.pop()
    return found
  }

  item(item: Item): unknown {
    return byType(forms, item, this)
  }

  object({ items }: DictionaryItem): unknown {
    const entries = items.map(({ items: [name, value] }) => {
      const key = this.symbol(name.text)
      return [key, this.at(key, () => this.item(value))] as const
    })
    return Object.fromEntries(entries)
  }
}

const forms: ByType<unknown, [writer: JsonWriter]> = {
  1: ({ value }, writer) => writer.int(value),
  2: ({ value }, writer) => writer.float(value),
  3: (item, writer) => writer.string(item),
  [-3]: (item, writer) => writer.string(item),
  4: ({ text }, writer) => writer.symbol(text),
  6: () => null,
  10: ({ text }, writer) => writer.asPrinted(utf8Of(text) ?? text),
  [-1]: ({ values }, writer) => writer.each(values, (x) => writer.int(x)),
  [-2]: ({ values }, writer) => writer.each(values, (x) => writer.float(x)),
  [-4]: ({ texts }, writer) => writer.each(texts, (text) => writer.symbol(text)),
  0: ({ items }, writer) => writer.each(items, (each) => writer.item(each)),
  5: (item, writer) =>
    item.items.every(({ items: [, , attributes] }) => attributes.type === 6) ? writer.object(item) : writer.asPrinted(itemText(item)),
}

/** Undefined for an invalid image. */
export const fromImage = (image: Uint8Array, engine: EngineKind): FromK | undefined => {
  const item = itemOf(image, DEEPEST)
  if (item === undefined) return undefined
  const writer = new JsonWriter(engine)
  return { value: writer.item(item), printed: writer.printed }
}
