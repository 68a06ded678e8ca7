/**
 * Forms of K that have a quicker way than evaluating their parts, found before the code runs.
 *
 * Does not: write code; `calls.ts` does.
 */
import { derive } from "./runtime.ts"
import type { Node } from "../syntax/ast.ts"
import type { DyadRow } from "../primitives/Row.ts"
import type { Derived } from "../values/Derived.ts"

/** The verb of `+/` and similar folds, whose result over numbers is a number. */
export const foldedVerb = (f: Node): DyadRow | undefined => {
  const row = f.kind === "derived" && f.adverb === "/" && f.f.kind === "verb" ? f.f.verb.rows.dyad : undefined
  return row?.class === "atomic" ? row : undefined
}

/** A derived verb of a primitive, which can be made before the code runs. */
export const constantDerived = (node: Node): Derived | undefined => {
  if (node.kind !== "derived") return undefined
  const base = node.f.kind === "verb" ? node.f.verb : constantDerived(node.f)
  return base && derive(base, node.adverb)
}
