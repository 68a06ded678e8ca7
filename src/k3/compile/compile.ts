/**
 * K to JavaScript.
 *
 * A statement, with all functions written in it, becomes the source of one JavaScript function, made by `new Function`. Why source and
 * not closures: on the loops of `bench/k3` (b2, b3) the optimising compiler of the host then sees K's locals as its own locals and K's
 * ints as its own ints, and the same programs run an order of magnitude faster than closures over a tree, for some tens of microseconds
 * per statement compiled; a small store of compiled statements pays that once.
 *
 * How to read what comes out: expressions are flattened into assignments to temporaries `t0, t1, …` in K's order of evaluation, right to
 * left; `v$a` is the local a, `o$a` its owner mark (see `ownership.ts`), `c0` is the cell of a global, `p` the number of
 * the span to blame when the next call fails, `k` the interpreter, `T` its tree, `V` its variables by path, `D.n` the depth of calls. Int
 * paths of common verbs are inlined.
 *
 * Guarantees: a variable read that may let its value out clears ownership; one that only feeds a `fresh` verb or an index does not.
 * Does not: run anything, except making functions of the source.
 */
import { children, type Items, type Node } from "../syntax/ast.ts"
import { tick } from "../run/budget.ts"
import { Code } from "./Code.ts"
import type { Context, Unit } from "./Context.ts"
import { sequence } from "./control.ts"
import { expression } from "./expressions.ts"
import { FunctionBuilder } from "./FunctionBuilder.ts"
import { Program, type Made } from "./Program.ts"
import { Scope } from "./Scope.ts"
import { isBelowRoot } from "../syntax/scope.ts"
import type { Cell } from "../tree/Directory.ts"
import type { Tree } from "../tree/tree.ts"
import { NIL, type Value } from "../values/value.ts"

export interface Compiled {
  readonly run: () => Value
  /** The outermost operation is an assignment: the console prints nothing. */
  readonly quiet: boolean
  /** The outermost operation is `.x`, which is as quiet as what it runs. */
  readonly executes: boolean
  /** Cells that the statement assigns, and all that it names. */
  readonly assigns: readonly Cell[]
  readonly names: readonly Cell[]
  /** What it reads that had no cell of its own: entries of dictionaries, and directories. */
  readonly paths: readonly string[]
}

/** Programs kept by their text: most statements of a session have the text of another once names, numbers and values are parameters. */
const programs = new Map<string, Made>()
const PROGRAMS = 256
/** Longer texts are not kept: they are hardly met twice. */
const KEPT = 1 << 16

const programOf = (parameters: readonly string[], code: string): Made => {
  tick(code.length >> 5)
  // oxlint-disable-next-line typescript/no-implied-eval -- compiling is what this module is for
  const make = (): Made => new Function(...parameters, code) as Made
  if (code.length > KEPT) return make()
  const key = `${parameters.join()}\n${code}`
  let made = programs.get(key)
  if (made === undefined) {
    made = make()
    if (programs.size >= PROGRAMS) programs.delete(programs.keys().next().value!)
    programs.set(key, made)
  }
  return made
}

/** Statements that are made one program: while the host makes it, no interrupt is heard. */
const AT_ONCE = 512

/** Does this return from the whole text, wherever it stands? */
const returns = (node: Node | undefined): boolean => node !== undefined && (node.kind === "return" || children(node).some(returns))

/** Makes the cells of the names a statement mentions, in the order it mentions them: that is their order in the tree. */
const mention = (nodes: Items, tree: Tree): void => {
  for (const node of nodes) {
    if (node === undefined) continue
    tick()
    if (node.kind === "name") tree.mention(node.name)
    if (node.kind === "assign") tree.place(node.name)
    mention(children(node), tree)
  }
}

/** Compiles a text, to be run any number of times in the directory that is current now. */
export const compile = (source: string, program: Node & { readonly kind: "sequence" }, context: Context): Compiled => {
  const { statements } = program
  mention(statements, context.tree)
  const mentioned = new Set<string>()
  const size = statements.length > AT_ONCE && statements.some(returns) ? statements.length : AT_ONCE
  const pieces: Compiled[] = []
  for (let i = 0; i === 0 || i < statements.length; i += size)
    pieces.push(compilePiece(source, statements.slice(i, i + size), context, mentioned))
  const last = pieces.at(-1)!
  if (pieces.length === 1) return last
  return {
    ...last,
    run: () => pieces.reduce<Value>((_, piece) => piece.run(), NIL),
    assigns: pieces.flatMap(({ assigns }) => assigns),
    names: pieces.flatMap(({ names }) => names),
    paths: pieces.flatMap(({ paths }) => paths),
  }
}

const compilePiece = (source: string, statements: Items, context: Context, mentioned: Set<string>): Compiled => {
  const program = new Program(context, mentioned, programOf)
  program.parameter("k", context)
  program.parameter("T", context.tree)
  program.parameter("V", context.variables)
  program.parameter("D", context.depth)
  const scope = new Scope(context.tree, mentioned, undefined, new Set(), new Set())
  const code = new Code(program, true, 0, source.length)
  program.parameter("U", { source, spans: code.spans, name: undefined } satisfies Unit)
  const result = sequence(new FunctionBuilder(program, scope, code, undefined, expression), statements)
  const text =
    `"use strict";${program.hoisted.join("")}let p=0${code.declared()};try{\n${code.text}\nreturn ${result.js};\n` +
    `}catch(e){throw k.blame(e,U,p)}`
  const make = programOf(program.parameters, text)
  const { values } = program
  const last = statements[statements.length - 1]
  return {
    run: () => make(...values),
    quiet: last?.kind === "assign",
    executes:
      last?.kind === "name"
        ? isBelowRoot(last.name)
        : last?.kind === "monad" && last.f.kind === "verb" && last.f.verb.rows.monad?.role === "execute",
    assigns: [...program.assigned],
    names: [...program.cells.keys()],
    paths: [...program.paths],
  }
}
