/**
 * K functions in general, and projections: functions with some arguments given.
 *
 * Guarantees: every `Func` in the interpreter is an `Applicable`; too few arguments give a projection, too many a `valence` error. `call1` and
 * `call2` are `call` with one or two arguments, without making an array.
 *
 * Does not: apply data; `apply.ts` does, and decides between data and functions. The kinds are `Verb.ts`, `Lambda.ts`, `Derived.ts`,
 * `Composition.ts`, and `Projection` here.
 */
import { alloc, tick } from "../run/budget.ts"
import { EXACT, written } from "./format.ts"
import type { Kernel } from "../run/kernel.ts"
import { surplus } from "../run/mismatch.ts"
import { Func, NIL, type Value } from "./value.ts"

/** The arguments of one application; an elided one is `undefined`. */
export type Args = readonly (Value | undefined)[]

export abstract class Applicable extends Func {
  /** The number of its arguments; 2 for an ambivalent verb. */
  abstract readonly valence: number
  /** The most arguments that a bracket may give it, elided ones included. */
  get most(): number {
    return this.valence
  }
  /** Does it wait for more arguments when it is given so many? */
  waits(given: number): boolean {
    return given < this.valence
  }
  abstract call1(x: Value, k: Kernel): Value
  abstract call2(x: Value, y: Value, k: Kernel): Value
  /** Calls it with three arguments or more. */
  protected abstract callMany(args: readonly Value[], k: Kernel): Value
  /** Calls it with any number of arguments, none elided; without arguments the first is nil. */
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
  /** Its text in `$f`: a train without the colons of its monads. */
  get plain(): string {
    return this.text
  }
  /** Its text as a part of a train in `$f`. */
  get glyph(): string {
    return this.plain
  }
  /** Its text before an adverb or a bracket, or beside a verb. */
  get operand(): string {
    return this.text
  }
}

/** A function made of others. Its text contains theirs, so it is built once, and paid for. */
export abstract class MadeFunction extends Applicable {
  private known: string | undefined
  protected abstract makeText(): string
  get text(): string {
    if (this.known === undefined) {
      const text = this.makeText()
      alloc(text.length)
      tick(text.length >> 2)
      this.known = text
    }
    return this.known
  }
}

/** Do adverbs apply this to one argument (`f/x` iterates, `f'x` maps) rather than to two? */
export const isMonadic = (f: Value): boolean => !(f instanceof Applicable) || f.valence < 2

/** A function with fewer arguments than it takes; throws `valence` for too many. */
export const project = (f: Applicable, args: Args): Value => {
  if (args.length > f.valence) throw surplus(args.length, f.valence)
  return new Projection(f, args)
}

/** The text of a value before an adverb, a bracket or a verb, in parentheses where it would be read as something else. */
export const operand = (x: Value): string => {
  if (x instanceof Applicable) {
    const f = x.operand
    // `::/` would return `:/`.
    return f === "::" ? "(::)" : f
  }
  if (x === NIL) return "_n"
  const text = written(x, EXACT)
  // An empty vector may be `0#0.0`.
  return /^(?!0#)[-0-9`"(]/.test(text) ? text : `(${text})`
}

/** Ends and beginnings of texts that need a blank between them. */
const PARTED: readonly (readonly [end: RegExp, beginning: RegExp])[] = [
  // They would be one word.
  [/[\w.`]$/, /^[\w.]/],
  // The last point of a symbol would be a verb.
  [/\.$/, /^\(/],
  // The minus of a number would be a verb.
  [/[\w.`")\]}]$/, /^-[\d.]/],
  // The colon would belong to the verb before it.
  [/(?:[^:]|[^:]:)$/, /^:/],
]

/** Puts texts beside each other, with a blank where two need it: `1` and `.`, `_n` and `_in`, `{x}` and `-1+`, `+/` and `::`. */
export const besides = (texts: readonly string[]): string =>
  texts.reduce((so, text, i) => {
    const before = texts[i - 1]?.slice(-2) ?? ""
    return so + (PARTED.some(([end, beginning]) => end.test(before) && beginning.test(text)) ? " " : "") + text
  }, "")

/** Texts before which data is put in parentheses: a number (not the verb `0:`), a symbol or a string; and `:`, since `_n:` would be an assignment. */
const AFTER_PARENTHESES = /^(?:-?\d(?!:)|[`":])/

/** `f[1;]`, `(1+)`: a function with some arguments given. */
export class Projection extends MadeFunction {
  override readonly isProjection = true
  readonly valence: number
  constructor(
    readonly f: Applicable,
    readonly args: Args,
    /** True: written `1+` rather than `+[1;]`. */
    readonly section = false,
  ) {
    super()
    const holes = args.reduce<number>((n, a) => (a === undefined ? n + 1 : n), 0)
    this.valence = holes + Math.max(0, f.valence - args.length)
  }
  protected makeText(): string {
    const [x] = this.args
    const f = operand(this.f)
    if (this.section) {
      const text = x instanceof Func ? x.text : operand(x!)
      // Without parentheses, a function on the left of a verb would be part of a train, and data before data with an adverb one literal.
      return besides([x instanceof Func || AFTER_PARENTHESES.test(f) ? `(${text})` : text, f])
    }
    // `:[` would begin a conditional.
    return `${f === ":" ? "(:)" : f}[${this.args.map((a) => (a === undefined ? "" : a === NIL ? "_n" : written(a, EXACT))).join(";")}]`
  }
  override get operand(): string {
    return this.section ? `(${this.text})` : this.text
  }
  private complete(args: Args, k: Kernel): Value {
    tick()
    let used = 0
    const all = this.args.map((a) => a ?? args[used++])
    return applyTo(this.f, used < args.length ? [...all, ...args.slice(used)] : all, k)
  }
  call1(x: Value, k: Kernel): Value {
    if (this.args.length === 2 && this.f.valence === 2) {
      if (this.args[0] === undefined && this.args[1] !== undefined) return this.f.call2(x, this.args[1], k)
      if (this.args[1] === undefined && this.args[0] !== undefined) return this.f.call2(this.args[0], x, k)
    }
    return this.complete([x], k)
  }
  call2(x: Value, y: Value, k: Kernel): Value {
    return this.callMany([x, y], k)
  }
  protected callMany(args: readonly Value[], k: Kernel): Value {
    if (args.length > this.valence) throw surplus(args.length, this.valence)
    return this.complete(args, k)
  }
}

/** Applies a function to arguments of which some may be elided: the rule that brackets and projections share. */
export const applyTo = (f: Applicable, args: Args, k: Kernel): Value => {
  if (!args.includes(undefined)) return f.call(args as readonly Value[], k)
  if (args.length === 1) return f.call([NIL], k)
  if (args.length > f.most) throw surplus(args.length, f.valence)
  return new Projection(f, args)
}
