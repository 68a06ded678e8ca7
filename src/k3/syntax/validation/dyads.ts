/** Facts about a dyad as it is written, for the checks. Does not: judge it. */
import { Float } from "../../values/value.ts"
import type { DyadRow, Misread } from "../../primitives/Row.ts"
import type { Node, NodeOf } from "../ast.ts"

export type DyadNode = NodeOf<"dyad">

export const rowOf = ({ f }: DyadNode): DyadRow | undefined => (f.kind === "verb" ? f.verb.rows.dyad : undefined)

export const misreadOf = (node: Node | undefined): Misread => (node?.kind === "dyad" ? (rowOf(node)?.misread ?? {}) : {})

/** The verb's text; empty when a function or an adverb's verb stands there. */
export const glyphOf = (node: Node | undefined): string => (node?.kind === "dyad" ? (rowOf(node)?.glyph ?? "") : "")

export const isComparison = (node: Node): boolean => misreadOf(node).order?.among === "comparisons"

export const isNumber = (node: Node | undefined): boolean =>
  node?.kind === "literal" && (typeof node.value === "number" || node.value instanceof Float)

/** Is the right side of a verb written in parentheses? */
export const opensAfter = (source: string, { f }: DyadNode): boolean => /^\s*\(/.test(source.slice(f.span.end, f.span.end + 64))

export const textOf = (source: string, { span }: Node): string => source.slice(span.start, span.end)
