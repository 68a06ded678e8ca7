/** Characters of other languages and of word processors, and the K for each. */
import { fromBytes } from "./utf8.ts"

// prettier-ignore
const glyphs: ReadonlyMap<string, string> = new Map(Object.entries({
  "×": "*", "⋅": "*", "·": "*", "÷": "%", "−": "-", "–": "-", "—": "-", "√": "_sqrt", "π": "3.141592653589793", "∞": "0i, or 0I for ints",
  "≤": "~x>y", "≥": "~x<y", "≠": "~x=y", "≡": "~", "∧": "&", "∨": "|", "¬": "~", "∈": "_in", "∊": "_in",
  "←": ":", "⍴": "#", "⍳": "!", "⌽": "|", "⍉": "+", "⌊": "_", "⌈": "|, or -_-x for the ceiling", "⍋": "<", "⍒": ">", "∪": "?",
  "“": '"', "”": '"', "„": '"', "‘": '"', "’": '"', "«": '"', "»": '"',
}))

/** The K to write in place of a foreign character, which is text or its bytes in UTF-8; undefined when there is no sure answer. */
export const writtenInstead = (character: string): string | undefined => glyphs.get(character) ?? glyphs.get(fromBytes(character))
