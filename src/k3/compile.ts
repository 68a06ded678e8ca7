/**
 * K to JavaScript.
 *
 * A statement, with all functions written in it, becomes the source of one JavaScript function, made by `new Function`. Why source and
 * not closures: on the loops of `bench/k3` (b2, b3) the optimising compiler of the host then sees K's locals as its own locals and K's
 * ints as its own ints, and the same programs run an order of magnitude faster than closures over a tree, for some tens of microseconds
 * per statement compiled; a small store of compiled statements pays that once.
 *
 * How to read what comes out: expressions are flattened into assignments to temporaries `t0, t1, …` in K's order of evaluation, right to
 * left; `v$a` is the local a, `o$a` says that v$a holds its value alone (see `amend.ts`), `c0` is the cell of a global, `p` the number of
 * the span to blame when the next call fails, `D.n` the depth of calls. Int paths of common verbs are inlined.
 *
 * Guarantees: a variable read that may let its value out clears ownership; one that only feeds a `fresh` verb or an index does not.
 * Does not: run anything, except making functions of the source.
 */
import { adverbs } from "./adverbs.ts"
import { amend, append, setItem } from "./amend.ts"
import { call, call1, call2, index } from "./apply.ts"
import { children, type AssignNode, type Items, type LambdaNode, type Node } from "./ast.ts"
import { tick } from "./budget.ts"
import { Applicable, applyTo, Composition, Derived, Lambda, Projection, type Args, type Verb } from "./function.ts"
import { KError, type Span } from "./KError.ts"
import type { Dyad, Kernel } from "./kernel.ts"
import type { Cell, Tree } from "./tree.ts"
import { Chars, collapse, Ints, List, NIL, Sym, sym, text, type Value } from "./value.ts"
import { vocabulary } from "./vocabulary.ts"

/** A text that errors are blamed on: a statement or a function. */
export interface Unit {
  readonly source: string
  /** Indexed by the `p` of the generated code; the first is the whole. */
  readonly spans: readonly Span[]
  readonly name: string | undefined
}

export interface Compiled {
  readonly run: () => Value
  /** The outermost operation is an assignment: the console prints nothing. */
  readonly quiet: boolean
  /** The outermost operation is `.x`, which is as quiet as what it runs. */
  readonly executes: boolean
  /** Cells that the statement assigns, and all that it names. */
  readonly assigns: readonly Cell[]
  readonly names: readonly Cell[]
}

/** What generated code and its interpreter share. */
export interface Context {
  readonly kernel: Kernel
  readonly tree: Tree
  /** Calls now open, and how many there may be. */
  readonly depth: { n: number; max: number }
  /** Assigns a watched cell that was amended at places. */
  putAt(cell: Cell, value: Value, places: Args): void
  /** Adds a frame to an error on its way out; gives the error to throw. */
  blame(error: unknown, unit: Unit, p: number): unknown
}

// What generated code calls beside the primitives

const truth = (x: Value): boolean => {
  if (typeof x === "number") return x !== 0
  if (x instanceof Ints && x.v.length === 1) return x.v[0] !== 0
  if (x instanceof List && x.v.length === 1) return truth(x.v[0]!)
  throw new KError("type", "a condition is an int")
}
const times = (x: Value): number => {
  if (typeof x === "number") return x
  throw new KError("type", "the count of do is an int")
}
const signal = (x: Value): never => {
  if (x instanceof Sym) throw new KError(x.text)
  if (x instanceof Chars) throw new KError(text(x.v))
  if (typeof x !== "number" && x.t === 3) throw new KError(String.fromCharCode(x.v))
  throw new KError("type", "a signal is a text or a symbol")
}
const tooDeep = (depth: { n: number; max: number }): never => {
  throw new KError("stack", `more than ${depth.max} calls deep`)
}
const absent = (cell: Cell): never => {
  throw new KError("value", `${cell.name.text} has no value`)
}
const derive = (f: Value, adverb: string): Derived => new Derived(f, adverbs[adverb]!)
const section = (f: Value, x: Value): Projection => new Projection(f, [x, undefined], true)
const compose = (f: Value, g: Value): Value => {
  const parts = [f, g]
    .flatMap((part) => (part instanceof Composition ? part.parts : [part]))
    .map((part) => (part instanceof Applicable ? part : new Projection(part, [undefined])))
  return new Composition(parts as [Applicable, ...Applicable[]])
}
/** `a,:y`. */
const joined = (x: Value, own: boolean, y: Value, join: Dyad, k: Kernel): Value => append(x, own, y) ?? join(x, y, k)

const runtime = {
  amend,
  setItem,
  joined,
  call,
  call1,
  call2,
  index,
  tick,
  applyTo,
  derive,
  section,
  compose,
  collapse,
  truth,
  times,
  signal,
  tooDeep,
  absent,
  Lambda,
  N: NIL,
} as const
type RuntimeName = keyof typeof runtime

/** Int paths: the text for two ints `a` and `b`, and the condition beside both being ints. */
const INT_DYADS: Readonly<
  Record<string, { readonly text: (a: string, b: string) => string; readonly when?: (a: string, b: string) => string }>
> = {
  "+": { text: (a, b) => `(${a}+${b})|0` },
  "-": { text: (a, b) => `(${a}-${b})|0` },
  "*": { text: (a, b) => `Math.imul(${a},${b})` },
  "<": { text: (a, b) => `${a}<${b}?1:0` },
  ">": { text: (a, b) => `${a}>${b}?1:0` },
  "=": { text: (a, b) => `${a}===${b}?1:0` },
  "&": { text: (a, b) => `${a}<${b}?${a}:${b}` },
  "|": { text: (a, b) => `${a}>${b}?${a}:${b}` },
  "!": { text: (a, b) => `${a}%${b}`, when: (a, b) => `&&${a}>=0&&${b}>0` },
}
const INT_MONADS: Readonly<Record<string, (x: string) => string>> = {
  "-": (x) => `-${x}|0`,
  "~": (x) => `${x}===0?1:0`,
  _: (x) => x,
}

/** Int literals, inlined or as parameters `i0`. */
const isInt = (expression: string): boolean => /^(?:i\d+|\(?-?\d+\)?)$/.test(expression)

/** Does evaluating this assign a variable? Functions it calls may change globals, but never locals. */
const assigns = (node: Node | undefined): boolean => node !== undefined && (node.kind === "assign" || children(node).some(assigns))

/** Does evaluating this neither assign nor call any function that might? */
const inert = (node: Node): boolean => {
  switch (node.kind) {
    case "literal":
    case "name":
    case "system":
    case "self":
    case "verb":
    case "lambda":
      return true
    case "monad":
      return node.f.kind === "verb" && node.f.verb.fresh.monad && inert(node.x)
    case "dyad":
      return node.f.kind === "verb" && node.f.verb.fresh.dyad && inert(node.x) && inert(node.y)
    default:
      return false
  }
}

/** The names a function body makes local by `n:e`, outside of the functions within it; and those it amends. */
const localNames = (nodes: Items, found: Set<string>, amended: Set<string>): void => {
  for (const node of nodes) {
    if (node === undefined) continue
    if (node.kind === "assign") {
      const plain = node.path === undefined && node.verb === undefined
      if (plain && !node.global && !node.name.includes(".")) found.add(node.name)
      if (!plain) amended.add(node.name)
    }
    localNames(children(node), found, amended)
  }
}

/** How many of x, y, z a body without a parameter list takes: those it names, also in functions within it that have a parameter list. */
const implicit = (nodes: Items, hidden: readonly string[] = []): number => {
  let most = 0
  for (const node of nodes) {
    if (node === undefined) continue
    if (node.kind === "name" || node.kind === "assign") {
      const head = node.name.split(".")[0]!
      if (!hidden.includes(head)) most = Math.max(most, IMPLICIT.indexOf(head) + 1)
    }
    const within =
      node.kind !== "lambda"
        ? implicit(children(node), hidden)
        : node.params === undefined
          ? 0
          : implicit(node.body, [...hidden, ...node.params])
    most = Math.max(most, within)
  }
  return most
}
const IMPLICIT = ["x", "y", "z"]

/** Makes the cells of the names a statement mentions, in the order it mentions them: that is their order in the tree. */
const mention = (nodes: Items, tree: Tree): void => {
  for (const node of nodes) {
    if (node === undefined) continue
    if (node.kind === "name" || node.kind === "assign") tree.place(node.name)
    mention(children(node), tree)
  }
}

/** One generated program: its parameters and what is hoisted out of all functions. */
class Program {
  readonly parameters: string[] = []
  readonly values: unknown[] = []
  readonly cells = new Map<Cell, string>()
  readonly assigned = new Set<Cell>()
  /** Names met in functions: reading one of them at the top level is nil when it has no value, as Kona does. */
  readonly mentioned = new Set<string>()
  readonly hoisted: string[] = []
  private readonly named = new Map<unknown, string>()
  private functions = 0

  constructor(readonly context: Context) {}

  parameter(name: string, value: unknown): string {
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
}

/** A variable as the code of one function sees it. */
type Variable = { readonly kind: "local"; readonly js: string } | { readonly kind: "global"; readonly path: string }

class FunctionCompiler {
  private readonly lines: string[] = []
  private temps = 0
  /** Loops around what is being compiled. */
  private loops = 0
  readonly spans: Span[]
  readonly captured = new Set<string>()
  usesGlobals = false
  constructor(
    private readonly program: Program,
    private readonly unitName: string,
    /** Offset of the function's text in the statement's. */
    private readonly offset: number,
    length: number,
    private readonly parent: FunctionCompiler | undefined,
    private readonly own: ReadonlySet<string>,
    /** Locals that are amended, and so have a flag. */
    private readonly flagged: ReadonlySet<string>,
    private readonly self: { readonly value: string; readonly run: string; readonly valence: number } | undefined,
  ) {
    this.spans = [{ start: 0, end: length }]
  }

  get source(): string {
    return this.lines.join("\n")
  }
  /** For the declaration of locals: `,t0,t1`. */
  get temporaries(): string {
    let out = ""
    for (let i = 0; i < this.temps; i++) out += `,t${i}`
    return out
  }
  private get isTop(): boolean {
    return this.self === undefined
  }

  private emit(line: string): void {
    this.lines.push(line)
  }
  private temp(expression: string): string {
    const t = `t${this.temps++}`
    this.emit(`${t}=${expression};`)
    return t
  }
  private rt(name: RuntimeName): string {
    return this.program.runtime(name)
  }
  /** Sets the place to blame for what follows in the same expression. */
  private at(span: Span): string {
    this.spans.push({ start: span.start - this.offset, end: span.end - this.offset })
    return `p=${this.spans.length - 1}`
  }
  private called(span: Span, expression: string): string {
    return this.temp(`(${this.at(span)},${expression})`)
  }

  // Variables

  /** Is this a local here or, to be captured, in a function around? */
  sees(name: string): boolean {
    if (this.own.has(name) || this.captured.has(name)) return true
    if (this.parent === undefined || this.parent.isTop || !this.parent.sees(name)) return false
    this.captured.add(name)
    return true
  }
  private variable(name: string): Variable {
    if (!this.isTop) this.program.mentioned.add(name)
    if (!this.isTop && this.sees(name)) return { kind: "local", js: `v$${name}` }
    if (!name.startsWith(".")) this.usesGlobals = true
    return { kind: "global", path: name }
  }
  private cellOf(path: string): Cell | undefined {
    const place = this.program.context.tree.place(path)
    return "cell" in place && place.keys.length === 0 ? place.cell : undefined
  }

  private readName(name: string, span: Span, escapes: boolean): string {
    const dot = name.indexOf(".", 1)
    const head = dot > 0 ? name.slice(0, dot) : name
    const variable = this.variable(head)
    if (variable.kind === "local") {
      if (dot > 0) {
        const keys = this.program.object(
          name
            .slice(dot + 1)
            .split(".")
            .map(sym),
        )
        return this.called(span, `${this.rt("index")}(${variable.js},${keys},k)`)
      }
      if (escapes && this.flagged.has(name)) this.emit(`o$${name}=false;`)
      return variable.js
    }
    const cell = this.cellOf(name)
    if (cell === undefined) return this.called(span, `k.lookup(${JSON.stringify(name)})`)
    const c = this.program.cell(cell)
    if (escapes) this.emit(`${c}.own=false;`)
    const t = this.temp(`${c}.value`)
    const strict = this.isTop && !this.program.mentioned.has(name)
    const otherwise = strict ? `${this.rt("absent")}(${c})` : this.rt("N")
    this.emit(`if(${t}===undefined){${this.at(span)};${t}=T.fetch(${c})??${otherwise};}`)
    return t
  }

  /** `places`: the text of the indices that were amended, for `_i` in triggers. */
  private writeName(name: string, expression: string, span: Span, owned: boolean, places?: string): void {
    const variable = this.variable(name)
    if (variable.kind === "local") {
      this.emit(`${variable.js}=${expression};`)
      if (this.flagged.has(name)) this.emit(`o$${name}=${owned};`)
      return
    }
    const cell = this.cellOf(name)
    if (cell === undefined) {
      this.emit(`${this.at(span)};k.assign(${JSON.stringify(name)},${expression});`)
      return
    }
    this.program.assigned.add(cell)
    const c = this.program.cell(cell)
    const put = places === undefined ? `T.put(${c},${expression})` : `X.putAt(${c},${expression},${places})`
    this.emit(`if(${c}.watch===undefined){${c}.value=${expression};${c}.own=${owned};}else{${this.at(span)};${put};}`)
  }

  // Expressions

  /** Emits the evaluation and gives an expression that stays what it is until the same variable is assigned. */
  expression(node: Node, escapes = true): string {
    switch (node.kind) {
      case "literal":
        return this.literal(node.value)
      case "name":
        return this.readName(node.name, node.span, escapes)
      case "system":
        return node.row.glyph === "_n" ? this.rt("N") : this.called(node.span, `${this.program.object(node.row)}.run(k)`)
      case "self":
        return this.self?.value ?? this.rt("N")
      case "verb":
        return this.program.object(node.verb)
      case "derived":
        return this.derived(node)
      case "lambda":
        return this.lambda(node, undefined)
      case "list": {
        const items = this.arguments(node.items).map((x) => x ?? this.rt("N"))
        return this.temp(`${this.rt("collapse")}([${items.join(",")}])`)
      }
      case "apply":
        return this.apply(node)
      case "monad":
        return this.monad(node)
      case "dyad":
        return this.dyad(node)
      case "section": {
        const x = this.expression(node.x)
        return this.temp(`${this.rt("section")}(${this.expression(node.f)},${x})`)
      }
      case "compose": {
        const g = this.expression(node.g)
        return this.temp(`${this.rt("compose")}(${this.inTrain(node.f)},${g})`)
      }
      case "assign":
        return this.assign(node, true)
      case "return": {
        const x = this.expression(node.x)
        this.emit(`${this.isTop ? "" : "D.n--;"}return ${x};`)
        return x
      }
      case "signal": {
        const x = this.expression(node.x)
        this.emit(`${this.at(node.span)};${this.rt("signal")}(${x});`)
        return this.rt("N")
      }
      case "control":
        return this.control(node.word, node.args, node.span, true)
      case "sequence":
        return this.sequence(node.statements)
    }
  }

  /** A verb that is not the last of a train is monadic. */
  private inTrain(node: Node): string {
    if (node.kind !== "verb") return this.expression(node)
    const monad = vocabulary().verb(node.verb.text + ":")
    return this.program.object(monad ?? node.verb)
  }

  private literal(value: Value): string {
    if (typeof value === "number") {
      if (this.isTop && this.loops === 0) return this.program.int(value)
      return value < 0 ? `(${value})` : String(value)
    }
    return value === NIL ? this.rt("N") : this.program.object(value)
  }

  /** Evaluates right to left; an operand that a later one may change is set aside. */
  private arguments(nodes: Items): (string | undefined)[] {
    const out = new Array<string | undefined>(nodes.length).fill(undefined)
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i]
      if (node === undefined) continue
      const x = this.expression(node)
      out[i] = x.startsWith("v$") && nodes.slice(0, i).some(assigns) ? this.temp(x) : x
    }
    return out
  }

  /** The two operands, right first. `fresh`: the verb lets neither out. */
  private operands(x: Node, y: Node, fresh: boolean): readonly [string, string] {
    let b = this.expression(y, !(fresh && inert(x)))
    if (b.startsWith("v$") && assigns(x)) b = this.temp(b)
    return [this.expression(x, !fresh), b]
  }

  private derived(node: Node & { readonly kind: "derived" }): string {
    const constant = constantDerived(node)
    if (constant !== undefined) return this.program.object(constant)
    return this.temp(`${this.rt("derive")}(${this.expression(node.f)},${JSON.stringify(node.adverb)})`)
  }

  private monad(node: Node & { readonly kind: "monad" }): string {
    const { f } = node
    if (f.kind !== "verb") {
      const x = this.expression(node.x)
      const keep = x.startsWith("v$") && assigns(f) ? this.temp(x) : x
      const g = this.expression(f)
      return this.called(f.span, f.kind === "derived" ? `${g}.call1(${keep},k)` : `${this.rt("call1")}(${g},${keep},k)`)
    }
    const { verb } = f
    if (verb.monad === undefined) {
      const x = this.expression(node.x)
      return this.called(f.span, `${this.program.object(verb)}.call1(${x},k)`)
    }
    const x = this.expression(node.x, !verb.fresh.monad)
    const slow = `${this.program.object(verb.monad, `m$${identifier(verb.text)}`)}(${x},k)`
    const fast = INT_MONADS[verb.text[0]!]
    if (fast === undefined || (verb.text.length > 1 && verb.text[1] !== ":")) return this.called(f.span, slow)
    if (isInt(x)) return this.temp(fast(x))
    return this.temp(`typeof ${x}==="number"?${fast(x)}:(${this.at(f.span)},${slow})`)
  }

  private dyad(node: Node & { readonly kind: "dyad" }): string {
    const { f } = node
    if (f.kind !== "verb") {
      const [x, y] = this.operands(node.x, node.y, false)
      const g = this.expression(f)
      return this.called(f.span, f.kind === "derived" ? `${g}.call2(${x},${y},k)` : `${this.rt("call2")}(${g},${x},${y},k)`)
    }
    const { verb } = f
    if (verb.text === "@") {
      const y = this.expression(node.y)
      const keep = y.startsWith("v$") && assigns(node.x) ? this.temp(y) : y
      return this.called(f.span, `${this.rt("call1")}(${this.expression(node.x, false)},${keep},k)`)
    }
    const [x, y] = this.operands(node.x, node.y, verb.fresh.dyad)
    return this.dyadic(verb, x, y, f.span)
  }

  private dyadic(verb: Verb, x: string, y: string, span: Span): string {
    if (verb.dyad === undefined) return this.called(span, `${this.program.object(verb)}.call2(${x},${y},k)`)
    const slow = `${this.program.object(verb.dyad, `d$${identifier(verb.text)}`)}(${x},${y},k)`
    const fast = INT_DYADS[verb.text]
    if (fast === undefined) return this.called(span, slow)
    const tests = [x, y].filter((a) => !isInt(a)).map((a) => `typeof ${a}==="number"`)
    const condition = (tests.join("&&") || "true") + (fast.when?.(x, y) ?? "")
    return this.temp(`${condition}?${fast.text(x, y)}:(${this.at(span)},${slow})`)
  }

  private apply(node: Node & { readonly kind: "apply" }): string {
    const { f, args } = node
    if (f.kind === "verb" && args.length === 2 && args[0] !== undefined && args[1] !== undefined && f.verb.dyad !== undefined)
      return this.dyad({ kind: "dyad", f, x: args[0], y: args[1], span: node.span })
    const given = this.arguments(args)
    const span = node.bracket || f.kind !== "name" ? node.span : f.span
    if (f.kind === "self" && this.self?.valence === args.length && args.every((a) => a !== undefined))
      return this.called(span, `${this.self.run}(${given.join(",")})`)
    const g = this.expression(f, false)
    if (args.length === 1) return this.called(span, `${this.rt("call1")}(${g},${given[0] ?? this.rt("N")},k)`)
    if (args.length === 2 && given[0] !== undefined && given[1] !== undefined)
      return this.called(span, `${this.rt("call2")}(${g},${given[0]},${given[1]},k)`)
    return this.called(span, `${this.rt("call")}(${g},[${given.map((a) => a ?? "undefined").join(",")}],k)`)
  }

  // Assignment

  private assign(node: AssignNode, wanted: boolean): string {
    if (node.path !== undefined) return this.assignAt(node, wanted)
    if (node.verb === undefined) {
      const value = node.value!.kind === "lambda" ? this.lambda(node.value as LambdaNode, node.name) : this.expression(node.value!)
      this.writeName(node.name, value, node.span, false)
      return value
    }
    const y = node.value === undefined ? undefined : this.expression(node.value)
    const { verb } = node
    if (verb.text === "," && y !== undefined) return this.appendTo(node, y)
    const x = this.readName(node.name, node.span, true)
    const result =
      y === undefined ? this.called(node.span, `${this.program.object(verb.monad)}(${x},k)`) : this.dyadic(verb, x, y, node.span)
    this.writeName(node.name, result, node.span, false)
    return result
  }

  /** The flag that says the variable owns its value, and how to write the owned result back. */
  private flagOf(name: string): string {
    const variable = this.variable(name)
    if (variable.kind === "local") return this.flagged.has(name) ? `o$${name}` : "false"
    const cell = this.cellOf(name)
    return cell === undefined ? "false" : `${this.program.cell(cell)}.own`
  }

  private appendTo(node: AssignNode, y: string): string {
    const x = this.readName(node.name, node.span, false)
    const join = this.program.object(node.verb!.dyad)
    const t = this.called(node.span, `${this.rt("joined")}(${x},${this.flagOf(node.name)},${y},${join},k)`)
    // A join by the general verb may hold its arguments, and then owns nothing; only what append made is owned.
    this.writeName(node.name, t, node.span, false)
    const owned = `typeof ${t}!=="number"&&${t}.t<=0&&${t}!==${y}`
    const variable = this.variable(node.name)
    if (variable.kind === "local") {
      if (this.flagged.has(node.name)) this.emit(`o$${node.name}=${owned};`)
    } else {
      const cell = this.cellOf(node.name)
      if (cell !== undefined) this.emit(`${this.program.cell(cell)}.own=${owned};`)
    }
    return t
  }

  private assignAt(node: AssignNode, wanted: boolean): string {
    const value = node.value === undefined ? undefined : this.expression(node.value)
    const y = value?.startsWith("v$") === true && node.path!.some(assigns) ? this.temp(value) : value
    const path = this.arguments(node.path!)
    const { verb } = node
    const x = this.readForAmend(node)
    const own = this.flagOf(node.name)
    const f = verb === undefined ? "undefined" : this.program.object(verb)
    const places = `[${path.map((i) => i ?? "undefined").join(",")}]`
    const simple = verb === undefined && path.length === 1 && path[0] !== undefined
    const result = this.called(
      node.span,
      simple
        ? `${this.rt("setItem")}(${x},${own},${path[0]},${y},k)`
        : `${this.rt("amend")}(${x},${own},${places},${f},${y ?? "undefined"},k)`,
    )
    this.writeName(node.name, result, node.span, true, places)
    if (!wanted) return this.rt("N")
    if (verb === undefined) return y!
    return this.temp(`${this.rt("index")}(${result},${places},k)`)
  }

  /** An undefined name that is amended counts as nil: `` a[`x]:5 `` makes a dictionary. */
  private readForAmend(node: AssignNode): string {
    const variable = this.variable(node.name)
    if (variable.kind === "local") return variable.js
    const cell = this.cellOf(node.name)
    if (cell === undefined) return this.called(node.span, `k.lookup(${JSON.stringify(node.name)})`)
    const c = this.program.cell(cell)
    return this.temp(`${c}.value??T.fetch(${c})??${this.rt("N")}`)
  }

  // Statements and control

  /** Emits all; gives the value of the last. */
  sequence(statements: Items): string {
    const last = statements.length - 1
    for (let i = 0; i < last; i++) this.statement(statements[i])
    const node = statements[last]
    return node === undefined ? this.rt("N") : this.expression(node)
  }

  private statement(node: Node | undefined): void {
    if (node === undefined) return
    if (node.kind === "assign") this.assign(node, false)
    else if (node.kind === "control") this.control(node.word, node.args, node.span, false)
    else this.expression(node)
  }

  private condition(node: Node | undefined, span: Span): string {
    if (node === undefined) throw new KError("parse")
    const c = this.expression(node)
    return `typeof ${c}==="number"?${c}!==0:(${this.at(span)},${this.rt("truth")}(${c}))`
  }

  private control(word: "cond" | "if" | "while" | "do", args: Items, span: Span, wanted: boolean): string {
    const [first, ...body] = args
    switch (word) {
      case "cond":
        return this.cond(args, span, wanted)
      case "if":
        this.emit(`if(${this.condition(first, span)}){`)
        this.block(body)
        this.emit("}")
        break
      case "while":
        this.emit("for(;;){")
        this.loops++
        this.emit(`if(!(${this.condition(first, span)}))break;${this.rt("tick")}(1);`)
        this.loops--
        this.loop(body)
        this.emit("}")
        break
      case "do": {
        const n = this.expression(first!)
        const limit = this.called(span, `${this.rt("times")}(${n})`)
        const i = `t${this.temps++}`
        this.emit(`for(${i}=0;${i}<${limit};${i}++){${this.rt("tick")}(1);`)
        this.loop(body)
        this.emit("}")
      }
    }
    return this.rt("N")
  }

  private block(statements: Items): void {
    for (const node of statements) this.statement(node)
  }
  private loop(statements: Items): void {
    this.loops++
    this.block(statements)
    this.loops--
  }

  private cond(args: Items, span: Span, wanted: boolean): string {
    const t = wanted ? `t${this.temps++}` : ""
    let open = 0
    const branch = (node: Node | undefined): void => {
      if (!wanted) this.statement(node)
      else this.emit(`${t}=${node === undefined ? this.rt("N") : this.expression(node)};`)
    }
    let i = 0
    for (; i + 1 < args.length; i += 2) {
      this.emit(`if(${this.condition(args[i], span)}){`)
      branch(args[i + 1])
      this.emit("}else{")
      open++
    }
    branch(i < args.length ? args[i] : undefined)
    this.emit("}".repeat(open))
    return wanted ? t : this.rt("N")
  }

  // Functions

  private lambda(node: LambdaNode, name: string | undefined): string {
    const params = node.params ?? IMPLICIT.slice(0, implicit(node.body))
    const own = new Set(params)
    const amended = new Set<string>()
    localNames(node.body, own, amended)
    const flagged = new Set([...amended].filter((n) => own.has(n)))
    const id = this.program.fresh()
    const unitName = `u${id}`
    const valence = node.params === undefined && params.length === 0 ? 1 : params.length
    const self = { value: `f${id}`, run: `r${id}`, valence: params.length }
    const inner = new FunctionCompiler(this.program, unitName, node.span.start, node.text.length, this, own, flagged, self)
    const result = inner.sequence(node.body)
    const unit: Unit = { source: node.text, spans: inner.spans, name }
    this.program.parameter(unitName, unit)
    const context = inner.usesGlobals ? this.program.context.tree.current.path : ""
    if (inner.usesGlobals) this.usesGlobals = true

    // A name given twice in the parameter list is one variable; a function without x takes any one argument and ignores it.
    const formals = params.map((p, i) => (params.indexOf(p) === i ? `v$${p}` : `w${i}`))
    const locals = [...own].filter((n) => !params.includes(n)).map((n) => `v$${n}=${this.rt("N")}`)
    const captures = [...inner.captured]
    const lets = ["p=0", ...locals, ...captures.map((n) => `v$${n}=c$${n}`), ...[...flagged].map((n) => `o$${n}=false`)]
    const code =
      `const f${id}=new ${this.rt("Lambda")}(${unitName}.source,${valence},r${id},${JSON.stringify(context)});\n` +
      `function r${id}(${formals.join(",")}){let ${lets.join(",")}${inner.temporaries};${this.rt("tick")}(1);\n` +
      `if(++D.n>D.max)${this.rt("tooDeep")}(D);\ntry{\n${inner.source}\nD.n--;return ${result};\n}catch(e){throw X.blame(e,${unitName},p)}}\n`
    if (captures.length === 0) {
      this.program.hoisted.push(code)
      return `f${id}`
    }
    for (const n of captures) if (this.flagged.has(n)) this.emit(`o$${n}=false;`)
    return this.temp(`((${captures.map((n) => `c$${n}`).join(",")})=>{${code}return f${id}})(${captures.map((n) => `v$${n}`).join(",")})`)
  }
}

/** A derived verb whose verb is primitive is made once. */
const derivedVerbs = new Map<string, Derived>()
const constantDerived = (node: Node): Derived | undefined => {
  if (node.kind !== "derived") return undefined
  const base = node.f.kind === "verb" ? node.f.verb : constantDerived(node.f)
  if (base === undefined) return undefined
  const key = `${base.text}${node.adverb}`
  let derived = derivedVerbs.get(key)
  if (derived === undefined) derivedVerbs.set(key, (derived = derive(base, node.adverb)))
  return derived
}

const identifiers = new Map<string, string>()
/** A verb's text as a part of a JavaScript name. */
const identifier = (glyphs: string): string => {
  let known = identifiers.get(glyphs)
  if (known === undefined) {
    known = /^\w+$/.test(glyphs) ? glyphs : Array.from(glyphs, (g) => g.charCodeAt(0)).join("_")
    identifiers.set(glyphs, known)
  }
  return known
}

type Made = (...values: unknown[]) => Value

/** Programs kept by their text: most statements of a session have the text of another once names, numbers and values are parameters. */
const programs = new Map<string, Made>()
const PROGRAMS = 256

const programOf = (parameters: readonly string[], code: string): Made => {
  const key = `${parameters.join()}\n${code}`
  let made = programs.get(key)
  if (made === undefined) {
    // oxlint-disable-next-line typescript/no-implied-eval -- compiling is what this module is for
    made = new Function(...parameters, code) as Made
    if (programs.size >= PROGRAMS) programs.delete(programs.keys().next().value!)
    programs.set(key, made)
  }
  return made
}

/** Compiles one statement, to be run any number of times in the directory that is current now. */
export const compile = (source: string, program: Node & { readonly kind: "sequence" }, context: Context): Compiled => {
  const parts = new Program(context)
  parts.parameter("k", context.kernel)
  parts.parameter("T", context.tree)
  parts.parameter("D", context.depth)
  parts.parameter("X", context)
  mention(program.statements, context.tree)
  const top = new FunctionCompiler(parts, "U", 0, source.length, undefined, new Set(), new Set(), undefined)
  const result = top.sequence(program.statements)
  const unit: Unit = { source, spans: top.spans, name: undefined }
  parts.parameter("U", unit)
  const code =
    `"use strict";${parts.hoisted.join("")}let p=0${top.temporaries};try{\n${top.source}\nreturn ${result};\n` +
    `}catch(e){throw X.blame(e,U,p)}`
  const make = programOf(parts.parameters, code)
  const { values } = parts
  const last = program.statements[program.statements.length - 1]
  return {
    run: () => make(...values),
    quiet: last?.kind === "assign",
    executes: last?.kind === "monad" && last.f.kind === "verb" && last.f.verb.text === ".",
    assigns: [...parts.assigned],
    names: [...parts.cells.keys()],
  }
}
