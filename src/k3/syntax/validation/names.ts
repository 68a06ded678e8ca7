/**
 * Warns of names that are read before they have a value.
 *
 * A name counts as known when the session holds it, when the same statement or an earlier one assigns it, or when it appears as a symbol, since an
 * amendment by name makes the variable. In the body of a function it also counts when a later statement assigns it, since the body runs later. Does
 * not: see assignments by executed strings, by scripts, or by other functions at run time; after `\l` an unknown name is only a hint.
 */
import { nodesIn, type ItemNodes, type Node, type NodeOf } from "../ast.ts"
import { IMPLICIT, implicit, isBelowRoot, localNames } from "../scope.ts"
import { systemWords } from "../../primitives/systemTable.ts"
import { symbolOf, Symbols, Sym } from "../../values/value.ts"
import type { Finding, Parsed } from "./Finding.ts"
import { nearest } from "../../text/nearest.ts"
import { newcomers } from "./newcomers.ts"

/** The variables of a session: their paths (`.k.a.b`) with K's type codes, and the current directory, for relative names. */
export interface Held {
  readonly names: ReadonlyMap<string, number>
  readonly directory: string
}

/** The locals of a function, and those of the functions around it. */
export type LocalNames = ReadonlySet<string>

/** The type code of a function. */
const FUNCTION = 7
/** Known names whose spelling is compared with an unknown name. */
const MOST_COMPARED = 2000
/** Unknown names that are reported at most. Code with more of them is meant for another session. */
const MOST_TOLD = 40

const headOf = (name: string): string => name.split(".", 1)[0]!

/** A name's first part without its directory: `a` for `a.b`, for `.k.a` and for `.lib.a.b`; `lib` for `.lib`. */
const bareOf = (name: string): string => (name.startsWith(".") ? (name.split(".", 3).pop() ?? "") : headOf(name))

/** May the value be a function? True for a function, and for an expression that can give one. */
const mayBeFunction = (node: Node | undefined): boolean =>
  node !== undefined && ["lambda", "verb", "derived", "section", "compose", "apply", "name"].includes(node.kind)

const parametersOf = ({ params, body }: NodeOf<"lambda">): readonly string[] => params ?? IMPLICIT.slice(0, Math.max(1, implicit(body)))

const scopeOf = (node: NodeOf<"lambda">, outer: LocalNames | undefined): LocalNames => {
  const locals = new Set([...(outer ?? []), ...parametersOf(node)])
  localNames(node.body, locals, new Set())
  return locals
}

/** All nodes, each with the scope of its function; undefined outside of functions. */
export function* scopedNodes(items: ItemNodes, scope?: LocalNames): Generator<readonly [node: Node, scope: LocalNames | undefined], void> {
  for (const node of nodesIn(items)) {
    yield [node, scope]
    if (node.kind === "lambda") yield* scopedNodes(node.body, scopeOf(node, scope))
  }
}

/** For a value that may be a function: the number of its parameters, or 0 when it is not read; undefined for another value. */
type Assigned = number | undefined

/** A function without parameters takes any one argument. */
const parametersIn = (value: Node | undefined): number => (value?.kind === "lambda" ? parametersOf(value).length : 0)

/** The globals that a statement assigns. */
const assignments = ({ tree }: Parsed): ReadonlyMap<string, Assigned> => {
  const found = new Map<string, Assigned>()
  for (const [node, scope] of scopedNodes(tree.statements)) {
    if (node.kind !== "assign" || (!node.global && scope?.has(headOf(node.name)) === true)) continue
    const { name, path, verb, value } = node
    if (verb === undefined || path !== undefined)
      found.set(name, verb === undefined && path === undefined && mayBeFunction(value) ? parametersIn(value) : undefined)
  }
  return found
}

/** The symbols of a statement. */
function* symbolsIn({ tree }: Parsed): Generator<string, void> {
  for (const node of nodesIn(tree.statements, true)) {
    const value = node.kind === "literal" ? node.value : undefined
    const ids = value instanceof Sym ? [value.id] : value instanceof Symbols ? value.v : []
    for (const id of ids) yield symbolOf(id).text
  }
}

/** The directory that `\d path` enters from another one; the root is the empty string. */
export const entered = (directory: string, path: string): string => {
  if (path === "^") return directory.slice(0, Math.max(directory.lastIndexOf("."), 0))
  return path.startsWith(".") ? path.replace(/\.$/, "") : `${directory}.${path}`
}

/** The directory after a `\command`. */
const after = (directory: string, command: string): string => {
  const path = /^\s*\\d\s+(\S+)/.exec(command)?.[1]
  return path === undefined ? directory : entered(directory, path)
}

const absolute = (directory: string, name: string): string => (name.startsWith(".") ? name : `${directory}.${name}`)

/** The path of a name's first part: `.k.a` for `a.b`, and for `.k.a.b`. */
const pathOf = (directory: string, name: string): string =>
  name.startsWith(".") ? name.split(".", 3).join(".") : absolute(directory, headOf(name))

/** The directories above a path. */
function* above(path: string): Generator<string, void> {
  for (let cut = path.indexOf(".", 1); cut > 0; cut = path.indexOf(".", cut + 1)) yield path.slice(0, cut)
}

/** The names known so far, statement by statement. */
export class Names {
  /** Paths of directories above known names. */
  private readonly directories = new Set<string>()
  /** Paths that the code has assigned so far. */
  private readonly assigned = new Map<string, Assigned>()
  /** Paths that any statement of the code assigns, and the directories above them. */
  private readonly later = new Set<string>()
  /** First parts of names that appear as symbols, whatever their directory. */
  private readonly mentioned = new Set<string>()
  /** Unknown names that were reported: each is reported once. */
  private readonly told = new Set<string>()
  private directory: string
  /** Did the code load a script, which may assign any name? */
  private loads = false

  /** `all`: the commands, and the statements that could be parsed, in order. */
  constructor(
    private readonly held: Held,
    all: readonly (string | Parsed)[],
  ) {
    this.directory = held.directory
    for (const path of held.names.keys()) this.enter(path)
    let { directory } = held
    for (const each of all)
      if (typeof each === "string") directory = after(directory, each)
      else
        for (const name of assignments(each).keys()) {
          this.later.add(pathOf(directory, name))
          for (const path of above(absolute(directory, name))) this.later.add(path)
        }
  }

  /** Takes a `\command` into account. */
  command(source: string): void {
    this.loads ||= /^\s*\\l\b/.test(source)
    this.directory = after(this.directory, source)
  }

  /** Takes a statement into account that could not be parsed: a name before a colon counts as assigned. */
  assume(source: string): void {
    for (const [, name] of source.matchAll(/(?<![\w.`_])([A-Za-z]\w*)(?:\[[^\][\n]{0,80}\])?:/g)) this.assign(name!, 0)
  }

  isKnown(name: string): boolean {
    const path = this.pathOf(name)
    const exists = this.assigned.has(path) || this.held.names.has(path) || this.directories.has(path)
    return path === ".k" || path === ".t" || exists || this.mentioned.has(bareOf(name))
  }

  /** Does the name hold a function, as far as is known without running the code? `undefined` for a name without a value. */
  holdsFunction(name: string): boolean | undefined {
    const path = this.pathOf(name)
    if (this.assigned.has(path)) return this.assigned.get(path) !== undefined
    const type = this.held.names.get(path)
    return type === undefined ? undefined : type === FUNCTION
  }

  /** The number of parameters, when the code has assigned a function to the name; it is read where these names are local. */
  parameters(name: string, scope: LocalNames | undefined): number | undefined {
    return scope?.has(headOf(name)) === true ? undefined : this.assigned.get(absolute(this.directory, name))
  }

  /** Has the code assigned a variable of this name, in whatever directory? */
  private isElsewhere(name: string): boolean {
    return [...this.assigned.keys()].some((path) => path.endsWith(`.${name}`))
  }

  /** The path of a name's first part: `.k.a` for `a.b`, and for `.k.a.b`. */
  private pathOf(name: string): string {
    return pathOf(this.directory, name)
  }

  /** Records the directories above a path. */
  private enter(path: string): void {
    for (const each of above(path)) this.directories.add(each)
  }

  private assign(name: string, value: Assigned): void {
    const path = absolute(this.directory, name)
    this.enter(path)
    if (path.includes(".", 1)) this.assigned.set(this.pathOf(name), value && 0)
    this.assigned.set(path, value)
  }

  /** Takes the next statement into account; gives warnings of the unknown names that it reads. */
  check(parsed: Parsed): readonly Finding[] {
    for (const [name, value] of assignments(parsed)) this.assign(name, value)
    for (const name of symbolsIn(parsed)) this.mentioned.add(bareOf(name))
    return Array.from(scopedNodes(parsed.tree.statements), ([node, scope]) => {
      const isRead = node.kind === "name" || (node.kind === "assign" && node.verb !== undefined && node.path === undefined)
      return isRead ? this.unknown(node, scope) : undefined
    }).filter((finding) => finding !== undefined)
  }

  /** A finding for the first read of an unknown name. */
  private unknown(node: Node & { readonly name: string }, scope: LocalNames | undefined): Finding | undefined {
    const { span } = node
    const isExecuted = isBelowRoot(node.name) && !this.isKnown(node.name) && !this.later.has(node.name)
    const name = isExecuted ? node.name.slice(1) : node.name
    const head = headOf(name)
    if (this.told.size >= MOST_TOLD || scope?.has(head) === true || this.isKnown(name) || this.told.has(name)) return undefined
    const isLater = this.later.has(this.pathOf(name))
    if (scope !== undefined && isLater) return undefined
    this.told.add(name)
    const later = isLater ? "; it is assigned only further down" : this.isElsewhere(head) ? "; it is assigned in another directory" : ""
    const near = this.suggestion(name, scope)
    const runs = scope === undefined ? "nothing has given it a value" : "nothing has given it a value, and in a function it reads as nil"
    return {
      severity: this.loads ? "hint" : "warning",
      code: "unknown-name",
      message: this.loads ? `${name} is known only if the loaded script defines it` : `${name}: ${runs}${later}`,
      span,
      instead: newcomers.get(name) ?? (isExecuted && near !== undefined ? `.${near}` : near),
    }
  }

  /** A system name without its `_`, two names around `_`, or the known name with the nearest spelling. */
  private suggestion(name: string, scope: LocalNames | undefined): string | undefined {
    if (name.length > 2 && systemWords.includes(`_${name}`)) return `_${name}`
    const [first, ...rest] = name.split("_")
    if (rest.length > 0 && first !== "" && (scope?.has(first!) === true || this.isKnown(first!)))
      return `${first} _ ${rest.join("_")} with blanks, for the verb _`
    return nearest(name, [...(scope ?? []), ...this.neighbours()])
  }

  /** Names of the current directory, `MOST_COMPARED` at most. */
  private neighbours(): readonly string[] {
    const start = `${this.directory}.`
    const inside = [...this.assigned.keys(), ...this.held.names.keys()].filter((path) => path.startsWith(start))
    return inside.slice(0, MOST_COMPARED).map((path) => headOf(path.slice(start.length)))
  }
}
