/**
 * The generated code of one function: lines, temporaries, and spans to blame.
 *
 * Guarantees: compiling every line is paid for; many lines can become a piece, which the host compiles when it is reached, so that a long text can be
 * interrupted between pieces. Does not: know K.
 */
import { tick } from "../run/budget.ts"
import type { Span } from "../run/KError.ts"
import { temporary, type Operand } from "./Operand.ts"
import type { Program } from "./Program.ts"

/** Lines that become a piece. The host compiles a piece in some milliseconds, during which an interrupt is not seen. */
const PIECE = 1024
/** Lines that a hoisted function counts for. */
const FUNCTION = 8
/** Steps paid for compiling a line. */
const STEPS = 16

/** A position in the code: the counts of lines, temporaries and hoisted functions so far. */
interface Mark {
  readonly line: number
  readonly temporary: number
  readonly hoisted: number
}

export class Code {
  private readonly lines: string[] = []
  private temporaries = 0
  /** The number of lines up to the last one that leaves the function. */
  private left = 0
  /** The number of loops around the next line. */
  loops = 0
  /** The first span is the whole text. */
  readonly spans: Span[]

  constructor(
    readonly program: Program,
    readonly isTop: boolean,
    /** Offset of the function's text in the statement's text. */
    private readonly offset: number,
    length: number,
  ) {
    this.spans = [{ start: 0, end: length }]
  }

  get text(): string {
    return this.lines.join("\n")
  }
  line(text: string): void {
    tick(1)
    this.lines.push(text)
  }
  /** Adds a line that leaves the function. */
  leave(text: string): void {
    this.line(text)
    this.left = this.lines.length
  }
  /** A temporary that later lines assign. */
  unset(): Operand {
    return temporary(this.temporaries++)
  }
  temporary(expression: string): Operand {
    const t = this.unset()
    this.line(`${t.js}=${expression};`)
    return t
  }
  /** Code that sets the span to blame for the rest of the expression. */
  at(span: Span): string {
    this.spans.push({ start: span.start - this.offset, end: span.end - this.offset })
    return `p=${this.spans.length - 1}`
  }
  /** A temporary with the value of an expression that may fail. */
  called(span: Span, expression: string): Operand {
    return this.temporary(`(${this.at(span)},${expression})`)
  }
  /** Gives `result`, after the last use of the operands: a temporary would keep its value until the function ends. */
  consumed(result: Operand, operands: readonly Operand[]): Operand {
    for (const { kind, js } of operands) if (kind === "temp") this.line(`${js}=0;`)
    return result
  }

  /** The declarations of the temporaries: `,t0,t1`. */
  declared(from = 0): string {
    return Array.from({ length: this.temporaries - from }, (_, i) => `,${temporary(from + i).js}`).join("")
  }
  get here(): Mark {
    return { line: this.lines.length, temporary: this.temporaries, hoisted: this.program.hoisted.length }
  }
  /**
   * Makes a function of the lines since the mark when they are many: the function gives `result`, and the text of its call is returned. Lines that
   * leave the enclosing function cannot be moved; then the result is undefined.
   */
  piece(from: Mark, result: () => string): string | undefined {
    const { program } = this
    const count = this.lines.length - from.line + FUNCTION * (program.hoisted.length - from.hoisted)
    if (count < PIECE || this.left > from.line) return undefined
    const declared = this.declared(from.temporary)
    const body = `${this.lines.splice(from.line).join("\n")}\nreturn ${result()};`
    this.temporaries = from.temporary
    const pay = `${program.runtime("tick")}(${STEPS * count})`
    if (this.isTop) {
      const hoisted = program.hoisted.splice(from.hoisted).join("")
      return `(${pay},${program.later(`"use strict";${hoisted}let p=0${declared};try{\n${body}\n}catch(e){S(p);throw e}`)})`
    }
    const name = `q${program.unique()}`
    this.line(`const ${name}=()=>{let _${declared};\n${body}};`)
    return `(${pay},${name}())`
  }
}
