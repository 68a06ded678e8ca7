/**
 * Tells texts that only make a function from texts that run code when they are evaluated. Images hold functions as text, and an image may come from
 * an untrusted file.
 *
 * Guarantees: evaluating a text that `onlyMakesFunction` accepts runs none of its author's code. Does not: judge the function's own code, which runs
 * when it is called.
 */
import type { MonadRow } from "../primitives/Row.ts"
import type { Node } from "./ast.ts"
import { implicit } from "./scope.ts"
import { isAtom, typeOf } from "../values/value.ts"

/** The number of arguments that complete the function; 0 for a node that is no function. */
const valenceOf = (node: Node): number => {
  if (node.kind === "lambda") return node.params?.length ?? Math.max(1, implicit(node.body))
  return node.kind === "verb" || node.kind === "derived" ? 2 : 0
}

/** Is this a verb, a lambda, or one of them with adverbs, or a projection of one of them with literal arguments? */
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

const writesOf = (f: Node): MonadRow["writes"] => (f.kind === "verb" ? f.verb.rows.monad?.writes : undefined)

/** Is this the text of a value, as `5:` writes it? */
const isLiteral = (node: Node | undefined): boolean => {
  switch (node?.kind) {
    case undefined:
    case "literal":
      return true
    case "list":
      return node.items.every(isLiteral)
    case "monad":
      return writesOf(node.f) === "entries" ? isEntries(node.x) : writesOf(node.f) === "literal" && isLiteral(node.x)
    case "dyad":
      return node.f.kind === "verb" && node.f.verb.rows.dyad?.writes === "literal" && isLiteral(node.x) && isLiteral(node.y)
    case "system":
      return node.row.constant !== undefined
    default:
      return onlyMakesFunction(node)
  }
}

/** Are these the entries of a dictionary? `.` of them makes the dictionary; of a string it would run code. */
const isEntries = (node: Node): boolean => {
  if (node.kind === "literal") return typeOf(node.value) === 0
  const items = node.kind === "list" ? node.items : node.kind === "monad" ? [node.x] : []
  return (
    isLiteral(node) && items.length > 0 && items.every((item) => item?.kind === "list" || (item?.kind === "literal" && !isAtom(item.value)))
  )
}
