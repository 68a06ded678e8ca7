/** Questions about syntax trees that settle whose a name is and in what order things may be read. */
import { children, type Items, type Node } from "./ast.ts"
import { tick } from "./budget.ts"
import type { Tree } from "./tree.ts"
import { isAtom, typeOf } from "./value.ts"

/** Does evaluating this assign a variable? Functions it calls may change globals, but never locals. */
export const assigns = (node: Node | undefined): boolean => node !== undefined && (node.kind === "assign" || children(node).some(assigns))

/** Does evaluating this neither assign nor call any function that might? */
export const inert = (node: Node): boolean => {
  switch (node.kind) {
    case "literal":
    case "name":
    case "system":
    case "self":
    case "verb":
    case "lambda":
      return true
    case "monad":
      return node.f.kind === "verb" && node.f.verb.fresh.monad && inert(node.x)
    case "dyad":
      return node.f.kind === "verb" && node.f.verb.fresh.dyad && inert(node.x) && inert(node.y)
    default:
      return false
  }
}

/** The names a function body makes local by `n:e`, outside of the functions within it; and those it amends. */
export const localNames = (nodes: Items, found: Set<string>, amended: Set<string>): void => {
  for (const node of nodes) {
    if (node === undefined) continue
    if (node.kind === "assign") {
      const plain = node.path === undefined && node.verb === undefined
      if (plain && !node.global && !node.name.includes(".")) found.add(node.name)
      if (!plain) amended.add(node.name)
    }
    localNames(children(node), found, amended)
  }
}

/** How many of x, y, z a body without a parameter list takes: those it names, also in functions within it that have a parameter list. */
export const implicit = (nodes: Items, hidden: readonly string[] = []): number => {
  let most = 0
  for (const node of nodes) {
    if (node === undefined) continue
    if (node.kind === "name" || node.kind === "assign") {
      const head = (isBelowRoot(node.name) ? node.name.slice(1) : node.name).split(".")[0]!
      if (!hidden.includes(head)) most = Math.max(most, IMPLICIT.indexOf(head) + 1)
    }
    const within =
      node.kind !== "lambda"
        ? implicit(children(node), hidden)
        : node.params === undefined
          ? 0
          : implicit(node.body, [...hidden, ...node.params])
    most = Math.max(most, within)
  }
  return most
}
export const IMPLICIT = ["x", "y", "z"]

/** Makes the cells of the names a statement mentions, in the order it mentions them: that is their order in the tree. */
export const mention = (nodes: Items, tree: Tree): void => {
  for (const node of nodes) {
    if (node === undefined) continue
    tick()
    if (node.kind === "name" || node.kind === "assign") tree.place(node.name)
    mention(children(node), tree)
  }
}

/** `.d`: a directory beside `.k`, or where there is none the verb `.` and the name `d`. */
export const isBelowRoot = (name: string): boolean => name.startsWith(".") && !name.includes(".", 1)

const valenceOf = (node: Node): number => {
  if (node.kind === "lambda") return node.params?.length ?? Math.max(1, implicit(node.body))
  return node.kind === "verb" || node.kind === "derived" ? 2 : 0
}

/**
 * Is this text of a function, and nothing else: a verb, a lambda, what adverbs and elided or literal arguments make of them? Evaluating it
 * runs no code of its author's, which may come out of a file.
 */
export const onlyMakesFunction = (node: Node | undefined): boolean => {
  switch (node?.kind) {
    case "lambda":
    case "verb":
      return true
    case "derived":
      return onlyMakesFunction(node.f)
    case "compose":
      return onlyMakesFunction(node.f) && onlyMakesFunction(node.g)
    case "section":
      return onlyMakesFunction(node.f) && isLiteral(node.x)
    case "apply": {
      const given = node.args.filter((each) => each !== undefined)
      const projects = given.length < valenceOf(node.f) && (given.length > 0 || node.args.length > 1)
      return node.bracket && projects && onlyMakesFunction(node.f) && given.every(isLiteral)
    }
    case "sequence":
      return node.statements.length === 1 && onlyMakesFunction(node.statements[0])
    default:
      return false
  }
}

/** Is this the text of a value, as `5:` writes it? */
const isLiteral = (node: Node | undefined): boolean => {
  switch (node?.kind) {
    case undefined:
    case "literal":
      return true
    case "list":
      return node.items.every(isLiteral)
    case "monad":
      if (node.f.kind !== "verb") return false
      if (node.f.verb.text === ".") return isEntries(node.x)
      return ",!".includes(node.f.verb.text) && isLiteral(node.x)
    case "dyad":
      return node.f.kind === "verb" && node.f.verb.text === "#" && isLiteral(node.x) && isLiteral(node.y)
    case "system":
      return node.row.glyph === "_n"
    default:
      return onlyMakesFunction(node)
  }
}

/** Of entries a dictionary is made, while a string would be run. */
const isEntries = (node: Node): boolean => {
  if (node.kind === "literal") return typeOf(node.value) === 0
  const items = node.kind === "list" ? node.items : node.kind === "monad" ? [node.x] : []
  return (
    isLiteral(node) && items.length > 0 && items.every((item) => item?.kind === "list" || (item?.kind === "literal" && !isAtom(item.value)))
  )
}
