/**
 * Is a text that of a function and nothing else? Evaluating it then runs no code of its author's, which may come out of a file.
 *
 * Does not: look at what the function will do once it is called.
 */
import type { Node } from "./ast.ts"
import { implicit } from "./scope.ts"
import { isAtom, typeOf } from "../values/value.ts"

const valenceOf = (node: Node): number => {
  if (node.kind === "lambda") return node.params?.length ?? Math.max(1, implicit(node.body))
  return node.kind === "verb" || node.kind === "derived" ? 2 : 0
}

/** A verb, a lambda, what adverbs and elided or literal arguments make of them. */
export const onlyMakesFunction = (node: Node | undefined): boolean => {
  switch (node?.kind) {
    case "lambda":
    case "verb":
      return true
    case "derived":
      return onlyMakesFunction(node.f)
    case "compose":
      return node.parts.every(onlyMakesFunction)
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
      switch (node.f.kind === "verb" ? node.f.verb.rows.monad?.writes : undefined) {
        case "entries":
          return isEntries(node.x)
        case "literal":
          return isLiteral(node.x)
        default:
          return false
      }
    case "dyad":
      return node.f.kind === "verb" && node.f.verb.rows.dyad?.writes === "literal" && isLiteral(node.x) && isLiteral(node.y)
    case "system":
      return node.row.constant !== undefined
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
