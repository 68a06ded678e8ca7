/** Lines and columns of offsets in a text. */

export interface TextPlace {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** The text of that line. */
  readonly text: string
}

export const placeOf = (source: string, offset: number): TextPlace => {
  const start = source.lastIndexOf("\n", offset - 1) + 1
  const end = source.indexOf("\n", offset)
  const line = source.slice(0, start).split("\n").length
  return { line, column: offset - start + 1, text: source.slice(start, end < 0 ? source.length : end) }
}
