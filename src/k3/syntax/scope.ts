/** Questions about syntax trees: which names are local, and whether evaluating a node can change a variable. */
import { children, nodesIn, type AssignNode, type Items, type Node } from "./ast.ts"
import { isAtom } from "../values/value.ts"

/** Asked of every node on the way down, so each is answered once. */
const assigning = new WeakMap<Node, boolean>()

/** Does evaluating this assign a variable? Functions it calls may change globals, but never locals. */
export const assigns = (node: Node | undefined): boolean => {
  if (node === undefined) return false
  const found = assigning.get(node) ?? (node.kind === "assign" || children(node).some(assigns))
  assigning.set(node, found)
  return found
}

/** Does the result hold no operand, nor an item of one? */
export const isFresh = (node: Node & { readonly kind: "monad" | "dyad" }): boolean => {
  if (node.f.kind !== "verb") return false
  const { monad, dyad } = node.f.verb.rows
  if (node.kind === "monad") return monad?.fresh === true
  return dyad?.fresh === true || (dyad?.fresh === "atom" && node.y.kind === "literal" && isAtom(node.y.value))
}

/** Is this the result of a verb that made it anew, so that nothing holds it once it has been used? */
export const isPassing = (node: Node): boolean =>
  (node.kind === "dyad" || node.kind === "monad") && (isFresh(node) || (node.kind === "monad" && isScan(node.f)))

/** `+\` and its like: what it gives is new, save for an empty list, which has nothing to be changed. */
const isScan = (f: Node): boolean =>
  f.kind === "derived" && f.adverb === "\\" && f.f.kind === "verb" && f.f.verb.rows.dyad?.class === "atomic"

/** Does evaluating this neither assign nor call any function that might? */
export const inert = (node: Node): boolean => {
  switch (node.kind) {
    case "name":
      // `.d` may execute the text in d. A dependency runs apart, and owns nothing (see `ownership.ts`).
      return !isBelowRoot(node.name)
    case "literal":
    case "system":
    case "self":
    case "verb":
    case "lambda":
      return true
    case "monad":
      return node.f.kind === "verb" && node.f.verb.rows.monad?.fresh === true && inert(node.x)
    case "dyad":
      return node.f.kind === "verb" && node.f.verb.rows.dyad?.fresh === true && inert(node.x) && inert(node.y)
    default:
      return false
  }
}

/** Is the value of `n:e` or `n f:e` made for it, so that the variable alone holds it? */
export const makesNew = ({ path, verb, value }: AssignNode): boolean => {
  if (path !== undefined) return false
  if (verb === undefined) return value !== undefined && isPassing(value)
  return (value === undefined ? verb.rows.monad : verb.rows.dyad)?.fresh === true
}

/** The names a function body makes local by `n:e`, outside of the functions within it; and those that may come to own their values. */
export const localNames = (body: Items, found: Set<string>, owning: Set<string>): void => {
  for (const node of nodesIn(body)) {
    if (node.kind !== "assign") continue
    const isPlain = node.path === undefined && node.verb === undefined
    if (!isPlain || makesNew(node)) owning.add(node.name)
    if (!isPlain) continue
    if (!node.global && !node.name.includes(".")) found.add(node.name)
  }
}

export const IMPLICIT = ["x", "y", "z"]

/** How many of x, y, z a body without a parameter list takes: those it names, also in functions within it that have a parameter list. */
export const implicit = (body: Items, hidden: readonly string[] = []): number => {
  let most = 0
  for (const node of nodesIn(body)) {
    const head = "name" in node ? (isBelowRoot(node.name) ? node.name.slice(1) : node.name).split(".")[0]! : ""
    const named = hidden.includes(head) ? 0 : IMPLICIT.indexOf(head) + 1
    const within = node.kind === "lambda" && node.params !== undefined ? implicit(node.body, [...hidden, ...node.params]) : 0
    most = Math.max(most, named, within)
  }
  return most
}

/** `.d`: a directory beside `.k`, or where there is none the verb `.` and the name `d`. */
export const isBelowRoot = (name: string): boolean => name.startsWith(".") && !name.includes(".", 1)
