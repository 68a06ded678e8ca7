/**
 * Assignments of every form to lines of JavaScript, with the owner marks they leave.
 *
 * Guarantees: what can be interrupted comes before the variable is written. Does not: write other expressions (`generate.ts`).
 */
import type { AssignNode, Items, LambdaNode, Node } from "../syntax/ast.ts"
import { Emitter } from "./emitter.ts"
import type { Verb } from "../values/function.ts"
import type { Span } from "../run/KError.ts"
import { assigns } from "../syntax/scope.ts"
import { keysOf } from "../tree/tree.ts"
import { generated } from "../values/ownership.ts"

export abstract class Assignments extends Emitter {
  /** The statements of the function; none at the top level. */
  protected body: Items = []

  abstract expression(node: Node, escapes?: boolean): string
  protected abstract arguments(nodes: Items): (string | undefined)[]
  protected abstract dyadic(verb: Verb, x: string, y: string, span: Span): string
  protected abstract lambda(node: LambdaNode, name: string | undefined): string

  protected assign(given: AssignNode, wanted: boolean): string {
    const node = this.inLocal(given)
    if (node.path !== undefined) return this.assignAt(node, wanted)
    if (node.verb === undefined) {
      const appended = appendedTo(node)
      if (appended !== undefined && !this.isDeep(node.name)) return this.appendTo(node, appended.f, this.expression(appended.y), wanted)
      const value = node.value!.kind === "lambda" ? this.lambda(node.value, node.name) : this.expression(node.value!)
      this.writeName(node.name, value, node.span)
      return value
    }
    const y = node.value === undefined ? undefined : this.expression(node.value)
    const { verb } = node
    if (this.isDeep(node.name)) return this.amendDeep(node, [], verb, y, wanted)
    if (verb.text === "," && y !== undefined) return this.appendTo(node, verb, y, wanted)
    const x = this.readName(node.name, node.span, true)
    const result =
      y === undefined ? this.called(node.span, `${this.program.object(verb.monad)}(${x},k)`) : this.dyadic(verb, x, y, node.span)
    this.writeName(node.name, result, node.span)
    return result
  }

  /** `d.a:y` where d is a local: `` d[`a]:y ``. */
  private inLocal(node: AssignNode): AssignNode {
    const { name, span } = node
    const dot = name.indexOf(".", 1)
    const head = name.slice(0, dot)
    if (dot < 0 || name[dot + 1] === "." || node.global || this.variable(head).kind !== "local") return node
    const keys = keysOf(name.slice(dot + 1).split("."))
    return { ...node, name: head, path: [...keys.map((value): Node => ({ kind: "literal", value, span })), ...(node.path ?? [])] }
  }

  /** Where the variable keeps its owner mark, when it has one. */
  private markOf(name: string): string | undefined {
    if (this.variable(name).kind === "local") return this.flagged.has(name) ? generated.local(name) : undefined
    const cell = this.cellOf(name)
    return cell === undefined ? undefined : generated.global(this.program.cell(cell))
  }

  private appendTo(node: AssignNode, verb: Verb, y: string, wanted: boolean): string {
    const x = this.readName(node.name, node.span, false)
    const join = this.program.object(verb.dyad)
    const mark = this.markOf(node.name)
    const t = this.called(node.span, `${this.rt("joined")}(${x},${mark ?? generated.nobody},${y},${join},k)`)
    // Where the result is used, somebody else holds it too: `a[0]:a,:1` would put the list into itself.
    // The result of a function is used unless its caller says that it is not.
    const used = wanted && !(this.endsIn(node) && this.variable(node.name).kind === "global")
    if (used || mark === undefined) this.writeName(node.name, t, node.span)
    else {
      const joined = `${this.rt("markAfterJoin")}(${t},${x},${mark},${y})`
      this.writeName(node.name, t, node.span, this.temp(wanted ? `dropped?${joined}:${generated.nobody}` : joined))
    }
    return t
  }

  /** Is this what the function being compiled gives? */
  private endsIn(node: AssignNode): boolean {
    return !this.isTop && this.body.at(-1) === node
  }

  /** Is this a global that has no cell of its own, an entry of a dictionary, or a directory? */
  private isDeep(name: string): boolean {
    return this.variable(name).kind === "global" && this.cellOf(name) === undefined
  }

  private amendDeep(
    node: AssignNode,
    path: readonly (string | undefined)[],
    verb: Verb | undefined,
    y: string | undefined,
    wanted: boolean,
  ): string {
    const places = `[${path.map((i) => i ?? this.rt("N")).join(",")}]`
    const f = verb === undefined ? "undefined" : this.program.object(verb)
    const amended = `V.amend(${JSON.stringify(node.name)},${places},${f},${y ?? "undefined"},${wanted && verb !== undefined})`
    const t = this.called(node.span, amended)
    return wanted && verb === undefined ? y! : t
  }

  private assignAt(node: AssignNode, wanted: boolean): string {
    const value = node.value === undefined ? undefined : this.expression(node.value)
    const y = value?.startsWith("v$") === true && node.path!.some(assigns) ? this.temp(value) : value
    const path = this.arguments(node.path!)
    const { verb } = node
    if (this.isDeep(node.name)) return this.amendDeep(node, path, verb, y, wanted)
    const x = this.readForAmend(node)
    const mark = this.markOf(node.name) ?? generated.nobody
    const f = verb === undefined ? "undefined" : this.program.object(verb)
    const places = `[${path.map((i) => i ?? "undefined").join(",")}]`
    const simple = verb === undefined && path.length === 1 && path[0] !== undefined
    const result = this.called(
      node.span,
      simple
        ? `${this.rt("setItem")}(${x},${mark},${path[0]},${y},k)`
        : `${this.rt("amend")}(${x},${mark},${places},${f},${y ?? "undefined"},k)`,
    )
    // What can be interrupted comes before the variable is written.
    const wantedValue = !wanted ? this.rt("N") : verb === undefined ? y! : this.temp(`${this.rt("index")}(${result},${places},k)`)
    this.writeName(node.name, result, node.span, generated.amended(this.rt("ownership"), result, x, mark), places)
    return wantedValue
  }

  /** An undefined name that is amended counts as nil: `` a[`x]:5 `` makes a dictionary. */
  private readForAmend(node: AssignNode): string {
    const variable = this.variable(node.name)
    if (variable.kind === "local") return variable.js
    const c = this.program.cell(this.cellOf(node.name)!)
    return this.temp(`${c}.value??T.fetch(${c})??${this.rt("N")}`)
  }
}

/** Is this `n:n,y`, which is `n,:y` in other words? */
const appendedTo = ({ name, value }: AssignNode): { readonly f: Verb; readonly y: Node } | undefined =>
  value?.kind === "dyad" && value.f.kind === "verb" && value.f.verb.text === "," && value.x.kind === "name" && value.x.name === name
    ? { f: value.f.verb, y: value.y }
    : undefined
