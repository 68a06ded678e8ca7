/** How many arguments the verb at an error's place was given: asked after an error alone, by reading the text once more. */
import { children, type Node } from "./ast.ts"
import type { Frame, Span } from "../run/KError.ts"
import { parse } from "./parser.ts"
import { vocabulary } from "../primitives/vocabulary.ts"

/** Characters of a source that is worth reading again. */
const MOST = 20_000

/** A verb below an adverb: each of one argument is the monad, all else folds or pairs. */
const underAdverb = (f: Node, given: number): number => (f.kind === "derived" ? (f.adverb === "'" ? given : 2) : given)

/** For a node one of whose spans is blamed: an application by what it applies, or whole. */
const given = (node: Node): { readonly spans: readonly Span[]; readonly valence: number } | undefined => {
  switch (node.kind) {
    case "monad":
      return { spans: [node.f.span], valence: underAdverb(node.f, 1) }
    case "dyad":
      return { spans: [node.f.span], valence: underAdverb(node.f, 2) }
    case "apply":
      return { spans: [node.span, node.f.span], valence: underAdverb(node.f, node.args.length) }
    case "assign":
      return node.verb === undefined ? undefined : { spans: [node.span], valence: node.value === undefined ? 1 : 2 }
    default:
      return undefined
  }
}

const find = (node: Node | undefined, span: Span): number | undefined => {
  if (node === undefined) return undefined
  const own = given(node)
  if (own?.spans.some(({ start, end }) => start === span.start && end === span.end) === true) return own.valence
  for (const child of node.kind === "lambda" ? node.body : children(node)) {
    const found = find(child, span)
    if (found !== undefined) return found
  }
  return undefined
}

/** undefined when the place is no verb's, or the text is no K. */
export const valenceAt = ({ source, span }: Frame): number | undefined => {
  if (source.length > MOST) return undefined
  try {
    return find(parse(source, vocabulary()), span)
  } catch {
    return undefined
  }
}
