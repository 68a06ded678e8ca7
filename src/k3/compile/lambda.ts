/**
 * K functions as JavaScript functions.
 *
 * Guarantees: a function that captures nothing is made once, before the code around it; a function that captures locals takes their values at the
 * time it is made. Does not: compile its statements (`control.ts`).
 */
import { Code } from "./Code.ts"
import type { Unit } from "./Context.ts"
import { sequence } from "./control.ts"
import { FunctionBuilder } from "./FunctionBuilder.ts"
import { array, constant, local, type Operand } from "./Operand.ts"
import { Scope } from "./Scope.ts"
import type { LambdaNode } from "../syntax/ast.ts"
import { IMPLICIT, implicit, localNames } from "../syntax/scope.ts"
import { ROOT } from "../values/contexts.ts"
import { generated } from "../values/ownership.ts"
import { sym } from "../values/value.ts"

/** A name that is twice in the parameter list is one variable. A function without x takes any one argument and ignores it. */
const formalsOf = (params: readonly string[], valence: number): readonly string[] =>
  Array.from({ length: valence }, (_, i) => (params.indexOf(params[i]!) === i ? local(params[i]!).js : `w${i}`))

export const lambda = (outer: FunctionBuilder, node: LambdaNode, name: string | undefined): Operand => {
  const {
    program,
    program: { context, runtime },
  } = outer
  const params = node.params ?? IMPLICIT.slice(0, implicit(node.body))
  const given = new Set(params)
  const own = new Set(params)
  const owning = new Set<string>()
  localNames(node.body, own, owning)
  const marked = new Set([...owning].filter((n) => own.has(n)))
  const id = program.unique()
  const valence = node.params === undefined && params.length === 0 ? 1 : params.length
  const value = constant(`f${id}`)
  const run = `r${id}`
  const scope = new Scope(program, outer.scope, own, marked)
  const code = new Code(program, false, node.span.start, node.text.length)
  const self = { value, run, valence: params.length, body: node.body }
  const result = sequence(new FunctionBuilder(scope, code, self, outer.compileNode), node.body)
  const unit = program.parameter(`u${id}`, { source: node.text, spans: code.spans, name } satisfies Unit)
  if (scope.usesGlobals) outer.scope.usesGlobals = true

  const formals = formalsOf(params, valence)
  const captures = [...scope.captured]
  const variables = [
    "p=0",
    ...[...own].filter((n) => !given.has(n)).map((n) => `v$${n}=${runtime("N")}`),
    ...captures.map((n) => `v$${n}=c$${n}`),
    ...[...marked].map((n) => `${generated.local(n)}=${generated.nobody}`),
  ]
  const directory = JSON.stringify(scope.usesGlobals ? context.tree.current.path || ROOT : "")
  const captured = captures.length === 0 ? "" : `,${program.object(captures.map(sym))},c`
  const traced = context.trace === undefined ? "" : `k.trace.called(${unit},[${formals.slice(0, params.length).join(",")}]);`
  const text =
    `const ${value.js}=new ${runtime("Lambda")}(${unit}.source,${valence},${run},${directory}${captured});\n` +
    `function ${run}(${[...formals, "dropped"].join(",")}){let ${variables.join(",")}${code.declared()};${runtime("tick")}(1);\n` +
    `if(++D.n>D.max)${runtime("tooDeep")}(D);${traced}\ntry{\n${code.text}\nD.n--;return ${result.js};\n}catch(e){throw k.blame(e,${unit},p)}}\n`
  if (captures.length === 0) {
    program.hoisted.push(text)
    return value
  }
  for (const n of captures) if (outer.scope.marked.has(n)) outer.code.line(generated.share(generated.local(n)))
  // In an array, since there may be more of them than the host allows arguments.
  const taken = captures.map((n, i) => `c$${n}=c[${i}]`).join(",")
  return outer.code.temporary(`(c=>{const ${taken};${text}return ${value.js}})(${array(captures.map(local))})`)
}
