/**
 * Decides whether a name in a function is local or global.
 *
 * Guarantees: a name is local when the function, or one around it, makes it local; using a local of an enclosing function captures it. Does not: read
 * or write variables (`variables.ts`).
 */
import type { Program } from "./Program.ts"
import type { Sym } from "../values/value.ts"
import type { Cell } from "../tree/Directory.ts"
import { keysOf } from "../tree/place.ts"

/** A local. For `d.a`, `keys` lead into the dictionary that it holds. */
export interface Local {
  readonly kind: "local"
  readonly name: string
  readonly keys: readonly Sym[]
}
/** A global, or the path of an entry of a dictionary, an attribute or a directory. */
export type Global = { readonly kind: "cell"; readonly cell: Cell } | { readonly kind: "path"; readonly path: string }
export type ScopedVariable = Local | Global

export class Scope {
  /** Locals of enclosing functions that are used here. */
  readonly captured = new Set<string>()
  usesGlobals = false

  constructor(
    private readonly program: Program,
    /** Undefined at the top level. */
    private readonly around: Scope | undefined,
    readonly own: ReadonlySet<string>,
    /** Locals that may own their values, and therefore have an owner mark. */
    readonly marked: ReadonlySet<string>,
  ) {}

  get isTop(): boolean {
    return this.around === undefined
  }

  private sees(name: string): boolean {
    if (this.own.has(name) || this.captured.has(name)) return true
    if (this.around?.sees(name) !== true) return false
    this.captured.add(name)
    return true
  }

  /** The local that is the first part of a name; undefined when there is none. */
  local(name: string): Local | undefined {
    const dot = name.indexOf(".", 1)
    const head = dot < 0 ? name : name.slice(0, dot)
    if (!this.isTop) this.program.mentioned.add(head)
    if (!this.sees(head)) return undefined
    return { kind: "local", name: head, keys: dot < 0 ? [] : keysOf(name.slice(dot + 1).split(".")) }
  }

  global(name: string): Global {
    const { tree } = this.program.context
    const isAbsolute = name.startsWith(".")
    if (!isAbsolute) this.usesGlobals = true
    const place = tree.mention(name)
    if ("cell" in place && place.keys.length === 0) return { kind: "cell", cell: place.cell }
    // A function may be called in another directory.
    return { kind: "path", path: isAbsolute || this.isTop ? name : `${tree.current.path}.${name}` }
  }

  variable(name: string): ScopedVariable {
    return this.local(name) ?? this.global(name)
  }

  /** The variable that an assignment writes. Attributes (`a..d:x`) and entries assigned by `::` always belong to a global. */
  assigned(name: string, global: boolean): ScopedVariable {
    const dot = name.indexOf(".", 1)
    return dot > 0 && (global || name[dot + 1] === ".") ? this.global(name) : this.variable(name)
  }
}
