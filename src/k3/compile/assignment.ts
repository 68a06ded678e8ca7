/**
 * Assignments of every form, with the owner marks that they set.
 *
 * Guarantees: an interrupt comes before or after a variable is written, never within. Does not: write variables itself (`variables.ts`).
 */
import type { FunctionBuilder } from "./FunctionBuilder.ts"
import { lambda } from "./lambda.ts"
import { array, constant, local, type Operand, type Use } from "./Operand.ts"
import type { Global, Local, ScopedVariable } from "./Scope.ts"
import { markOf, readForAmend, readVariable, writeVariable } from "./variables.ts"
import { applyVerb } from "./verbs.ts"
import type { AssignNode, Node } from "../syntax/ast.ts"
import { assigns, makesNew } from "../syntax/scope.ts"
import type { Verb } from "../values/Verb.ts"
import { generated } from "../values/ownership.ts"

type Places = readonly (Operand | undefined)[]
type ByPath = Extract<Global, { readonly kind: "path" }>

/** An assignment, and the variable that it writes. `isUsed`: its value may be kept. */
interface Assignment<To extends ScopedVariable = ScopedVariable> {
  readonly fn: FunctionBuilder
  readonly node: AssignNode
  readonly variable: To
  readonly isUsed: boolean
}

export const assign = (node: AssignNode, fn: FunctionBuilder, use: Use): Operand => {
  const { program, scope } = fn
  const { name, verb, span } = node
  const isUsed = use !== "dropped"
  const appended = appendedTo(node)
  if (appended !== undefined) {
    const variable = scope.assigned(name, node.global)
    if (isWhole(variable)) return append({ fn, node, variable, isUsed }, appended.f, fn.operand(appended.y))
  }
  const y = assignedValue(fn, node)
  const given = fn.operands(node.path ?? [])
  const variable = scope.assigned(name, node.global)
  const places = variable.kind === "local" ? [...variable.keys.map((key) => constant(program.object(key))), ...given] : given
  if (node.path !== undefined || !isWhole(variable)) {
    if (variable.kind !== "path") return amendAt({ fn, node, variable, isUsed }, places, y)
    if (node.path !== undefined || verb !== undefined) return amendByPath({ fn, node, variable, isUsed }, places, y)
  }
  if (verb?.rows.dyad?.role === "join" && y !== undefined) return append({ fn, node, variable, isUsed }, verb, y)
  const isNew = !isUsed && makesNew(node)
  const value = verb === undefined ? y! : changedBy(fn, node, verb, y, isNew)
  const mark = isNew ? markOf(fn, variable) : undefined
  writeVariable(fn, variable, value, span, {
    mark: mark && generated.made(program.runtime("replaced"), value.js, held(fn, variable), mark),
  })
  return value
}

/** The value of the variable after `a+:y`, or after `a-:` without y. */
const changedBy = (fn: FunctionBuilder, { name, span }: AssignNode, verb: Verb, y: Operand | undefined, isNew: boolean): Operand => {
  const { code, program } = fn
  if (y !== undefined) return applyVerb(fn, verb, [readVariable(fn, name, span, isNew ? "read" : "kept"), y], span)
  return code.called(span, `${program.object(verb.monad)}(${readVariable(fn, name, span, "kept").js},k)`)
}

/** The code that reads the value a variable holds. */
const held = ({ program }: FunctionBuilder, variable: ScopedVariable): string =>
  variable.kind === "cell" ? `${program.cell(variable.cell)}.value` : local((variable as Local).name).js

/** Is this a whole variable, rather than an entry of a dictionary or directory? */
const isWhole = (variable: ScopedVariable): boolean => (variable.kind === "local" ? variable.keys.length === 0 : variable.kind === "cell")

/** The assigned operand. A function literal gets the variable's name. */
const assignedValue = (fn: FunctionBuilder, { name, path, verb, value }: AssignNode): Operand | undefined => {
  if (value === undefined) return undefined
  if (value.kind === "lambda" && path === undefined && verb === undefined) return lambda(fn, value, name)
  return fn.operand(value, "kept", () => path?.some(assigns) === true)
}

/** Is this `n:n,y`, another form of `n,:y`? */
const appendedTo = ({ name, path, verb, value }: AssignNode): { readonly f: Verb; readonly y: Node } | undefined =>
  path === undefined &&
  verb === undefined &&
  value?.kind === "dyad" &&
  value.f.kind === "verb" &&
  value.f.verb.rows.dyad?.role === "join" &&
  value.x.kind === "name" &&
  value.x.name === name
    ? { f: value.f.verb, y: value.y }
    : undefined

const append = ({ fn, node, variable, isUsed }: Assignment, verb: Verb, y: Operand): Operand => {
  const { code, program } = fn
  const x = readVariable(fn, node.name, node.span, "read")
  const join = program.object(verb.dyad)
  const mark = markOf(fn, variable)
  const t = code.called(node.span, `${program.runtime("joined")}(${x.js},${mark ?? generated.nobody},${y.js},${join},k)`)
  // Where the result is used, something else holds it too: `a[0]:a,:1` would put the list into itself. The result of a function counts as used unless
  // its caller drops it.
  if (mark === undefined || (isUsed && (variable.kind !== "cell" || fn.self?.body.at(-1) !== node)))
    writeVariable(fn, variable, t, node.span)
  else {
    const joined = `${program.runtime("markAfterJoin")}(${t.js},${x.js},${mark},${y.js})`
    writeVariable(fn, variable, t, node.span, { mark: code.temporary(isUsed ? `dropped?${joined}:${generated.nobody}` : joined).js })
  }
  return t
}

/** Amends an entry of a dictionary, an attribute or a directory. */
const amendByPath = ({ fn, node, variable, isUsed }: Assignment<ByPath>, places: Places, y: Operand | undefined): Operand => {
  const { code, program } = fn
  const { span, verb } = node
  const f = verb === undefined ? "undefined" : program.object(verb)
  const t = code.called(
    span,
    `V.amend(${JSON.stringify(variable.path)},${array(places, program.runtime("N"))},${f},${y?.js ?? "undefined"},${isUsed && verb !== undefined})`,
  )
  return isUsed && verb === undefined ? y! : t
}

const amendAt = (
  { fn, node, variable, isUsed }: Assignment<Exclude<ScopedVariable, ByPath>>,
  places: Places,
  y: Operand | undefined,
): Operand => {
  const { code, program } = fn
  const { span, verb } = node
  const { runtime } = program
  const x = readForAmend(fn, variable)
  const mark = markOf(fn, variable) ?? generated.nobody
  const at = array(places)
  const [first] = places
  const result = code.called(
    span,
    verb === undefined && places.length === 1 && first !== undefined
      ? `${runtime("setItem")}(${x.js},${mark},${first.js},${y!.js},k)`
      : `${runtime("amend")}(${x.js},${mark},${at},${verb === undefined ? "undefined" : program.object(verb)},${y?.js ?? "undefined"},k)`,
  )
  const value = !isUsed ? program.nil : verb === undefined ? y! : code.temporary(`${runtime("index")}(${result.js},${at},k)`)
  writeVariable(fn, variable, result, span, { mark: generated.amended(runtime("ownership"), result.js, x.js, mark), places: at })
  return value
}
