/**
 * Forms of K that have a shorter way than what they are made of: what is known of a node before the code runs.
 *
 * Does not: write code; `calls.ts` does.
 */
import { derive } from "./runtime.ts"
import type { Node } from "../syntax/ast.ts"
import type { Derived } from "../values/function.ts"

type Monad = Node & { readonly kind: "monad" }
type Dyad = Node & { readonly kind: "dyad" }

/** Does the result hold no operand, nor an item of one? x!n with an int n is a modulo, not a rotation. */
export const isFresh = (node: Monad | Dyad): boolean => {
  if (node.f.kind !== "verb") return false
  const { text, fresh } = node.f.verb
  if (node.kind === "monad") return fresh.monad
  return fresh.dyad || (text === "!" && node.y.kind === "literal" && typeof node.y.value === "number")
}

/** Is this the result of a glyph verb that made it anew, so that nothing holds it once it has been used? */
export const isPassing = (node: Node): boolean =>
  (node.kind === "dyad" || node.kind === "monad") &&
  node.f.kind === "verb" &&
  node.f.verb.text.length <= (node.kind === "dyad" ? 1 : 2) &&
  isFresh(node)

/** The verb of `+/` and its like, whose result over numbers is a number. */
export const foldedVerb = (f: Node): string | undefined =>
  f.kind === "derived" && f.adverb === "/" && f.f.kind === "verb" && "+-*&|".includes(f.f.verb.text) ? f.f.verb.text : undefined

/** The product of `+/x*y`. */
export const summedProduct = ({ f, x }: Monad): Dyad | undefined =>
  foldedVerb(f) === "+" && x.kind === "dyad" && x.f.kind === "verb" && x.f.verb.text === "*" ? x : undefined

/** Is this `x[<x]`, `x@<x` or the like, x being a name? Then the monad, which sorts x up or down. */
export const sorting = (f: Node, i: Node | undefined): Monad | undefined =>
  f.kind === "name" &&
  i?.kind === "monad" &&
  i.f.kind === "verb" &&
  /^[<>]:?$/.test(i.f.verb.text) &&
  i.x.kind === "name" &&
  i.x.name === f.name
    ? i
    : undefined

/** A derived verb whose verb is primitive is made once. */
const derivedVerbs = new Map<string, Derived>()
export const constantDerived = (node: Node): Derived | undefined => {
  if (node.kind !== "derived") return undefined
  const base = node.f.kind === "verb" ? node.f.verb : constantDerived(node.f)
  if (base === undefined) return undefined
  const key = `${base.text}${node.adverb}`
  let derived = derivedVerbs.get(key)
  if (derived === undefined) derivedVerbs.set(key, (derived = derive(base, node.adverb)))
  return derived
}
