/**
 * Names that nothing gives a value, over the statements of a code in order.
 *
 * A name counts as known when the session holds it, when an earlier statement or the same one assigns it, or when it is mentioned as a
 * symbol, since amending by name makes it. In a function body any assignment in the code will do: it runs later. Does not: follow what
 * strings of K, scripts or other functions assign at run time; after `\l` an unknown name is only a hint.
 */
import { children, type Items, type Node } from "../ast.ts"
import { IMPLICIT, implicit, localNames } from "../scope.ts"
import { systemNames } from "../../primitives/systemTable.ts"
import { symbolOf, Symbols, Sym } from "../../values/value.ts"
import type { Finding, Parsed } from "./Finding.ts"
import { nearest } from "./nearest.ts"
import { newcomers } from "./newcomers.ts"

/** What a session holds: paths such as `.k.a.b` with K's type codes, and the directory that relative names are in. */
export interface Held {
  readonly names: ReadonlyMap<string, number>
  readonly directory: string
}

interface Scope {
  readonly locals: ReadonlySet<string>
  readonly outer: Scope | undefined
}

const FUNCTION = 7
const MOST_NEIGHBOURS = 2000
/** More unknown names than that say one thing: this code is for another session. */
const MOST_TOLD = 40

const headOf = (name: string): string => name.split(".", 1)[0]!

const has = (scope: Scope | undefined, name: string): boolean => scope !== undefined && (scope.locals.has(name) || has(scope.outer, name))

const makesFunction = (node: Node | undefined): boolean =>
  node !== undefined && ["lambda", "verb", "derived", "section", "compose", "apply", "name"].includes(node.kind)

/** The names a statement assigns outside of functions' locals, with whether the value is, or may be, a function. */
const assignments = (items: Items, scope: Scope | undefined, found: Map<string, boolean>): void => {
  for (const node of items) {
    if (node === undefined) continue
    if (node.kind === "assign" && (node.global || !has(scope, headOf(node.name)))) {
      const whole = node.path === undefined && node.verb === undefined
      if (whole || node.path !== undefined) found.set(node.name, whole && makesFunction(node.value))
    }
    if (node.kind === "lambda") assignments(node.body, scopeOf(node, scope), found)
    else assignments(children(node), scope, found)
  }
}

const scopeOf = (node: Node & { readonly kind: "lambda" }, outer: Scope | undefined): Scope => {
  const locals = new Set(node.params ?? IMPLICIT.slice(0, Math.max(1, implicit(node.body))))
  localNames(node.body, locals, new Set())
  return { locals, outer }
}

const symbolsIn = (items: Items, found: Set<string>): void => {
  for (const node of items) {
    if (node === undefined) continue
    if (node.kind === "literal") {
      if (node.value instanceof Sym) found.add(headOf(node.value.text.replace(/^\.k\./, "")))
      else if (node.value instanceof Symbols) for (const id of node.value.v) found.add(headOf(symbolOf(id).text))
    }
    symbolsIn(node.kind === "lambda" ? node.body : children(node), found)
  }
}

const own = new Set(systemNames.map(({ glyph }) => glyph))

export class Names {
  private readonly directories = new Set<string>()
  private readonly assigned = new Map<string, boolean>()
  private readonly later = new Set<string>()
  private readonly mentioned = new Set<string>()
  private readonly told = new Set<string>()
  private directory: string
  private loads = false

  /** `all`: every statement that could be read, in order. */
  constructor(
    private readonly held: Held,
    all: readonly Parsed[],
  ) {
    this.directory = held.directory
    for (const path of held.names.keys()) this.enter(path)
    for (const { tree } of all) {
      const found = new Map<string, boolean>()
      assignments(tree.statements, undefined, found)
      for (const name of found.keys()) this.later.add(headOf(name))
    }
  }

  /** A `\command` among the statements. */
  command(source: string): void {
    if (/^\s*\\l\b/.test(source)) this.loads = true
    const path = /^\s*\\d\s+(\S+)/.exec(source)?.[1]
    if (path === undefined) return
    if (path === "^") this.directory = this.directory.slice(0, Math.max(this.directory.lastIndexOf("."), 0)) || ".k"
    else this.directory = path.startsWith(".") ? path : `${this.directory}.${path}`
  }

  /** A statement that could not be read whole: what looks assigned in it counts as assigned. */
  assume(source: string): void {
    for (const [, name] of source.matchAll(/(?<![\w.`_])([A-Za-z]\w*)(?:\[[^\][\n]{0,80}\])?:/g)) this.assign(name!, true)
  }

  isKnown(name: string): boolean {
    const path = this.pathOf(name)
    return path === ".k" || path === ".t" || this.exists(path) || (!name.startsWith(".") && this.mentioned.has(headOf(name)))
  }

  /** A function by this name, as far as can be told without running it. */
  isFunction(name: string): boolean {
    const path = this.pathOf(name)
    return this.assigned.get(path) ?? this.held.names.get(path) === FUNCTION
  }

  /** A variable by this name that is no function, as far as can be told. */
  isVariable(name: string): boolean {
    const path = this.pathOf(name)
    return !(this.assigned.get(path) ?? (this.held.names.get(path) ?? FUNCTION) === FUNCTION)
  }

  /** Where the head of a name is: `.k.a` for `a.b`, and for `.k.a.b`. */
  private pathOf(name: string): string {
    return name.startsWith(".") ? name.split(".", 3).join(".") : `${this.directory}.${headOf(name)}`
  }

  private exists(path: string): boolean {
    return this.assigned.has(path) || this.held.names.has(path) || this.directories.has(path)
  }

  /** The directories above a path. */
  private enter(path: string): void {
    for (let cut = path.indexOf(".", 1); cut > 0; cut = path.indexOf(".", cut + 1)) this.directories.add(path.slice(0, cut))
  }

  private assign(name: string, isFunction: boolean): void {
    const path = name.startsWith(".") ? name : `${this.directory}.${name}`
    this.enter(path)
    if (path.includes(".", 1)) this.assigned.set(this.pathOf(name), isFunction)
    this.assigned.set(path, isFunction)
  }

  /** The unknown names of the next statement. */
  check({ tree }: Parsed): readonly Finding[] {
    const found = new Map<string, boolean>()
    assignments(tree.statements, undefined, found)
    for (const [name, isFunction] of found) this.assign(name, isFunction)
    symbolsIn(tree.statements, this.mentioned)
    const findings: Finding[] = []
    this.walk(tree.statements, undefined, findings)
    return findings
  }

  private walk(items: Items, scope: Scope | undefined, findings: Finding[]): void {
    for (const node of items) {
      if (node === undefined) continue
      if (node.kind === "name") this.read(node, scope, findings)
      else if (node.kind === "assign" && node.verb !== undefined && node.path === undefined) this.read(node, scope, findings)
      if (node.kind === "lambda") this.walk(node.body, scopeOf(node, scope), findings)
      else this.walk(children(node), scope, findings)
    }
  }

  private read(node: Node & { readonly name: string }, scope: Scope | undefined, findings: Finding[]): void {
    const { name, span } = node
    const head = headOf(name)
    if (this.told.size >= MOST_TOLD || has(scope, head) || this.isKnown(name) || this.told.has(name)) return
    if (scope !== undefined && this.later.has(head)) return
    this.told.add(name)
    const habit = newcomers.get(name)
    const later = this.later.has(head) ? "; it is assigned only further down" : ""
    const runs = scope === undefined ? "nothing has given it a value" : "nothing has given it a value, and in a function it reads as nil"
    findings.push({
      severity: this.loads ? "hint" : "warning",
      code: "unknown-name",
      message: this.loads ? `${name} is known only if the loaded script defines it` : `${name}: ${runs}${later}`,
      span,
      instead: habit ?? this.meant(name, scope),
    })
  }

  private meant(name: string, scope: Scope | undefined): string | undefined {
    if (name.length > 2 && own.has(`_${name}`)) return `_${name}`
    const [first, ...rest] = name.split("_")
    if (rest.length > 0 && first !== "" && (has(scope, first!) || this.isKnown(first!)))
      return `${first} _ ${rest.join("_")} with blanks, for the verb _`
    const locals: string[] = []
    for (let s = scope; s !== undefined; s = s.outer) locals.push(...s.locals)
    return nearest(name, [...locals, ...this.neighbours()])
  }

  /** Names of the current directory, not more than are worth comparing. */
  private neighbours(): readonly string[] {
    const start = `${this.directory}.`
    const found: string[] = []
    for (const path of [...this.assigned.keys(), ...this.held.names.keys()]) {
      if (path.startsWith(start)) found.push(headOf(path.slice(start.length)))
      if (found.length >= MOST_NEIGHBOURS) break
    }
    return found
  }
}
