/**
 * Reads and writes variables in generated code, with their owner marks (see `ownership.ts`).
 *
 * Guarantees: a variable whose value is read to be kept owns it no more. Does not: decide whether a name is local (`Scope.ts`).
 */
import type { FunctionBuilder } from "./FunctionBuilder.ts"
import { local, type Operand, type Use } from "./Operand.ts"
import type { ScopedVariable } from "./Scope.ts"
import type { Span } from "../run/KError.ts"
import { isBelowRoot } from "../syntax/scope.ts"
import { generated } from "../values/ownership.ts"

export const readVariable = (fn: FunctionBuilder, name: string, span: Span, use: Use): Operand => {
  const {
    code,
    program,
    program: { runtime },
    scope,
  } = fn
  const variable = scope.variable(name)
  const isKept = use === "kept"
  switch (variable.kind) {
    case "local": {
      const x = local(variable.name)
      if (variable.keys.length > 0)
        return code.called(span, `(${runtime("below")}(${x.js},${program.object(variable.keys)})??${runtime("N")})`)
      if (isKept && scope.marked.has(name)) code.line(generated.share(generated.local(name)))
      return x
    }
    case "path":
      program.paths.add(variable.path)
      return code.called(span, `V.lookup(${JSON.stringify(variable.path)})`)
    case "cell": {
      const c = program.cell(variable.cell)
      if (isKept) code.line(generated.share(generated.global(c)))
      const t = code.temporary(`${c}.value`)
      if (isBelowRoot(name)) {
        code.line(`if(${t.js}===undefined&&(${t.js}=T.fetch(${c}))===undefined){`)
        const x = readVariable(fn, name.slice(1), span, "kept")
        code.line(`${code.at(span)};${t.js}=${runtime("execute")}(${x.js},k);}`)
        return t
      }
      const isStrict = scope.isTop && !program.mentioned.has(name)
      const otherwise = isStrict ? `${runtime("absent")}(${JSON.stringify(name)})` : runtime("N")
      code.line(`if(${t.js}===undefined){${code.at(span)};${t.js}=T.fetch(${c})??${otherwise};}`)
      return t
    }
  }
}

/** A name without a value counts as nil when it is amended: `` a[`x]:5 `` makes a dictionary. */
export const readForAmend = ({ code, program }: FunctionBuilder, variable: Exclude<ScopedVariable, { kind: "path" }>): Operand => {
  if (variable.kind === "local") return local(variable.name)
  const c = program.cell(variable.cell)
  return code.temporary(`${c}.value??T.fetch(${c})??${program.runtime("N")}`)
}

/** The code of a variable's owner mark; undefined when it has none. */
export const markOf = ({ program, scope }: FunctionBuilder, variable: ScopedVariable): string | undefined => {
  if (variable.kind === "cell") return generated.global(program.cell(variable.cell))
  return variable.kind === "local" && scope.marked.has(variable.name) ? generated.local(variable.name) : undefined
}

/** `mark`: the code of the owner mark after the write. `places`: the code of the amended indices, for `_i` in triggers. */
export const writeVariable = (
  { code, program, scope }: FunctionBuilder,
  variable: ScopedVariable,
  value: Operand,
  span: Span,
  { mark = generated.nobody, places }: { readonly mark?: string | undefined; readonly places?: string } = {},
): void => {
  const x = value.js
  switch (variable.kind) {
    case "local":
      // The mark is written first: its expression may read the old value.
      if (scope.marked.has(variable.name)) code.line(`${generated.local(variable.name)}=${mark};`)
      return code.line(`${local(variable.name).js}=${x};`)
    case "path":
      return code.line(`${code.at(span)};V.assign(${JSON.stringify(variable.path)},${x});`)
    case "cell": {
      const c = program.cell(variable.cell)
      const put = places === undefined ? `T.put(${c},${x})` : `V.putAt(${c},${x},${places})`
      const entered = places === undefined ? "" : `if(${x}.t===5){${code.at(span)};V.entered(${c},${x},${places});}`
      code.line(`if(${c}.watch===undefined){${generated.assign(c, x, mark)}${entered}}else{${code.at(span)};${put};}`)
      if (program.context.trace !== undefined) code.line(`k.trace.wrote(${c});`)
    }
  }
}
