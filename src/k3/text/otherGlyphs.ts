/** Characters that other languages and word processors write, and what K has for them. */

// prettier-ignore
const glyphs: ReadonlyMap<string, string> = new Map(Object.entries({
  "×": "*", "⋅": "*", "·": "*", "÷": "%", "−": "-", "–": "-", "—": "-", "√": "_sqrt", "π": "3.141592653589793", "∞": "0i, or 0I for ints",
  "≤": "~x>y", "≥": "~x<y", "≠": "~x=y", "≡": "~", "∧": "&", "∨": "|", "¬": "~", "∈": "_in", "∊": "_in",
  "←": ":", "⍴": "#", "⍳": "!", "⌽": "|", "⍉": "+", "⌊": "_", "⌈": "|, or -_-x for the ceiling", "⍋": "<", "⍒": ">", "∪": "?",
  "“": '"', "”": '"', "„": '"', "‘": '"', "’": '"', "«": '"', "»": '"',
}))

/** As text of characters, or of the bytes of UTF-8. */
const decoded = (character: string): string => {
  try {
    return decodeURIComponent(Array.from(character, (c) => `%${c.charCodeAt(0).toString(16)}`).join(""))
  } catch {
    return character
  }
}

/** What to write in place of a character that is not K's; undefined where nothing is sure. */
export const writtenInstead = (character: string): string | undefined => glyphs.get(character) ?? glyphs.get(decoded(character))
