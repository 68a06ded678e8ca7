/**
 * The expressions of one K function, and functions in it, to lines of JavaScript; see `compile.ts` for how to read what comes out.
 *
 * Does not: put statements together (`control.ts`), assign (`assignment.ts`), decide whose a name is (`scope.ts`), nor keep the parts of
 * the program (`emitter.ts`).
 */
import type { Items, LambdaNode, Node } from "../syntax/ast.ts"
import { Control } from "./control.ts"
import type { Unit } from "./emitter.ts"
import type { Verb } from "../values/function.ts"
import { constantDerived, foldedVerb, identifier, INT_DYADS, INT_MONADS, isFresh, isInt, passing, sorting } from "./inline.ts"
import type { Span } from "../run/KError.ts"
import { assigns, IMPLICIT, implicit, inert, localNames } from "../syntax/scope.ts"
import { generated } from "../values/ownership.ts"
import { NIL, type Value } from "../values/value.ts"
import { vocabulary } from "../primitives/vocabulary.ts"

export class FunctionCompiler extends Control {
  /** Emits the evaluation and gives an expression that stays what it is until the same variable is assigned. */
  override expression(node: Node, escapes = true): string {
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
      case "list":
        return this.temp(`${this.rt("collapse")}(${this.items(node.items)})`)
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
        this.emitReturn(`${this.isTop ? "" : "D.n--;"}return ${x};`)
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

  protected override arguments(nodes: Items): (string | undefined)[] {
    const out = new Array<string | undefined>(nodes.length).fill(undefined)
    this.fromRight(nodes, (x, i) => void (out[i] = x))
    return out
  }

  /** Evaluates right to left; an operand that a later one may change is set aside. */
  private fromRight(nodes: Items, each: (x: string | undefined, i: number) => void): void {
    const assigning = nodes.findIndex(assigns)
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i]
      const x = node === undefined ? undefined : this.expression(node)
      each(assigning >= 0 && assigning < i && x?.startsWith("v$") === true ? this.temp(x) : x, i)
    }
  }

  /** The items of a list, evaluated as arguments are, as the text of an array. */
  private items(nodes: Items): string {
    const pieces: string[] = []
    let from = this.here
    let items: string[] = []
    const text = (): string => `[${items.toReversed().join(",")}]`
    this.fromRight(nodes, (x) => {
      items.push(x ?? this.rt("N"))
      const piece = this.apart(from, text)
      if (piece === undefined) return
      pieces.push(this.temp(piece))
      items = []
      from = this.here
    })
    return pieces.length === 0 ? text() : `[${[text(), ...pieces.toReversed()].join(",")}].flat()`
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

  protected override monad(node: Node & { readonly kind: "monad" }, dropped = false): string {
    const { f } = node
    if (f.kind !== "verb") {
      const folded = foldedVerb(f)
      if (folded === "+" && node.x.kind === "dyad" && node.x.f.kind === "verb" && node.x.f.verb.text === "*") {
        const [x, y] = this.operands(node.x.x, node.x.y, true)
        return this.called(node.x.f.span, `${this.rt("sumProducts")}(${x},${y},k)`)
      }
      const x = this.expression(node.x)
      const keep = x.startsWith("v$") && assigns(f) ? this.temp(x) : x
      const g = this.expression(f)
      const call = f.kind === "derived" ? `${g}.prefix(${keep},k)` : `${this.rt(dropped ? "drop1" : "call1")}(${g},${keep},k)`
      return this.called(f.span, folded !== undefined && passing(node.x) ? this.after(call, x) : call)
    }
    const { verb } = f
    if (verb.monad === undefined) {
      const x = this.expression(node.x)
      return this.called(f.span, `${this.program.object(verb)}.call1(${x},k)`)
    }
    const x = this.expression(node.x, !verb.fresh.monad)
    const call = `${this.program.object(verb.monad, `m$${identifier(verb.text)}`)}(${x},k)`
    const slow = verb.fresh.monad && passing(node.x) ? this.after(call, x) : call
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
      const sort = sorting(node.x, node.y)
      if (sort !== undefined) return this.sorted(sort, () => this.call1(node.x, node.y, f.span))
      return this.call1(node.x, node.y, f.span)
    }
    const [x, y] = this.operands(node.x, node.y, verb.fresh.dyad)
    const fresh = isFresh(node)
    return this.dyadic(verb, x, y, f.span, fresh && passing(node.x), fresh && passing(node.y))
  }

  /** `f@x`. */
  private call1(f: Node, x: Node, span: Span): string {
    const y = this.expression(x)
    const keep = y.startsWith("v$") && assigns(f) ? this.temp(y) : y
    return this.called(span, `${this.rt("call1")}(${this.expression(f, false)},${keep},k)`)
  }

  /** A variable sorted, by its grade where nothing quicker is known. */
  private sorted({ f, x }: Node & { readonly kind: "monad" }, byGrade: () => string): string {
    const down = f.kind === "verb" && f.verb.text.startsWith(">")
    const t = this.called(f.span, `${this.rt("sorted")}(${this.expression(x, false)},${down})`)
    this.emit(`if(${t}===undefined){`)
    this.emit(`${t}=${byGrade()};}`)
    return t
  }

  private after(call: string, x: string): string {
    return `${this.rt("after")}(${call},${x})`
  }

  protected override dyadic(verb: Verb, x: string, y: string, span: Span, passingX = false, passingY = false): string {
    if (verb.dyad === undefined) return this.called(span, `${this.program.object(verb)}.call2(${x},${y},k)`)
    let slow = `${this.program.object(verb.dyad, `d$${identifier(verb.text)}`)}(${x},${y},k)`
    if (passingX) slow = this.after(slow, x)
    if (passingY) slow = this.after(slow, y)
    const fast = INT_DYADS[verb.text]
    if (fast === undefined) return this.called(span, slow)
    const tests = [x, y].filter((a) => !isInt(a)).map((a) => `typeof ${a}==="number"`)
    const condition = (tests.join("&&") || "true") + (fast.when?.(x, y) ?? "")
    return this.temp(`${condition}?${fast.text(x, y)}:(${this.at(span)},${slow})`)
  }

  protected override apply(node: Node & { readonly kind: "apply" }, dropped = false): string {
    const { f, args } = node
    if (f.kind === "verb" && args.length === 2 && args[0] !== undefined && args[1] !== undefined && f.verb.dyad !== undefined)
      return this.dyad({ kind: "dyad", f, x: args[0], y: args[1], span: node.span })
    const sort = sorting(f, args.length === 1 ? args[0] : undefined)
    if (sort !== undefined) return this.sorted(sort, () => this.call1(f, sort, node.bracket ? node.span : f.span))
    const given = this.arguments(args)
    const span = node.bracket || f.kind !== "name" ? node.span : f.span
    if (f.kind === "self" && this.self?.valence === args.length && args.every((a) => a !== undefined))
      return this.called(span, `${this.self.run}(${given.join(",")})`)
    const g = this.expression(f, false)
    if (args.length === 1)
      return this.called(
        span,
        given[0] === undefined ? `${this.rt("call0")}(${g},k)` : `${this.rt(dropped ? "drop1" : "call1")}(${g},${given[0]},k)`,
      )
    if (args.length === 2 && given[0] !== undefined && given[1] !== undefined)
      return this.called(span, `${this.rt(dropped ? "drop2" : "call2")}(${g},${given[0]},${given[1]},k)`)
    return this.called(span, `${this.rt("call")}(${g},[${given.map((a) => a ?? "undefined").join(",")}],k)`)
  }

  protected override lambda(node: LambdaNode, name: string | undefined): string {
    const params = node.params ?? IMPLICIT.slice(0, implicit(node.body))
    const own = new Set(params)
    const amended = new Set<string>()
    localNames(node.body, own, amended)
    const flagged = new Set([...amended].filter((n) => own.has(n)))
    const id = this.program.fresh()
    const valence = node.params === undefined && params.length === 0 ? 1 : params.length
    const self = { value: `f${id}`, run: `r${id}`, valence: params.length }
    const inner = new FunctionCompiler(this.program, node.span.start, node.text.length, this, own, flagged, self)
    inner.body = node.body
    const result = inner.sequence(node.body)
    const unit: Unit = { source: node.text, spans: inner.spans, name }
    const unitName = this.program.parameter(`u${id}`, unit)
    const context = inner.usesGlobals ? this.program.context.tree.current.path : ""
    if (inner.usesGlobals) this.usesGlobals = true

    // A name given twice in the parameter list is one variable; a function without x takes any one argument and ignores it.
    const formals = params.map((p, i) => (params.indexOf(p) === i ? `v$${p}` : `w${i}`))
    while (formals.length < valence) formals.push(`w${formals.length}`)
    const locals = [...own].filter((n) => !params.includes(n)).map((n) => `v$${n}=${this.rt("N")}`)
    const captures = [...inner.captured]
    const lets = [
      "p=0",
      ...locals,
      ...captures.map((n) => `v$${n}=c$${n}`),
      ...[...flagged].map((n) => `${generated.local(n)}=${generated.nobody}`),
    ]
    const traced =
      this.program.context.trace === undefined ? "" : `k.trace.called(${unitName},[${formals.slice(0, params.length).join(",")}]);`
    const code =
      `const f${id}=new ${this.rt("Lambda")}(${unitName}.source,${valence},r${id},${JSON.stringify(context)}${captures.length > 0 ? ",true" : ""});\n` +
      `function r${id}(${[...formals, "dropped"].join(",")}){let ${lets.join(",")}${inner.temporaries};${this.rt("tick")}(1);\n` +
      `if(++D.n>D.max)${this.rt("tooDeep")}(D);${traced}\ntry{\n${inner.source}\nD.n--;return ${result};\n}catch(e){throw k.blame(e,${unitName},p)}}\n`
    if (captures.length === 0) {
      this.program.hoisted.push(code)
      return `f${id}`
    }
    for (const n of captures) if (this.flagged.has(n)) this.emit(generated.share(generated.local(n)))
    return this.temp(`((${captures.map((n) => `c$${n}`).join(",")})=>{${code}return f${id}})(${captures.map((n) => `v$${n}`).join(",")})`)
  }
}
