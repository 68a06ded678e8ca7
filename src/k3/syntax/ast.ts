/** The syntax tree: the parser makes it, the compiler reads it. Every node that can fail has the span of the verb or name to blame. */
import type { Span } from "../run/KError.ts"
import type { Verb } from "../values/Verb.ts"
import type { NounRow } from "../primitives/Row.ts"
import type { Value } from "../values/value.ts"

/** An elided item or argument is `undefined`. */
export type ItemNodes = readonly (Node | undefined)[]

export type Node =
  | { readonly kind: "literal"; readonly value: Value; readonly span: Span }
  /** `a`, `a.b`, `.k.a`, `a..d`, `a.`: the path as written. */
  | { readonly kind: "name"; readonly name: string; readonly span: Span }
  /** `_t`, `_d`. */
  | { readonly kind: "system"; readonly row: NounRow; readonly span: Span }
  /** `_f`. */
  | { readonly kind: "self"; readonly span: Span }
  | VerbNode
  | LambdaNode
  | { readonly kind: "list"; readonly items: ItemNodes; readonly span: Span }
  /** `f[…]`, and `f x` when `bracket` is false. */
  | { readonly kind: "apply"; readonly f: Node; readonly args: ItemNodes; readonly bracket: boolean; readonly span: Span }
  | { readonly kind: "monad"; readonly f: VerbNode; readonly x: Node; readonly span: Span }
  | { readonly kind: "dyad"; readonly f: VerbNode; readonly x: Node; readonly y: Node; readonly span: Span }
  /** `x+` without a right side. */
  | { readonly kind: "section"; readonly f: VerbNode; readonly x: Node; readonly span: Span }
  /** A train: two or more functions, the last a verb. */
  | { readonly kind: "compose"; readonly parts: readonly Node[]; readonly span: Span }
  | AssignNode
  | { readonly kind: "return"; readonly x: Node; readonly span: Span }
  | { readonly kind: "signal"; readonly x: Node; readonly span: Span }
  | CondNode
  | LoopNode
  /** Statements; the value is that of the last. `undefined` is an empty statement, nil. */
  | { readonly kind: "sequence"; readonly statements: ItemNodes; readonly span: Span }

/** A verb, or one that an adverb derives from a function or from data. */
export type VerbNode =
  | { readonly kind: "verb"; readonly verb: Verb; readonly span: Span }
  | { readonly kind: "derived"; readonly f: Node; readonly adverb: string; readonly span: Span }

export interface LambdaNode {
  readonly kind: "lambda"
  /** The function's source text, verbatim. */
  readonly text: string
  /** `undefined` when there is no parameter list. */
  readonly params: readonly string[] | undefined
  readonly body: ItemNodes
  readonly span: Span
}

/** `:[c;t;f]`: the value of the first branch whose condition is true, else `otherwise`. */
export interface CondNode {
  readonly kind: "cond"
  readonly branches: readonly { readonly condition: Node; readonly value: Node | undefined }[]
  readonly otherwise: Node | undefined
  readonly span: Span
}

/** `if[c;…]`, `while[c;…]`, `do[n;…]`. */
export interface LoopNode {
  readonly kind: "loop"
  readonly word: "if" | "while" | "do"
  /** The condition, or the number of repetitions. */
  readonly condition: Node
  readonly body: ItemNodes
  readonly span: Span
}

export interface AssignNode {
  readonly kind: "assign"
  readonly name: string
  /** `a[i;j]:`; `undefined` for plain `a:`. */
  readonly path: ItemNodes | undefined
  /** `a+:y`; `undefined` for `a:y`. */
  readonly verb: Verb | undefined
  /** `undefined` for the monadic form `a-:`. */
  readonly value: Node | undefined
  /** `a::y`. */
  readonly global: boolean
  readonly span: Span
}

/** A node of one kind. */
export type NodeOf<K extends Node["kind"]> = Extract<Node, { readonly kind: K }>

/** A table with a function for each kind of node; `Rest` are the function's further arguments. */
export type ByKind<Result, Rest extends readonly unknown[] = []> = {
  readonly [K in Node["kind"]]: (node: NodeOf<K>, ...rest: Rest) => Result
}

/** Calls the table's function for the node's kind. */
export const byKind = <Result, Rest extends readonly unknown[]>(table: ByKind<Result, Rest>, node: Node, ...rest: Rest): Result =>
  (table[node.kind] as (node: Node, ...rest: Rest) => Result)(node, ...rest)

/** The same for a table of some kinds; nodes of other kinds give `otherwise`. */
export const bySomeKinds = <Result, Rest extends readonly unknown[]>(
  table: Partial<ByKind<Result, Rest>>,
  otherwise: Result,
  node: Node,
  ...rest: Rest
): Result => {
  const found = table[node.kind] as ((node: Node, ...rest: Rest) => Result) | undefined
  return found === undefined ? otherwise : found(node, ...rest)
}

const nothing = (): ItemNodes => []

const below: ByKind<ItemNodes> = {
  literal: nothing,
  name: nothing,
  system: nothing,
  self: nothing,
  verb: nothing,
  lambda: nothing,
  derived: ({ f }) => [f],
  list: ({ items }) => items,
  apply: ({ f, args }) => [f, ...args],
  monad: ({ f, x }) => [f, x],
  dyad: ({ f, x, y }) => [f, x, y],
  section: ({ f, x }) => [f, x],
  compose: ({ parts }) => parts,
  assign: ({ path, value }) => [...(path ?? []), value],
  return: ({ x }) => [x],
  signal: ({ x }) => [x],
  cond: ({ branches, otherwise }) => [...branches.flatMap(({ condition, value }) => [condition, value]), otherwise],
  loop: ({ condition, body }) => [condition, ...body],
  sequence: ({ statements }) => statements,
}

/** The nodes directly below a node. The body of a function is not among them. */
export const children = (node: Node): ItemNodes => byKind(below, node)

/**
 * These nodes and all nodes below them, parents first and left to right; with `inFunctions` also the bodies of functions. A loop instead of a
 * recursion, since a text may nest thousands deep.
 */
export function* nodesIn(items: ItemNodes, inFunctions = false): Generator<Node, void> {
  const waiting = items.toReversed()
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (node === undefined) continue
    yield node
    const below = inFunctions && node.kind === "lambda" ? node.body : children(node)
    for (let i = below.length - 1; i >= 0; i--) waiting.push(below[i])
  }
}
