/**
 * Tells texts that only make a function from texts that run code when they are evaluated. Images hold functions as text, and an image may come from
 * an untrusted file.
 *
 * Guarantees: evaluating a text that `onlyMakesFunction` accepts runs none of its author's code. Does not: judge the function's own code, which runs
 * when it is called.
 */
import type { MonadRow } from "../primitives/Row.ts"
import { isEntry } from "../values/dictionary.ts"
import { typeOf, type List } from "../values/value.ts"
import type { Items, Node } from "./ast.ts"
import { implicit } from "./scope.ts"

/** Adverbs whose derived verbs wait for a second argument, like `+/:`. */
const PAIRED: ReadonlySet<string> = new Set(["/:", "\\:"])

const holesOf = (args: Items): number => args.filter((each) => each === undefined).length

/** The valence of the function that a node makes (see `values/function.ts`); data counts as a function of one argument. */
const valenceOf = (node: Node): number => {
  switch (node.kind) {
    case "lambda":
      return node.params?.length ?? Math.max(1, implicit(node.body))
    case "verb":
      return node.verb.valence
    case "derived":
      return PAIRED.has(node.adverb) ? 2 : node.adverb === "'" ? valenceOf(node.f) : 1
    case "section":
      return 1 + Math.max(0, valenceOf(node.f) - 2)
    case "apply":
      return holesOf(node.args) + Math.max(0, valenceOf(node.f) - node.args.length)
    case "compose":
      return valenceOf(node.parts.at(-1)!)
    default:
      return 1
  }
}

/** Does the function that a node makes wait for more, given n arguments? Otherwise it runs. */
const waits = (node: Node, n: number): boolean => {
  switch (node.kind) {
    case "lambda":
      return n < valenceOf(node)
    case "verb": {
      const { monad, dyad, forced, valence } = node.verb
      return n < valence && (n === 1 ? monad === undefined || forced !== undefined : dyad === undefined)
    }
    case "derived":
      return n === 1 && PAIRED.has(node.adverb) && valenceOf(node.f) > 1
    case "section":
      return waits(node.f, n + 1)
    case "apply": {
      const surplus = n - holesOf(node.args)
      return surplus < 0 || waits(node.f, node.args.length + surplus)
    }
    case "compose": {
      const last = node.parts.at(-1)!
      return last.kind === "derived" ? waits(last, n) : n < valenceOf(last)
    }
    default:
      return false
  }
}

/** Is this a verb, a lambda, a verb derived from one or from data, or a projection or train of these with literal arguments? */
export const onlyMakesFunction = (node: Node | undefined): boolean => {
  switch (node?.kind) {
    case "lambda":
    case "verb":
      return true
    case "derived":
      return isLiteral(node.f)
    case "compose":
      return node.parts.every(onlyMakesFunction)
    case "section":
      return onlyMakesFunction(node.f) && isLiteral(node.x)
    case "apply": {
      const { f, args } = node
      const projects = args.includes(undefined) ? args.length > 1 : waits(f, args.length)
      return node.bracket && projects && onlyMakesFunction(f) && args.every(isLiteral)
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

/** Are these the entries of a dictionary? `.` of them makes the dictionary; of a string or another list it would run code. */
const isEntries = (node: Node): boolean => {
  if (node.kind === "literal") return typeOf(node.value) === 0 && (node.value as List).v.every(isEntry)
  const items = node.kind === "list" ? node.items : node.kind === "monad" ? [node.x] : []
  return isLiteral(node) && items.length > 0 && items.every(isEntryNode)
}

const isEntryNode = (node: Node | undefined): boolean => {
  if (node?.kind === "literal") return isEntry(node.value)
  if (node?.kind !== "list" || node.items.length < 2 || node.items.length > 3) return false
  const [key] = node.items
  return key?.kind === "literal" && typeOf(key.value) === 4
}
