/**
 * Finds the number of arguments that a verb was given, by the span of its error.
 *
 * Does not: know it from the evaluation. It parses the text again, only after an error.
 */
import { type ByKind, bySomeKinds, type Node, nodesIn } from "./ast.ts"
import type { TraceFrame, Span } from "../run/KError.ts"
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

const applications: Partial<ByKind<Application | undefined>> = {
  monad: ({ f }) => ({ spans: [f.span], valence: underAdverbs(f, 1) }),
  dyad: ({ f }) => ({ spans: [f.span], valence: underAdverbs(f, 2) }),
  // In `(1+x)[y]` the place of the + is that of a dyad.
  apply: ({ f, args, span }) => ({
    spans: ["verb", "derived"].includes(f.kind) ? [span, f.span] : [span],
    valence: underAdverbs(f, args.length),
  }),
  assign: ({ verb, value, span }) => (verb === undefined ? undefined : { spans: [span], valence: value === undefined ? 1 : 2 }),
}

/** `undefined` when no application has that place, or the text is not K. */
export const valenceAt = ({ source, span: { start, end } }: TraceFrame): number | undefined => {
  if (source.length > LONGEST) return undefined
  try {
    const found = Array.from(nodesIn([parse(source, vocabulary())], true), (node) => bySomeKinds(applications, undefined, node))
    return found.find((each) => each?.spans.some((span) => span.start === start && span.end === end))?.valence
  } catch {
    // A text that cannot be parsed has no application.
    return undefined
  }
}
