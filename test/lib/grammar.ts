/** The TextMate grammar of K3, made from the tables of primitives and the control words of the help. */
import { entries } from "../../src/help/help.ts"
import { rows } from "../../src/k3/documents.ts"

const quoted = (text: string): string => text.replaceAll(/[-\\^$*+?.()|[\]{}/]/g, "\\$&")

/** A pattern for one of the words, longer words first, since a pattern takes its first match. */
const oneOf = (words: readonly string[]): string =>
  words
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map(quoted)
    .join("|")

const glyphs = [...new Set(rows.map(({ glyph }) => glyph))]
const systemNames = ["_f", ...glyphs.filter((glyph) => glyph.startsWith("_") && glyph.length > 1)]
const verbs = glyphs.filter((glyph) => glyph.length === 1 && glyph !== ":")
const control = entries.filter(({ kind }) => kind === "control").flatMap(({ form }) => /^[a-z]+(?=\[)/.exec(form) ?? [])

const number = String.raw`(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?[A-Za-z]?`

interface Pattern {
  readonly name: string
  readonly match: string
}

export const patterns: readonly Pattern[] = [
  { name: "comment.line.slash.k3", match: String.raw`(?:^|(?<=[ \t]))/.*$` },
  { name: "keyword.control.directive.k3", match: String.raw`^[ \t]*\\.*$` },
  { name: "string.quoted.double.k3", match: String.raw`"(?:\\.|[^"\\])*"?` },
  { name: "constant.other.symbol.k3", match: "`(?:[A-Za-z_.][\\w.]*)?" },
  { name: "keyword.operator.file.k3", match: String.raw`\d:(?!:)` },
  { name: "constant.numeric.k3", match: String.raw`${number}|(?:^|(?<=[^\w)\]}"]))-${number}` },
  { name: "support.function.system.k3", match: String.raw`(?:${oneOf(systemNames)})(?![A-Za-z0-9])` },
  { name: "keyword.control.k3", match: String.raw`\b(?:${oneOf(control)})(?=\[)` },
  { name: "entity.name.function.k3", match: String.raw`\.?[A-Za-z][\w.]*(?=::?\{)` },
  { name: "variable.language.k3", match: String.raw`\b[xyz]\b` },
  { name: "variable.other.k3", match: String.raw`\.?[A-Za-z]\w*(?:\.[A-Za-z]\w*)*` },
  { name: "keyword.operator.adverb.k3", match: String.raw`['/\\]:?` },
  { name: "keyword.operator.k3", match: String.raw`(?:${oneOf(verbs)}):?` },
  { name: "keyword.operator.assignment.k3", match: "::?" },
]

export const grammar = {
  name: "K3",
  scopeName: "source.k3",
  patterns,
}
