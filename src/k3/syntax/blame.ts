/**
 * Finds the number of arguments that a verb was given, by the span of its error.
 *
 * Does not: know it from the evaluation. It parses the text again, only after an error.
 */
import { nodesIn, type Node } from "./ast.ts"
import type { Frame, Span } from "../run/KError.ts"
import { parse } from "./parser.ts"
import { vocabulary } from "../primitives/vocabulary.ts"

/** Characters; longer texts are not parsed again. */
const LONGEST = 20_000

/** Arguments that adverbs give their verb: each passes on its own, every other adverb gives two. */
const underAdverbs = (f: Node, given: number): number => (f.kind === "derived" ? underAdverbs(f.f, f.adverb === "'" ? given : 2) : given)

/** An application: the spans that errors about it have, and the number of its arguments. */
interface Application {
  readonly spans: readonly Span[]
  readonly valence: number
}

const applicationOf = (node: Node): Application | undefined => {
  switch (node.kind) {
    case "monad":
      return { spans: [node.f.span], valence: underAdverbs(node.f, 1) }
    case "dyad":
      return { spans: [node.f.span], valence: underAdverbs(node.f, 2) }
    case "apply":
      // In `(1+x)[y]` the place of the + is that of a dyad.
      return {
        spans: ["verb", "derived"].includes(node.f.kind) ? [node.span, node.f.span] : [node.span],
        valence: underAdverbs(node.f, node.args.length),
      }
    case "assign":
      return node.verb === undefined ? undefined : { spans: [node.span], valence: node.value === undefined ? 1 : 2 }
    default:
      return undefined
  }
}

/** `undefined` when no application has that place, or the text is not K. */
export const valenceAt = ({ source, span: { start, end } }: Frame): number | undefined => {
  if (source.length > LONGEST) return undefined
  try {
    const applications = Array.from(nodesIn([parse(source, vocabulary())], true), applicationOf)
    return applications.find((each) => each?.spans.some((span) => span.start === start && span.end === end))?.valence
  } catch {
    // A text that cannot be parsed has no application.
    return undefined
  }
}
