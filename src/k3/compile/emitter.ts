/**
 * The parts of a generated program: its parameters, and for each function its lines, temporaries, places to blame, and variables.
 *
 * Guarantees: a read of a variable that may let its value out clears its ownership. Does not: know expressions; `generate.ts` does.
 */
import type { Span } from "../run/KError.ts"
import { tick } from "../run/budget.ts"
import type { Kernel } from "../run/kernel.ts"
import { runtime, type RuntimeName } from "./runtime.ts"
import { isBelowRoot } from "../syntax/scope.ts"
import type { Cell } from "../tree/Directory.ts"
import { keysOf, type Tree } from "../tree/tree.ts"
import { generated } from "../values/ownership.ts"
import type { Value } from "../values/value.ts"

/** A text that errors are blamed on: a statement or a function. */
export interface Unit {
  readonly source: string
  /** Indexed by the `p` of the generated code; the first is the whole. */
  readonly spans: readonly Span[]
  readonly name: string | undefined
}

/** What generated code and its interpreter share. */
export interface Context extends Kernel {
  readonly tree: Tree
  /** Calls now open, and how many there may be. */
  readonly depth: { n: number; max: number }
  /** Hears of calls and of variables written; without it nothing of the kind is compiled in. */
  readonly trace: Trace | undefined
  /** Adds a frame to an error on its way out; gives the error to throw. */
  blame(error: unknown, unit: Unit, p: number): unknown
}

export interface Trace {
  called(unit: Unit, args: readonly Value[]): void
  wrote(cell: Cell): void
}

/** A function made of generated code. */
export type Made = (...values: unknown[]) => Value

/** Values that are parameters of their own; what comes after stands in one list, since the host takes 65,534. */
const PARAMETERS = 1024

/** One generated program: its parameters and what is hoisted out of all functions. */
export class Program {
  readonly parameters: string[] = []
  readonly values: unknown[] = []
  private readonly more: unknown[] = []
  readonly cells = new Map<Cell, string>()
  readonly assigned = new Set<Cell>()
  /** Read through `V.lookup`. */
  readonly paths = new Set<string>()
  readonly hoisted: string[] = []
  private readonly named = new Map<unknown, string>()
  private readonly pieces: (string | Made)[] = []
  private readonly runPiece = (i: number, given: unknown): Value => this.piece(i)(...this.values, given)
  private functions = 0

  constructor(
    readonly context: Context,
    /** Names met in functions: reading one of them at the top level is nil when it has no value, as Kona does. */
    readonly mentioned: Set<string>,
    /** Makes the function of a text. */
    private readonly make: (parameters: readonly string[], code: string) => Made,
  ) {}

  /** The text that reads the value: the name, or a place in `M`. */
  parameter(name: string, value: unknown): string {
    if (this.parameters.length > PARAMETERS) return `M[${this.more.push(value) - 1}]`
    if (this.parameters.length === PARAMETERS) {
      this.parameters.push("M")
      this.values.push(this.more)
      return this.parameter(name, value)
    }
    this.parameters.push(name)
    this.values.push(value)
    return name
  }
  runtime(name: RuntimeName): string {
    return this.object(runtime[name], name)
  }
  /** A value or function as a parameter, once. */
  object(value: unknown, name = `L${this.named.size}`): string {
    let known = this.named.get(value)
    if (known === undefined) this.named.set(value, (known = this.parameter(name, value)))
    return known
  }
  /** An int as a parameter: statements that differ in their numbers alone are then one program. */
  int(value: number): string {
    return this.object(value, `i${this.named.size}`)
  }
  cell(cell: Cell): string {
    let name = this.cells.get(cell)
    if (name === undefined) this.cells.set(cell, (name = this.parameter(`c${this.cells.size}`, cell)))
    return name
  }
  fresh(): number {
    return this.functions++
  }
  /**
   * The text that makes a function of this code when it gets there, and calls it. The code sees the same parameters, and `S`, which sets the
   * place to blame around it.
   */
  later(code: string): string {
    return `${this.object(this.runPiece, "Q")}(${this.pieces.push(code) - 1},n=>{p=n})`
  }
  private piece(i: number): Made {
    const piece = this.pieces[i]!
    return typeof piece === "string" ? (this.pieces[i] = this.make([...this.parameters, "S"], piece)) : piece
  }
}

/** Lines that become a function of their own: some milliseconds of the host's compiling, in which no interrupt is heard. */
const PIECE = 1024
/** Lines that a function written in the text counts for. */
const FUNCTION = 8
/** What compiling a line costs. */
const STEPS = 16

/** Where in the lines and temporaries of a function, and what is hoisted out of it, something begins. */
interface Place {
  readonly line: number
  readonly temp: number
  readonly hoisted: number
}

/** A variable as the code of one function sees it. */
type Variable = { readonly kind: "local"; readonly js: string } | { readonly kind: "global"; readonly path: string }

export abstract class Emitter {
  private readonly lines: string[] = []
  protected temps = 0
  /** Lines up to the last that leaves the function. */
  private returned = 0
  /** Loops around what is being compiled. */
  protected loops = 0
  readonly spans: Span[]
  readonly captured = new Set<string>()
  usesGlobals = false
  constructor(
    protected readonly program: Program,
    /** Offset of the function's text in the statement's. */
    private readonly offset: number,
    length: number,
    private readonly parent: Emitter | undefined,
    private readonly own: ReadonlySet<string>,
    /** Locals that are amended, and so have a flag. */
    protected readonly flagged: ReadonlySet<string>,
    protected readonly self: { readonly value: string; readonly run: string; readonly valence: number } | undefined,
  ) {
    this.spans = [{ start: 0, end: length }]
  }

  get source(): string {
    return this.lines.join("\n")
  }
  /** For the declaration of locals: `,t0,t1`. */
  get temporaries(): string {
    return this.temporariesFrom(0)
  }
  private temporariesFrom(first: number): string {
    let out = ""
    for (let i = first; i < this.temps; i++) out += `,t${i}`
    return out
  }
  protected get isTop(): boolean {
    return this.self === undefined
  }

  protected emit(line: string): void {
    tick(1)
    this.lines.push(line)
  }
  protected emitReturn(line: string): void {
    this.emit(line)
    this.returned = this.lines.length
  }
  protected get here(): Place {
    return { line: this.lines.length, temp: this.temps, hoisted: this.program.hoisted.length }
  }
  /**
   * Are the lines since then many? Then they become a function that gives `result`, and the text of its call is given: the host compiles it
   * when it gets there, so that what is long can be stopped in between. What leaves the function around stays in it.
   */
  protected apart(from: Place, result: () => string): string | undefined {
    const count = this.lines.length - from.line + FUNCTION * (this.program.hoisted.length - from.hoisted)
    if (count < PIECE || this.returned > from.line) return undefined
    const temporaries = this.temporariesFrom(from.temp)
    const body = `${this.lines.splice(from.line).join("\n")}\nreturn ${result()};`
    this.temps = from.temp
    const pay = `${this.rt("tick")}(${STEPS * count})`
    if (this.isTop) {
      const hoisted = this.program.hoisted.splice(from.hoisted).join("")
      return `(${pay},${this.program.later(`"use strict";${hoisted}let p=0${temporaries};try{\n${body}\n}catch(e){S(p);throw e}`)})`
    }
    const name = `q${this.program.fresh()}`
    this.emit(`const ${name}=()=>{let _${temporaries};\n${body}};`)
    return `(${pay},${name}())`
  }
  protected temp(expression: string): string {
    const t = `t${this.temps++}`
    this.emit(`${t}=${expression};`)
    return t
  }
  protected rt(name: RuntimeName): string {
    return this.program.runtime(name)
  }
  /** Sets the place to blame for what follows in the same expression. */
  protected at(span: Span): string {
    this.spans.push({ start: span.start - this.offset, end: span.end - this.offset })
    return `p=${this.spans.length - 1}`
  }
  protected called(span: Span, expression: string): string {
    return this.temp(`(${this.at(span)},${expression})`)
  }

  /** Is this a local here or, to be captured, in a function around? */
  sees(name: string): boolean {
    if (this.own.has(name) || this.captured.has(name)) return true
    if (this.parent === undefined || this.parent.isTop || !this.parent.sees(name)) return false
    this.captured.add(name)
    return true
  }
  protected variable(name: string): Variable {
    if (!this.isTop) this.program.mentioned.add(name)
    if (!this.isTop && this.sees(name)) return { kind: "local", js: `v$${name}` }
    if (!name.startsWith(".")) this.usesGlobals = true
    return { kind: "global", path: name }
  }
  protected cellOf(path: string): Cell | undefined {
    const place = this.program.context.tree.place(path)
    return "cell" in place && place.keys.length === 0 ? place.cell : undefined
  }

  protected readName(name: string, span: Span, escapes: boolean): string {
    const dot = name.indexOf(".", 1)
    const head = dot > 0 ? name.slice(0, dot) : name
    const variable = this.variable(head)
    if (variable.kind === "local") {
      if (dot > 0) {
        const keys = this.program.object(keysOf(name.slice(dot + 1).split(".")))
        return this.called(span, `(${this.rt("below")}(${variable.js},${keys})??${this.rt("N")})`)
      }
      if (escapes && this.flagged.has(name)) this.emit(generated.share(generated.local(name)))
      return variable.js
    }
    const cell = this.cellOf(name)
    if (cell === undefined) {
      this.program.paths.add(name)
      return this.called(span, `V.lookup(${JSON.stringify(name)})`)
    }
    const c = this.program.cell(cell)
    if (escapes) this.emit(generated.share(generated.global(c)))
    const t = this.temp(`${c}.value`)
    if (isBelowRoot(name)) {
      this.emit(`if(${t}===undefined&&(${t}=T.fetch(${c}))===undefined){`)
      const x = this.readName(name.slice(1), span, true)
      this.emit(`${this.at(span)};${t}=${this.rt("execute")}(${x},k);}`)
      return t
    }
    const strict = this.isTop && !this.program.mentioned.has(name)
    const otherwise = strict ? `${this.rt("absent")}(${JSON.stringify(name)})` : this.rt("N")
    this.emit(`if(${t}===undefined){${this.at(span)};${t}=T.fetch(${c})??${otherwise};}`)
    return t
  }

  /** `mark`: the owner mark of the variable from now on. `places`: the text of the indices that were amended, for `_i` in triggers. */
  protected writeName(name: string, expression: string, span: Span, mark: string = generated.nobody, places?: string): void {
    const variable = this.variable(name)
    if (variable.kind === "local") {
      // The mark first: it may ask what the variable held.
      if (this.flagged.has(name)) this.emit(`${generated.local(name)}=${mark};`)
      this.emit(`${variable.js}=${expression};`)
      return
    }
    const cell = this.cellOf(name)
    if (cell === undefined) {
      this.emit(`${this.at(span)};V.assign(${JSON.stringify(name)},${expression});`)
      return
    }
    this.program.assigned.add(cell)
    const c = this.program.cell(cell)
    const put = places === undefined ? `T.put(${c},${expression})` : `V.putAt(${c},${expression},${places})`
    const entered = places === undefined ? "" : `if(${expression}.t===5){${this.at(span)};V.entered(${c},${expression},${places});}`
    this.emit(`if(${c}.watch===undefined){${generated.assign(c, expression, mark)}${entered}}else{${this.at(span)};${put};}`)
    if (this.program.context.trace !== undefined) this.emit(`k.trace.wrote(${c});`)
  }
}
