/** Characters of other languages and of word processors, and the K for each. */

// prettier-ignore
const glyphs: ReadonlyMap<string, string> = new Map(Object.entries({
  "×": "*", "⋅": "*", "·": "*", "÷": "%", "−": "-", "–": "-", "—": "-", "√": "_sqrt", "π": "3.141592653589793", "∞": "0i, or 0I for ints",
  "≤": "~x>y", "≥": "~x<y", "≠": "~x=y", "≡": "~", "∧": "&", "∨": "|", "¬": "~", "∈": "_in", "∊": "_in",
  "←": ":", "⍴": "#", "⍳": "!", "⌽": "|", "⍉": "+", "⌊": "_", "⌈": "|, or -_-x for the ceiling", "⍋": "<", "⍒": ">", "∪": "?",
  "“": '"', "”": '"', "„": '"', "‘": '"', "’": '"', "«": '"', "»": '"',
}))

/** The character of a string that is either text or the bytes of UTF-8. */
const decoded = (character: string): string => {
  try {
    return decodeURIComponent(Array.from(character, (c) => `%${c.charCodeAt(0).toString(16)}`).join(""))
  } catch {
    return character
  }
}

/** The K to write in place of a foreign character; undefined when there is no sure answer. */
export const writtenInstead = (character: string): string | undefined => glyphs.get(character) ?? glyphs.get(decoded(character))
