/**
 * Forms of K that have a quicker way than evaluating their parts, found before the code runs.
 *
 * Does not: write code; `calls.ts` does.
 */
import { derive } from "./runtime.ts"
import type { Node, NodeOf } from "../syntax/ast.ts"
import type { DyadRow, Together } from "../primitives/Row.ts"
import type { Derived } from "../values/Derived.ts"
import type { Verb } from "../values/Verb.ts"

type Monad = NodeOf<"monad">
type Dyad = NodeOf<"dyad">

/** The verb of `+/` and similar folds, whose result over numbers is a number. */
export const foldedVerb = (f: Node): DyadRow | undefined => {
  const row = f.kind === "derived" && f.adverb === "/" && f.f.kind === "verb" ? f.f.verb.rows.dyad : undefined
  return row?.class === "atomic" ? row : undefined
}

/** In `+/x*y`: `x*y` and the verb `*`, when the row of `+` can do both in one loop; in `&x>y` likewise, with the row of `&`. */
export const bothVerbs = ({ f, x }: Monad): { readonly node: Dyad; readonly verb: Verb; readonly run: Run } | undefined => {
  if (x.kind !== "dyad" || x.f.kind !== "verb") return undefined
  const run = (f.kind === "verb" ? f.verb.rows.monad?.of : foldedVerb(f)?.overOf)?.get(x.f.verb.text)
  return run && { node: x, verb: x.f.verb, run }
}

type Run = NonNullable<ReturnType<Together["get"]>>

/** A derived verb of a primitive, which can be made before the code runs. */
export const constantDerived = (node: Node): Derived | undefined => {
  if (node.kind !== "derived") return undefined
  const base = node.f.kind === "verb" ? node.f.verb : constantDerived(node.f)
  return base && derive(base, node.adverb)
}
