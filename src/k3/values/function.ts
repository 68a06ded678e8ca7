/**
 * The kinds of K function: verb, lambda, derived verb, projection, composition.
 *
 * Guarantees: every `Func` in the interpreter is an `Applicable`, and applying one with too few arguments gives a projection, with
 * too many a `valence` error. `call1` and `call2` are the same as `call` with that many arguments, without an array being made.
 * Does not: apply data; `apply.ts` does, and decides which of the two is meant.
 */
import { alloc, tick } from "../run/budget.ts"
import { EXACT, written } from "./format.ts"
import { KError } from "../run/KError.ts"
import type { Dyad, Kernel, Monad } from "../run/kernel.ts"
import { surplus } from "../run/mismatch.ts"
import type { DyadRow, MonadRow } from "../primitives/Row.ts"
import { count, Func, isAtom, NIL, type Value } from "./value.ts"

/** Arguments of one application; `undefined` is an elided one. */
export type Args = readonly (Value | undefined)[]

export abstract class Applicable extends Func {
  /** How many arguments it takes; for an ambivalent verb, 2. */
  abstract readonly valence: number
  abstract call1(x: Value, k: Kernel): Value
  abstract call2(x: Value, y: Value, k: Kernel): Value
  /** Three arguments or more. */
  protected abstract callMany(args: readonly Value[], k: Kernel): Value
  /** Any number of arguments, none of them elided; without one the first is nil. */
  call(args: readonly Value[], k: Kernel): Value {
    switch (args.length) {
      case 0:
        return this.call1(NIL, k)
      case 1:
        return this.call1(args[0]!, k)
      case 2:
        return this.call2(args[0]!, args[1]!, k)
      default:
        return this.callMany(args, k)
    }
  }
  /** What `$` gives: a train without the colons of its monads. */
  get plain(): string {
    return this.text
  }
}

/** A function made of others. Its text holds theirs, so it is put together once, and paid for. */
abstract class Made extends Applicable {
  private known: string | undefined
  protected abstract spell(): string
  get text(): string {
    if (this.known === undefined) {
      const text = this.spell()
      alloc(text.length)
      tick(text.length >> 2)
      this.known = text
    }
    return this.known
  }
}

/** Is this applied to one argument by adverbs (`f/x` iterates, `f'x` maps) rather than to two? */
export const isMonadic = (f: Value): boolean => !(f instanceof Applicable) || f.valence < 2

const project = (f: Applicable, args: Args): Value => {
  if (args.length > f.valence) throw surplus(args.length, f.valence)
  return new Projection(f, args)
}

/** Triadic and tetradic `@ . ?`: the arguments after the second make another verb of it. */
export type Polyad = (args: readonly Value[], k: Kernel) => Value

/** What is true of a verb with one argument and with two. */
export interface VerbRows {
  readonly monad?: MonadRow | undefined
  readonly dyad?: DyadRow | undefined
}

/** A primitive. `+` has both monad and dyad and takes two arguments when applied as a noun; `+:` has the monad alone. */
export class Verb extends Applicable {
  readonly valence: number
  readonly monad: Monad | undefined
  readonly dyad: Dyad | undefined
  constructor(
    readonly text: string,
    readonly rows: VerbRows,
    /** For `_ssr` the valence is 3; `@ . ?` take up to 4. */
    readonly polyad?: Polyad,
    /** For a glyph: the verb with a colon, which is the monad alone. Without one, one argument chooses the monad. */
    readonly forced?: Verb,
  ) {
    super()
    this.monad = rows.monad?.run
    this.dyad = rows.dyad?.run
    this.valence = this.dyad !== undefined ? 2 : this.monad !== undefined ? 1 : 3
  }
  /** `+` of `+` and of `+:`. */
  get glyph(): string {
    return (this.rows.monad ?? this.rows.dyad)?.glyph ?? this.text
  }
  call1(x: Value, k: Kernel): Value {
    if (this.monad !== undefined && this.forced === undefined) return this.monad(x, k)
    return project(this, [x])
  }
  call2(x: Value, y: Value, k: Kernel): Value {
    if (this.dyad !== undefined) return this.dyad(x, y, k)
    return project(this, [x, y])
  }
  protected callMany(args: readonly Value[], k: Kernel): Value {
    if (this.polyad !== undefined) return this.polyad(args, k)
    throw surplus(args.length, this.valence)
  }
}

/** `{…}`. `run` takes exactly `valence` values, and true after them when nobody uses the result; it is JavaScript made by `compile.ts`. */
export class Lambda extends Applicable {
  constructor(
    readonly text: string,
    readonly valence: number,
    readonly run: (...args: (Value | boolean)[]) => Value,
    /** The directory its globals are in, or the empty string when it names none: the context of its `_bd` image. */
    readonly context: string,
    /** It took variables of the function that made it along: its text alone does not make it again. */
    readonly closed = false,
  ) {
    super()
  }
  call1(x: Value, _k: Kernel): Value {
    return this.valence === 1 ? this.run(x) : this.valence === 0 ? this.run() : project(this, [x])
  }
  /** A call for its effect alone, with `valence` arguments. */
  drop(...args: Value[]): Value {
    return this.run(...args, true)
  }
  call2(x: Value, y: Value, _k: Kernel): Value {
    return this.valence === 2 ? this.run(x, y) : project(this, [x, y])
  }
  protected callMany(args: readonly Value[]): Value {
    return args.length === this.valence ? this.run(...args) : project(this, args)
  }
}

/** What an adverb does with its function: one argument, two, or the bracket form with any number. */
export interface Adverb {
  readonly text: string
  one(f: Value, x: Value, k: Kernel): Value
  two(f: Value, x: Value, y: Value, k: Kernel): Value
  many(f: Value, args: readonly Value[], k: Kernel): Value
}

/** `f/`, `f'`, `f/:`, …; `f` may be data, which is then indexed. */
export class Derived extends Made {
  /** One argument is enough for a derived verb, but of each-left and each-right; adverbs on it treat it as `f` itself. */
  readonly valence: number
  /** `+/:`: one argument does nothing yet. */
  readonly paired: boolean
  constructor(
    readonly f: Value,
    readonly adverb: Adverb,
  ) {
    super()
    this.valence = derivedValence(f, adverb.text)
    this.paired = /^[/\\]:$/.test(adverb.text) && !isMonadic(f)
  }
  protected spell(): string {
    return operand(this.f) + this.adverb.text
  }
  /** `+/:x`, nothing standing on its left. */
  prefix(x: Value, k: Kernel): Value {
    if (this.paired) throw new KError("valence", { what: "two-arguments", adverb: this.adverb.text })
    return this.adverb.one(this.f, x, k)
  }
  call1(x: Value, k: Kernel): Value {
    return this.paired ? new Projection(this, [x]) : this.adverb.one(this.f, x, k)
  }
  call2(x: Value, y: Value, k: Kernel): Value {
    return this.adverb.two(this.f, x, y, k)
  }
  protected callMany(args: readonly Value[], k: Kernel): Value {
    return this.adverb.many(this.f, args, k)
  }
}

/** The text of a value that an adverb, a bracket or a verb follows: in brackets where it would be taken for something else. */
const operand = (x: Value): string => {
  if (x instanceof Func) return x instanceof Composition || (x instanceof Projection && x.section) ? `(${x.text})` : x.text
  if (x === NIL) return "_n"
  const text = written(x, EXACT)
  return /^[-0-9`"(]/.test(text) && (isAtom(x) || count(x) > 0) ? text : `(${text})`
}

/** A blank between, where `1` and `.` or `_n` and `_in` would be read as one word. */
const besides = (x: string, f: string): string => (/[\w.`]$/.test(x) && /^[\w.]/.test(f) ? `${x} ${f}` : x + f)

// `+/'x` folds each item, while `,/:\:` hands pairs on: only each-left and each-right need two arguments whatever they derive from.
const derivedValence = (f: Value, adverb: string): number => {
  switch (adverb) {
    case "/:":
    case "\\:":
      return 2
    case "'":
      return f instanceof Applicable ? f.valence : 1
    default:
      return 1
  }
}

/** `f[1;]`, `(1+)`: a function with some arguments given. */
export class Projection extends Made {
  readonly valence: number
  constructor(
    readonly f: Value,
    readonly args: Args,
    /** Written `1+` rather than `+[1;]`. */
    readonly section = false,
  ) {
    super()
    let holes = 0
    for (const a of args) if (a === undefined) holes++
    const own = f instanceof Applicable ? f.valence : args.length
    this.valence = holes + Math.max(0, own - args.length)
  }
  protected spell(): string {
    const [x] = this.args
    // Alone on the left of a verb, a function would be a part of a train.
    if (this.section) return besides(x instanceof Func ? `(${x.text})` : operand(x!), operand(this.f))
    return `${operand(this.f)}[${this.args.map((a) => (a === undefined ? "" : a === NIL ? "_n" : written(a, EXACT))).join(";")}]`
  }
  private complete(args: Args, k: Kernel): Value {
    tick()
    const all = this.args.slice()
    let used = 0
    for (let i = 0; i < all.length && used < args.length; i++) if (all[i] === undefined) all[i] = args[used++]
    while (used < args.length) all.push(args[used++])
    return applyTo(this.f, all, k)
  }
  call1(x: Value, k: Kernel): Value {
    if (this.args.length === 2 && this.f instanceof Applicable && this.f.valence === 2) {
      if (this.args[0] === undefined && this.args[1] !== undefined) return this.f.call2(x, this.args[1], k)
      if (this.args[1] === undefined && this.args[0] !== undefined) return this.f.call2(this.args[0], x, k)
    }
    return this.complete([x], k)
  }
  call2(x: Value, y: Value, k: Kernel): Value {
    if (this.valence < 2) throw surplus(2, this.valence)
    return this.complete([x, y], k)
  }
  protected callMany(args: readonly Value[], k: Kernel): Value {
    if (args.length > this.valence) throw surplus(args.length, this.valence)
    return this.complete(args, k)
  }
}

/** Function or data with arguments of which some may be elided: the rule shared by brackets and projections. */
export const applyTo = (f: Value, args: Args, k: Kernel): Value => {
  if (!(f instanceof Applicable)) return k.apply(f, args as readonly Value[])
  let given = true
  for (const a of args) if (a === undefined) given = false
  if (given) return f.call(args as readonly Value[], k)
  if (args.length === 1) return f.call([NIL], k)
  if (f instanceof Verb ? args.length > (f.polyad === undefined ? f.valence : 4) : f instanceof Derived ? false : args.length > f.valence)
    throw surplus(args.length, f.valence)
  return new Projection(f, args)
}

/** `f g h` as one function: the last takes the arguments, the others the result before them. */
export class Composition extends Made {
  constructor(readonly parts: readonly [Applicable, ...Applicable[]]) {
    super()
  }
  get valence(): number {
    return this.last.valence
  }
  protected spell(): string {
    return this.parts.map((p) => p.text).join("")
  }
  override get plain(): string {
    return this.parts.map((p) => (p instanceof Verb ? p.glyph : p.plain)).join("")
  }
  private onward(x: Value, k: Kernel): Value {
    for (let i = this.parts.length - 2; i >= 0; i--) {
      tick()
      x = this.parts[i]!.call1(x, k)
    }
    return x
  }
  private get last(): Applicable {
    return this.parts[this.parts.length - 1]!
  }
  /** Too few for the last, which then waits for the others; of derived verbs, each-left and each-right do. */
  private waits(given: number): boolean {
    return given < this.last.valence && (!(this.last instanceof Derived) || this.last.paired)
  }
  call1(x: Value, k: Kernel): Value {
    return this.waits(1) ? new Projection(this, [x]) : this.onward(this.last.call1(x, k), k)
  }
  call2(x: Value, y: Value, k: Kernel): Value {
    return this.waits(2) ? new Projection(this, [x, y]) : this.onward(this.last.call2(x, y, k), k)
  }
  protected callMany(args: readonly Value[], k: Kernel): Value {
    return this.waits(args.length) ? new Projection(this, args) : this.onward(this.last.call(args, k), k)
  }
}
