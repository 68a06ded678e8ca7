/**
 * What is known of a verb or a derived verb before the code runs: the JavaScript for ints that stands in place of a call, whether what it
 * gives is held by nobody else, and the one object made of it.
 *
 * Does not: write code; `generate.ts` does.
 */
import type { Node } from "../syntax/ast.ts"
import type { Derived } from "../values/function.ts"
import { derive } from "./runtime.ts"

/** Int paths: the text for two ints `a` and `b`, and the condition beside both being ints. */
export const INT_DYADS: Readonly<
  Record<string, { readonly text: (a: string, b: string) => string; readonly when?: (a: string, b: string) => string }>
> = {
  "+": { text: (a, b) => `(${a}+${b})|0` },
  "-": { text: (a, b) => `(${a}-${b})|0` },
  "*": { text: (a, b) => `Math.imul(${a},${b})` },
  "<": { text: (a, b) => `${a}<${b}?1:0` },
  ">": { text: (a, b) => `${a}>${b}?1:0` },
  "=": { text: (a, b) => `${a}===${b}?1:0` },
  "&": { text: (a, b) => `${a}<${b}?${a}:${b}` },
  "|": { text: (a, b) => `${a}>${b}?${a}:${b}` },
  "!": { text: (a, b) => `${a}%${b}`, when: (a, b) => `&&${a}>=0&&${b}>0` },
}
export const INT_MONADS: Readonly<Record<string, (x: string) => string>> = {
  "-": (x) => `-${x}|0`,
  "~": (x) => `${x}===0?1:0`,
  _: (x) => x,
}

/** Int literals, inlined or as parameters `i0`. */
export const isInt = (expression: string): boolean => /^(?:i\d+|\(?-?\d+\)?)$/.test(expression)

/** Does the dyad's result hold neither operand? x!n with an int n is a modulo, not a rotation. */
export const isFresh = (node: Node & { readonly kind: "dyad" }): boolean =>
  node.f.kind === "verb" &&
  (node.f.verb.fresh.dyad || (node.f.verb.text === "!" && node.y.kind === "literal" && typeof node.y.value === "number"))

/** Is this the result of a glyph verb that made it anew, so that nothing holds it once it has been used? */
export const passing = (node: Node): boolean =>
  (node.kind === "dyad" && node.f.kind === "verb" && node.f.verb.text.length === 1 && isFresh(node)) ||
  (node.kind === "monad" && node.f.kind === "verb" && node.f.verb.text.length <= 2 && node.f.verb.fresh.monad)

/** The verb of `+/` and its like, whose result over numbers is a number. */
export const foldedVerb = (f: Node): string | undefined =>
  f.kind === "derived" && f.adverb === "/" && f.f.kind === "verb" && "+-*&|".includes(f.f.verb.text) ? f.f.verb.text : undefined

/** Is this `x[<x]`, `x@<x` or the like, x being a name? Then the monad, which sorts x up or down. */
export const sorting = (f: Node, i: Node | undefined): (Node & { readonly kind: "monad" }) | undefined =>
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

const identifiers = new Map<string, string>()
/** A verb's text as a part of a JavaScript name. */
export const identifier = (glyphs: string): string => {
  let known = identifiers.get(glyphs)
  if (known === undefined) {
    known = /^\w+$/.test(glyphs) ? glyphs : Array.from(glyphs, (g) => g.charCodeAt(0)).join("_")
    identifiers.set(glyphs, known)
  }
  return known
}
