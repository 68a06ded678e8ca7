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
import { type ByKind, bySomeKinds, type ItemNodes, type Node } from "./ast.ts"
import { implicit } from "./scope.ts"

/** Adverbs whose derived verbs wait for a second argument, like `+/:`. */
const PAIRED: ReadonlySet<string> = new Set(["/:", "\\:"])

const holesOf = (args: ItemNodes): number => args.filter((each) => each === undefined).length

const valences: Partial<ByKind<number>> = {
  lambda: ({ params, body }) => params?.length ?? Math.max(1, implicit(body)),
  verb: ({ verb }) => verb.valence,
  derived: ({ f, adverb }) => (PAIRED.has(adverb) ? 2 : adverb === "'" ? valenceOf(f) : 1),
  section: ({ f }) => 1 + Math.max(0, valenceOf(f) - 2),
  apply: ({ f, args }) => holesOf(args) + Math.max(0, valenceOf(f) - args.length),
  compose: ({ parts }) => valenceOf(parts.at(-1)!),
}

/** The valence of the function that a node makes (see `values/function.ts`); data counts as a function of one argument. */
const valenceOf = (node: Node): number => bySomeKinds(valences, 1, node)

const waiting: Partial<ByKind<boolean, [n: number]>> = {
  lambda: (node, n) => n < valenceOf(node),
  verb: ({ verb: { monad, dyad, forced, valence } }, n) =>
    n < valence && (n === 1 ? monad === undefined || forced !== undefined : dyad === undefined),
  derived: ({ f, adverb }, n) => n === 1 && PAIRED.has(adverb) && valenceOf(f) > 1,
  section: ({ f }, n) => waits(f, n + 1),
  apply: ({ f, args }, n) => {
    const surplus = n - holesOf(args)
    return surplus < 0 || waits(f, args.length + surplus)
  },
  compose: ({ parts }, n) => {
    const last = parts.at(-1)!
    return last.kind === "derived" ? waits(last, n) : n < valenceOf(last)
  },
}

/** Does the function that a node makes wait for more, given n arguments? Otherwise it runs. */
const waits = (node: Node, n: number): boolean => bySomeKinds(waiting, false, node, n)

const makers: Partial<ByKind<boolean>> = {
  lambda: () => true,
  verb: () => true,
  derived: ({ f }) => isLiteral(f),
  compose: ({ parts }) => parts.every(onlyMakesFunction),
  section: ({ f, x }) => onlyMakesFunction(f) && isLiteral(x),
  apply: ({ f, args, bracket }) => {
    const projects = args.includes(undefined) ? args.length > 1 : waits(f, args.length)
    return bracket && projects && onlyMakesFunction(f) && args.every(isLiteral)
  },
  sequence: ({ statements }) => statements.length === 1 && onlyMakesFunction(statements[0]),
}

/** Is this a verb, a lambda, a verb derived from one or from data, or a projection or train of these with literal arguments? */
export const onlyMakesFunction = (node: Node | undefined): boolean => node !== undefined && bySomeKinds(makers, false, node)

const writesOf = (f: Node): MonadRow["writes"] => (f.kind === "verb" ? f.verb.rows.monad?.writes : undefined)

const literals: Partial<ByKind<boolean>> = {
  ...makers,
  literal: () => true,
  list: ({ items }) => items.every(isLiteral),
  monad: ({ f, x }) => (writesOf(f) === "entries" ? isEntries(x) : writesOf(f) === "literal" && isLiteral(x)),
  dyad: ({ f, x, y }) => f.kind === "verb" && f.verb.rows.dyad?.writes === "literal" && isLiteral(x) && isLiteral(y),
  system: ({ row }) => row.constant !== undefined,
}

/** Is this the text of a value, as `5:` writes it? */
const isLiteral = (node: Node | undefined): boolean => node === undefined || bySomeKinds(literals, false, node)

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
