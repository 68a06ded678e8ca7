/** The items of a column as K prints them, cut to the size of a table's cell. Non-ASCII letters are shown as letters, not as escaped bytes. Pure. */
import type { EngineKind } from "../../engineKinds.ts"
import { type ByType, byType, type Item } from "./image.ts"
import { itemText, plainText } from "./imageText.ts"
import { k3csharpSymbol, utf8Of } from "./letters.ts"

const withLetters = (text: string): string =>
  text.replaceAll(/\\\\|(?:\\[23][0-7]{2})+/g, (escapes) =>
    escapes === "\\\\"
      ? escapes
      : (utf8Of(escapes.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))) ?? escapes),
  )

const bytes = new Uint8Array()

/** With seven digits, as K prints; a number that is greater keeps them all, since it would look whole, and -0.0 its sign. */
const rounded = (value: number): number => (value !== 0 && Math.abs(value) < 1e7 ? Number(value.toPrecision(7)) : value)

const shorter: Partial<ByType<Item>> = {
  2: (item) => ({ ...item, value: rounded(item.value) }),
  [-2]: (item) => ({ ...item, values: Float64Array.from(item.values, rounded) }),
  0: (item) => ({ ...item, items: item.items.map(inShort) }),
}

const inShort = (item: Item): Item => byType(shorter, item) ?? item

const itemsOf = (column: Item, engine: EngineKind): readonly Item[] => {
  switch (column.type) {
    case -1:
      return Array.from(column.values, (value) => ({ type: 1, value, bytes }))
    case -2:
      return Array.from(column.values, (value) => ({ type: 2, value, bytes }))
    case -3:
      return Array.from(column.text, (text) => ({ type: 3, text, bytes }))
    case -4:
      return column.texts.map((text) => ({ type: 4, text: engine === "k3csharp" ? k3csharpSymbol(text) : text, bytes }))
    case 0:
      return column.items
    default:
      return []
  }
}

/** `most`: characters of a cell. */
export const cellTexts = (column: Item, engine: EngineKind, most: number): readonly string[] =>
  itemsOf(column, engine).map((whole) => {
    const item = inShort(whole)
    const text = withLetters(plainText(item, ".k") ?? (item.type === 10 ? item.text : itemText(item)))
    return text.length > most ? `${text.slice(0, most)}…` : text
  })
