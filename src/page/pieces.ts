/** Cuts K code into coloured pieces: the interpreter's scanner finds strings, comments and brackets, and the look of words decides the rest. Pure. */
import { parts } from "../k3/text/scan.ts"

type Colour = "comment" | "string" | "symbol" | "number" | "system" | "bracket" | "plain"

export interface ColouredPiece {
  readonly colour: Colour
  readonly start: number
  readonly end: number
}

/** A symbol, a number that no name precedes, or a system name. */
const words = /(`(?:[A-Za-z.][\w.]*)?)|((?<![\w.])-?(?:0[NI]|\d+\.?\d*(?:e[-+]?\d+)?|\.\d+))|((?<![\w.)\]}])_[a-zA-Z]\w*)/g

const inCode = (text: string, start: number, end: number): readonly ColouredPiece[] => {
  const found: ColouredPiece[] = []
  let from = start
  const plain = (to: number): void => void (from < to && found.push({ colour: "plain", start: from, end: to }))
  for (const match of text.slice(start, end).matchAll(words)) {
    const at = start + match.index
    plain(at)
    from = at + match[0].length
    found.push({ colour: match[1] !== undefined ? "symbol" : match[2] !== undefined ? "number" : "system", start: at, end: from })
  }
  plain(end)
  return found
}

const colours = { string: "string", unclosed: "string", comment: "comment", open: "bracket", close: "bracket", newline: "plain" } as const

/** Guarantees: every character is in exactly one piece, and pieces are in order. */
export const pieces = (text: string): readonly ColouredPiece[] =>
  [...parts(text)].flatMap(({ kind, start, end }) => (kind === "code" ? inCode(text, start, end) : [{ colour: colours[kind], start, end }]))
