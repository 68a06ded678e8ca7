/**
 * Expressions and statements of one K function to lines of JavaScript; see `compile.ts` for how to read what comes out.
 *
 * Does not: decide whose a name is (`scope.ts`), nor keep the parts of the program (`emitter.ts`).
 */
import type { AssignNode, Items, LambdaNode, Node } from "./ast.ts"
import { Emitter, type Unit } from "./emitter.ts"
import type { Derived, Verb } from "./function.ts"
import { KError, type Span } from "./KError.ts"
import { assigns, IMPLICIT, implicit, inert, localNames } from "./scope.ts"
import { derive } from "./runtime.ts"
import { NIL, type Value } from "./value.ts"
import { vocabulary } from "./vocabulary.ts"

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

export class FunctionCompiler extends Emitter {
  /** The statements of the function. */
  private body: Items = []

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

  private monad(node: Node & { readonly kind: "monad" }, dropped = false): string {
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
      const call = f.kind === "derived" ? `${g}.call1(${keep},k)` : `${this.rt(dropped ? "drop1" : "call1")}(${g},${keep},k)`
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
      const y = this.expression(node.y)
      const keep = y.startsWith("v$") && assigns(node.x) ? this.temp(y) : y
      return this.called(f.span, `${this.rt("call1")}(${this.expression(node.x, false)},${keep},k)`)
    }
    const [x, y] = this.operands(node.x, node.y, verb.fresh.dyad)
    const fresh = isFresh(node)
    return this.dyadic(verb, x, y, f.span, fresh && passing(node.x), fresh && passing(node.y))
  }

  private after(call: string, x: string): string {
    return `${this.rt("after")}(${call},${x})`
  }

  private dyadic(verb: Verb, x: string, y: string, span: Span, passingX = false, passingY = false): string {
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

  private apply(node: Node & { readonly kind: "apply" }, dropped = false): string {
    const { f, args } = node
    if (f.kind === "verb" && args.length === 2 && args[0] !== undefined && args[1] !== undefined && f.verb.dyad !== undefined)
      return this.dyad({ kind: "dyad", f, x: args[0], y: args[1], span: node.span })
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

  // Assignment

  private assign(node: AssignNode, wanted: boolean): string {
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

  /** The flag that says the variable owns its value: as something to read, and, where it has one, to write. */
  private flagOf(name: string): { readonly read: string; readonly write: string | undefined } {
    const variable = this.variable(name)
    if (variable.kind === "local")
      return this.flagged.has(name) ? { read: `o$${name}`, write: `o$${name}` } : { read: "false", write: undefined }
    const cell = this.cellOf(name)
    if (cell === undefined) return { read: "false", write: undefined }
    const flag = `${this.program.cell(cell)}.own`
    return { read: flag, write: flag }
  }

  private appendTo(node: AssignNode, verb: Verb, y: string, wanted: boolean): string {
    const x = this.readName(node.name, node.span, false)
    const join = this.program.object(verb.dyad)
    const flag = this.flagOf(node.name)
    const t = this.called(node.span, `${this.rt("joined")}(${x},${flag.read},${y},${join},k)`)
    // Where the result is used, somebody else holds it too: `a[0]:a,:1` would put the list into itself.
    // The result of a function is used unless its caller says that it is not.
    const used = wanted && !(this.endsIn(node) && flag.write?.startsWith("c") === true)
    const owned =
      used || flag.write === undefined
        ? "false"
        : this.temp(`${wanted ? "dropped&&" : ""}${this.rt("ownsJoined")}(${t},${x},${flag.read},${y})`)
    this.writeName(node.name, t, node.span, owned)
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
    const amended = `k.amend(${JSON.stringify(node.name)},${places},${f},${y ?? "undefined"},${wanted && verb !== undefined})`
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
    const own = this.flagOf(node.name).read
    const f = verb === undefined ? "undefined" : this.program.object(verb)
    const places = `[${path.map((i) => i ?? "undefined").join(",")}]`
    const simple = verb === undefined && path.length === 1 && path[0] !== undefined
    const result = this.called(
      node.span,
      simple
        ? `${this.rt("setItem")}(${x},${own},${path[0]},${y},k)`
        : `${this.rt("amend")}(${x},${own},${places},${f},${y ?? "undefined"},k)`,
    )
    // What can be interrupted comes before the variable is written.
    const wantedValue = !wanted ? this.rt("N") : verb === undefined ? y! : this.temp(`${this.rt("index")}(${result},${places},k)`)
    this.writeName(node.name, result, node.span, "true", places)
    return wantedValue
  }

  /** An undefined name that is amended counts as nil: `` a[`x]:5 `` makes a dictionary. */
  private readForAmend(node: AssignNode): string {
    const variable = this.variable(node.name)
    if (variable.kind === "local") return variable.js
    const c = this.program.cell(this.cellOf(node.name)!)
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
    else if (node.kind === "monad") this.monad(node, true)
    else if (node.kind === "apply") this.apply(node, true)
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
    const inner = new FunctionCompiler(this.program, node.span.start, node.text.length, this, own, flagged, self)
    inner.body = node.body
    const result = inner.sequence(node.body)
    const unit: Unit = { source: node.text, spans: inner.spans, name }
    this.program.parameter(unitName, unit)
    const context = inner.usesGlobals ? this.program.context.tree.current.path : ""
    if (inner.usesGlobals) this.usesGlobals = true

    // A name given twice in the parameter list is one variable; a function without x takes any one argument and ignores it.
    const formals = params.map((p, i) => (params.indexOf(p) === i ? `v$${p}` : `w${i}`))
    while (formals.length < valence) formals.push(`w${formals.length}`)
    const locals = [...own].filter((n) => !params.includes(n)).map((n) => `v$${n}=${this.rt("N")}`)
    const captures = [...inner.captured]
    const lets = ["p=0", ...locals, ...captures.map((n) => `v$${n}=c$${n}`), ...[...flagged].map((n) => `o$${n}=false`)]
    const traced =
      this.program.context.trace === undefined ? "" : `X.trace.called(${unitName},[${formals.slice(0, params.length).join(",")}]);`
    const code =
      `const f${id}=new ${this.rt("Lambda")}(${unitName}.source,${valence},r${id},${JSON.stringify(context)}${captures.length > 0 ? ",true" : ""});\n` +
      `function r${id}(${[...formals, "dropped"].join(",")}){let ${lets.join(",")}${inner.temporaries};${this.rt("tick")}(1);\n` +
      `if(++D.n>D.max)${this.rt("tooDeep")}(D);${traced}\ntry{\n${inner.source}\nD.n--;return ${result};\n}catch(e){throw X.blame(e,${unitName},p)}}\n`
    if (captures.length === 0) {
      this.program.hoisted.push(code)
      return `f${id}`
    }
    for (const n of captures) if (this.flagged.has(n)) this.emit(`o$${n}=false;`)
    return this.temp(`((${captures.map((n) => `c$${n}`).join(",")})=>{${code}return f${id}})(${captures.map((n) => `v$${n}`).join(",")})`)
  }
}

/** Is this `n:n,y`, which is `n,:y` in other words? */
const appendedTo = ({ name, value }: AssignNode): { readonly f: Verb; readonly y: Node } | undefined =>
  value?.kind === "dyad" && value.f.kind === "verb" && value.f.verb.text === "," && value.x.kind === "name" && value.x.name === name
    ? { f: value.f.verb, y: value.y }
    : undefined

/** Does the dyad's result hold neither operand? x!n with an int n is a modulo, not a rotation. */
const isFresh = (node: Node & { readonly kind: "dyad" }): boolean =>
  node.f.kind === "verb" &&
  (node.f.verb.fresh.dyad || (node.f.verb.text === "!" && node.y.kind === "literal" && typeof node.y.value === "number"))

/** Is this the result of a glyph verb that made it anew, so that nothing holds it once it has been used? */
const passing = (node: Node): boolean =>
  (node.kind === "dyad" && node.f.kind === "verb" && node.f.verb.text.length === 1 && isFresh(node)) ||
  (node.kind === "monad" && node.f.kind === "verb" && node.f.verb.text.length <= 2 && node.f.verb.fresh.monad)

/** The verb of `+/` and its like, whose result over numbers is a number. */
const foldedVerb = (f: Node): string | undefined =>
  f.kind === "derived" && f.adverb === "/" && f.f.kind === "verb" && "+-*&|".includes(f.f.verb.text) ? f.f.verb.text : undefined

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
