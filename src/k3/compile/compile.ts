/**
 * K to JavaScript: a statement, with all functions written in it, becomes the text of one JavaScript function, made by `new Function`.
 *
 * Why text and not closures: the host's optimising compiler then sees K's locals as its own locals and K's ints as its own ints. The
 * loops of `bench/k3` (b2, b3) run an order of magnitude faster than closures over a tree, for some tens of microseconds a statement;
 * functions kept by their text pay that once.
 *
 * Guarantees: operands are evaluated from the right, into temporaries; a variable that is read to be kept owns its value no more. Does
 * not: run anything, except to make functions of the text.
 *
 * How to read generated code:
 *
 * | text | means |
 * | --- | --- |
 * | `t0`, `t1` | temporaries: values of expressions, in the order in which they are evaluated |
 * | `v$a`, `o$a` | the local `a`; its owner mark (see `ownership.ts`), where the function amends it |
 * | `c0.value`, `c0.owner` | a global and its mark; `c0.watch` is set when somebody depends on it, and `T.put` tells them |
 * | `i3`, `L4` | an int of the statement; any other value, verb or list of keys. Both are given to the program when it runs |
 * | `d$43`, `m$35`, `d_in` | the function of a dyad or monad, named by its text, a glyph by its code: `+`, `#`, `_in` |
 * | `typeof t0==="number"?…:d$43(…)` | the verb's fast path for ints, before its function |
 * | `p=2` | the span to blame, of the function's or statement's, if what follows fails |
 * | `r0`, `f0`, `u0` | a K function: its JavaScript function, its value, its text with its spans; `U` is the statement's |
 * | `dropped` | true when the caller does not use the result |
 * | `k`, `T`, `V`, `D` | the interpreter, its tree, its variables by path, its depth of calls |
 * | `N` | nil |
 * | any other name | a function of `runtime.ts` |
 * | `M[7]` | a value, when there are more than a thousand |
 * | `Q(0,…)`, `q1()` | a piece of a long text, at the top and in a function: it is compiled when the code gets there |
 *
 * Two statements, kept by a test:
 *
 * ```
 * r:{[a]a[0]:5;a+n}
 *
 * const f0=new Lambda(u0.source,1,r0,".k");
 * function r0(v$a,dropped){let p=0,o$a=0,t0,t1,t2;tick(1);
 * if(++D.n>D.max)tooDeep(D);
 * try{
 * t0=(p=1,setItem(v$a,o$a,0,5,k));
 * o$a=t0===v$a?o$a:ownership.now;
 * v$a=t0;
 * t1=c0.value;
 * if(t1===undefined){p=2;t1=T.fetch(c0)??N;}
 * t2=typeof v$a==="number"&&typeof t1==="number"?(v$a+t1)|0:(p=3,d$43(v$a,t1,k));
 * D.n--;return t2;
 * }catch(e){throw k.blame(e,u0,p)}}
 * let p=0;try{
 * if(c1.watch===undefined){c1.owner=0;c1.value=f0;}else{p=1;T.put(c1,f0);}
 * return f0;
 * }catch(e){throw k.blame(e,U,p)}
 *
 * 1+r n
 *
 * let p=0,t0,t1,t2,t3;try{
 * c0.owner=0;
 * t0=c0.value;
 * if(t0===undefined){p=1;t0=T.fetch(c0)??absent("n");}
 * t1=c1.value;
 * if(t1===undefined){p=2;t1=T.fetch(c1)??absent("r");}
 * t2=(p=3,call1(t1,t0,k));
 * t3=typeof t2==="number"?(i4+t2)|0:(p=4,d$43(i4,t2,k));
 * return t3;
 * }catch(e){throw k.blame(e,U,p)}
 * ```
 */
import { nodesIn, type ItemNodes, type NodeOf } from "../syntax/ast.ts"
import { tick } from "../run/budget.ts"
import { Cache } from "./Cache.ts"
import { Code } from "./Code.ts"
import type { Context, Unit } from "./Context.ts"
import { sequence } from "./control.ts"
import { expression } from "./expressions.ts"
import { FunctionBuilder } from "./FunctionBuilder.ts"
import { local } from "./Operand.ts"
import { Program, type GeneratedFunction } from "./Program.ts"
import { Scope } from "./Scope.ts"
import type { Cell } from "../tree/Directory.ts"
import type { Tree } from "../tree/tree.ts"
import { NIL, type Value } from "../values/value.ts"

export interface Compiled {
  /** Takes the values of the locals, in the order of their names. */
  readonly run: (locals: readonly Value[]) => Value
  /** The outermost operation is an assignment: the console prints nothing. */
  readonly quiet: boolean
  /** Cells that the statement assigns, in the order of the text, and all cells that it names. */
  readonly assigns: readonly Cell[]
  readonly names: readonly Cell[]
  /** Paths without a cell of their own that the statement reads: entries of dictionaries, and directories. */
  readonly paths: readonly string[]
}

/** A cache by text: most statements of a session have the text of an earlier one once names, numbers and values are parameters. */
const functions = new Cache<GeneratedFunction>(256)
/** Characters. Longer texts are not cached: they seldom recur. */
const KEPT = 1 << 16

const functionOf = (parameters: readonly string[], code: string): GeneratedFunction => {
  tick(code.length >> 5)
  // oxlint-disable-next-line typescript/no-implied-eval -- compiling is what this module is for
  const make = (): GeneratedFunction => new Function(...parameters, code) as GeneratedFunction
  return code.length > KEPT ? make() : functions.get(`${parameters.join()}\n${code}`, make)
}

/** Statements that become one program. While the host compiles it, an interrupt is not seen. */
const AT_ONCE = 512

/** Does a statement return from the whole text, at any depth? */
const returns = (statements: ItemNodes): boolean => Array.from(nodesIn(statements)).some(({ kind }) => kind === "return")

/** Makes the cells that a statement assigns, in the order of the text: that is their order in the tree. */
const placed = (statements: ItemNodes, tree: Tree): readonly Cell[] => {
  const cells = new Set<Cell>()
  for (const node of nodesIn(statements)) {
    tick()
    const place = node.kind === "assign" ? tree.place(node.name) : undefined
    if (place !== undefined && "cell" in place) cells.add(place.cell)
  }
  return [...cells]
}

/** The program of some statements, and its text. It takes the values of `locals` in its last parameter. */
export const generate = (
  source: string,
  statements: ItemNodes,
  context: Context,
  mentioned: Set<string>,
  locals: readonly string[] = [],
) => {
  const program = new Program(context, mentioned, functionOf)
  const { tree, variables, depth } = context
  for (const [name, value] of Object.entries({ k: context, T: tree, V: variables, D: depth })) program.parameter(name, value)
  const scope = new Scope(program, undefined, new Set(locals), new Set())
  const code = new Code(program, locals.length === 0, 0, source.length)
  program.parameter("U", { source, spans: code.spans, name: undefined } satisfies Unit)
  const result = sequence(new FunctionBuilder(scope, code, undefined, expression), statements)
  const taken = locals.map((name, i) => `,${local(name).js}=A[${i}]`).join("")
  const text =
    `"use strict";${program.hoisted.join("")}let p=0${taken}${code.declared()};try{\n${code.text}\nreturn ${result.js};\n` +
    `}catch(e){throw k.blame(e,U,p)}`
  return { program, text }
}

/** Compiles a text, to be run any number of times in the directory that is current now. `locals`: names of which it reads and writes no globals. */
export const compile = (source: string, { statements }: NodeOf<"sequence">, context: Context, locals: readonly string[]): Compiled => {
  const assigns = placed(statements, context.tree)
  const mentioned = new Set<string>()
  const size = statements.length > AT_ONCE && (locals.length > 0 || returns(statements)) ? statements.length : AT_ONCE
  const programs = Array.from({ length: Math.max(1, Math.ceil(statements.length / size)) }, (_, i) => {
    const { program, text } = generate(source, statements.slice(i * size, (i + 1) * size), context, mentioned, locals)
    return { program, run: functionOf([...program.parameters, "A"], text) }
  })
  return {
    run: (values) => {
      let result: Value = NIL
      for (const { program, run } of programs) result = run(...program.values, values)
      return result
    },
    quiet: statements.at(-1)?.kind === "assign",
    assigns,
    names: programs.flatMap(({ program }) => Array.from(program.cells)),
    paths: programs.flatMap(({ program }) => Array.from(program.paths)),
  }
}
