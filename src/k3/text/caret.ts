/**
 * A line with a caret below one of its columns, aligned on the screen.
 *
 * Guarantees: assumes the widths of usual terminals: wide characters (of East Asia, and emoji, also composed ones) take two columns, combining marks
 * none, and tabs stay tabs. Does not: ask the terminal for its widths.
 */
import { fromBytes } from "./utf8.ts"

/** The encoding of a string: UTF-16, or the language's own, a byte of UTF-8 in each char. */
interface Encoding {
  /** Matches every part of a character but the first. */
  readonly inside: RegExp
  readonly decoded: (text: string) => string
}

const unicode: Encoding = { inside: /[\udc00-\udfff]/, decoded: (text) => text }
export const utf8: Encoding = { inside: /[\x80-\xbf]/, decoded: fromBytes }

/** Characters of a line that are shown. */
const WIDTH = 120
/** Characters that take no column. */
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]$/u
/** Characters that make their whole grapheme two columns wide; U+FE0F asks for an emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\p{Emoji_Presentation}\ufe0f\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u
/** Katakana and Hangul of half width. */
const HALF = /[\uff61-\uffdc]/u

/** Made on first use, since making it takes longer than the rest of an error. */
let segmenter: Intl.Segmenter | undefined

/** Blanks as wide as the text. */
const blanks = (text: string): string => {
  if (/^[\x20-\x7e\t]*$/.test(text)) return text.replace(/[^\t]/g, " ")
  segmenter ??= new Intl.Segmenter()
  let out = ""
  for (const { segment } of segmenter.segment(text)) {
    if (segment === "\t") out += segment
    else if (WIDE.test(segment) && !HALF.test(segment)) out += "  "
    else for (const character of segment) if (!NONE.test(character)) out += " "
  }
  return out
}

/** Moves a cut back to the beginning of a character. */
const cut = (line: string, at: number, inside: RegExp): number => {
  let start = at
  while (start > 0 && start < line.length && inside.test(line[start]!)) start--
  return start
}

/** The line, cut around the column (from 1) when it is long, and the caret line. */
export const pointed = (
  line: string,
  column: number,
  { inside, decoded }: Encoding = unicode,
): { readonly source: string; readonly caret: string } => {
  const isLong = line.length > WIDTH
  const from = isLong ? cut(line, Math.max(0, Math.min(column - 1 - WIDTH / 2, line.length - WIDTH)), inside) : 0
  const to = isLong ? cut(line, from + WIDTH, inside) : line.length
  const head = from > 0 ? "…" : ""
  const before = blanks(decoded(line.slice(from, column - 1)))
  return {
    source: head + line.slice(from, to) + (to < line.length ? "…" : ""),
    caret: `${head === "" ? "" : " "}${before}^`,
  }
}
