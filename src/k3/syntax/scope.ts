/** Facts about syntax trees: which names are local, and whether evaluating a node can change a variable. */
import { type AssignNode, type ByKind, bySomeKinds, children, type ItemNodes, type Node, type NodeOf, nodesIn } from "./ast.ts"
import { isAtom } from "../values/value.ts"

/** Answers of `assigns`, which is called for every node on the way down. */
const assigning = new WeakMap<Node, boolean>()

/** Does evaluating the node assign a variable? The functions that it calls may change globals, but never locals. */
export const assigns = (node: Node | undefined): boolean => {
  if (node === undefined) return false
  const found = assigning.get(node) ?? (node.kind === "assign" || children(node).some(assigns))
  assigning.set(node, found)
  return found
}

/** Does the result of the verb hold neither an operand nor an item of one? */
export const isFresh = (node: NodeOf<"monad" | "dyad">): boolean => {
  if (node.f.kind !== "verb") return false
  const { monad, dyad } = node.f.verb.rows
  if (node.kind === "monad") return monad?.fresh === true
  return dyad?.fresh === true || (dyad?.fresh === "atom" && node.y.kind === "literal" && isAtom(node.y.value))
}

/** Is this the fresh result of a verb, so that nothing else holds it? */
export const isPassing = (node: Node): boolean =>
  (node.kind === "dyad" || node.kind === "monad") && (isFresh(node) || (node.kind === "monad" && isOfAtomic(node.f, "\\")))

/**
 * Is this `+/`, `+\` or the like, of an atomic verb? Over numbers the result of `/` is a number, and that of `\` is new, except for an atom, which is
 * not owned, and an empty list, which cannot be changed anyway.
 */
export const isOfAtomic = (f: Node, adverb: "/" | "\\"): boolean =>
  f.kind === "derived" && f.adverb === adverb && f.f.kind === "verb" && f.f.verb.rows.dyad?.class === "atomic"

const inertKinds: Partial<ByKind<boolean>> = {
  // `.d` may execute the text in d. A dependency runs apart, and owns nothing (see `ownership.ts`).
  name: ({ name }) => !isBelowRoot(name),
  literal: () => true,
  system: () => true,
  self: () => true,
  verb: () => true,
  lambda: () => true,
  monad: ({ f, x }) => f.kind === "verb" && f.verb.rows.monad?.fresh === true && inert(x),
  dyad: ({ f, x, y }) => f.kind === "verb" && f.verb.rows.dyad?.fresh === true && inert(x) && inert(y),
}

/** Does evaluating the node neither assign nor call a function that might? */
export const inert = (node: Node): boolean => bySomeKinds(inertKinds, false, node)

/** Is the assigned value fresh, so that the variable alone holds it? */
export const makesNew = ({ path, verb, value }: AssignNode): boolean => {
  if (path !== undefined) return false
  if (verb === undefined) return value !== undefined && isPassing(value)
  return (value === undefined ? verb.rows.monad : verb.rows.dyad)?.fresh === true
}

/** Collects the names that a function body makes local by `n:e`, inner functions excluded, and the names that may own their values. */
export const localNames = (body: ItemNodes, found: Set<string>, owning: Set<string>): void => {
  for (const node of nodesIn(body)) {
    if (node.kind !== "assign") continue
    const isPlain = node.path === undefined && node.verb === undefined
    if (!isPlain || makesNew(node)) owning.add(node.name)
    if (isPlain && !node.global && !node.name.includes(".")) found.add(node.name)
  }
}

export const IMPLICIT = ["x", "y", "z"]

/** The number of x, y, z that a body without a parameter list takes: the ones that it names, also in inner functions with a parameter list. */
export const implicit = (body: ItemNodes, hidden: readonly string[] = []): number => {
  let most = 0
  for (const node of nodesIn(body)) {
    const head = "name" in node ? (isBelowRoot(node.name) ? node.name.slice(1) : node.name).split(".")[0]! : ""
    const named = hidden.includes(head) ? 0 : IMPLICIT.indexOf(head) + 1
    const within = node.kind === "lambda" && node.params !== undefined ? implicit(node.body, [...hidden, ...node.params]) : 0
    most = Math.max(most, named, within)
  }
  return most
}

/** Is it a name like `.d`: a directory beside `.k`, or else the verb `.` and the name `d`? */
export const isBelowRoot = (name: string): boolean => name.startsWith(".") && !name.includes(".", 1)
