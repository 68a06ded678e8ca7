/**
 * Tokens to syntax tree, by K's one rule: what stands on the right is done first.
 *
 * Guarantees: every node knows its place; what cannot be read is a `parse` error (or a more telling one) at the token to blame; the compiler
 * refuses no tree that comes out of here. Work is linear in the tokens, and a tree is at most `DEEPEST` nodes deep.
 * Does not: know variables; a name is a noun to the parser, so `f g x` is two applications whatever f and g hold.
 */
import type { AssignNode, Items, Node } from "./ast.ts"
import type { Verb } from "../values/Verb.ts"
import type { Span } from "../run/KError.ts"
import { tokens, type Token } from "../text/lexer.ts"
import { free, type Pay } from "../text/literals.ts"
import { SyntaxKError } from "./SyntaxKError.ts"
import type { NounRow } from "../primitives/Row.ts"
import { collapse, NIL, type Value } from "../values/value.ts"

/** Nodes below one another, and brackets: the stack of a usual thread is enough to read so many, that of a deep one to compile them. */
const DEEPEST = 30_000
const DEEPEST_BRACKETS = 400
/** Of one function. */
const MOST_PARAMETERS = 1024

/** The verbs the parser is to know: `vocabulary.ts`. */
export interface Vocabulary {
  /** `+`, `+:`, `0:`, `:`, `_ssr`. */
  verb(text: string): Verb | undefined
  noun(text: string): NounRow | undefined
}

const isLoopWord = (word: string): word is "if" | "while" | "do" => word === "if" || word === "while" || word === "do"

/** Which names that begin with `_` there are. */
export const isSystemName =
  (vocabulary: Vocabulary) =>
  (name: string): boolean =>
    name === "_f" || vocabulary.verb(name) !== undefined || vocabulary.noun(name) !== undefined

/** A whole text as one sequence of statements. */
export const parse = (text: string, vocabulary: Vocabulary, pay: Pay = free): Node & { readonly kind: "sequence" } => {
  const parser = new Parser(text, tokens(text, isSystemName(vocabulary), pay), vocabulary, pay)
  return parser.program()
}

/** A term is a noun, or a verb that may stand between nouns. */
interface Term {
  readonly node: Node
  readonly isVerb: boolean
}

/** A train that waits for its arguments, since it ends in a verb. */
class Train {
  /** From the last to the first. */
  private readonly parts: Node[]
  constructor(last: Node) {
    this.parts = [last]
  }

  after(part: Node): Train {
    this.parts.push(part)
    return this
  }

  get node(): Node {
    const parts = this.parts.toReversed()
    return parts.length === 1 ? parts[0]! : { kind: "compose", parts, span: parts[0]!.span }
  }
}

/** The right end of an expression, or all of it from some part on. */
type Right = Node | Train
const whole = (right: Right): Node => (right instanceof Train ? right.node : right)

/** A part that waits for its right, and makes one of both. */
type Left = (right: Right) => Right

class Parser {
  private at = 0
  /** Of the node that is being read, below the root of the tree. */
  private depth = 0
  private brackets = 0
  /** A noun that was read behind another, and where it begins. */
  private ahead: { readonly term: Term; readonly first: Token } | undefined
  constructor(
    private readonly text: string,
    private readonly list: readonly Token[],
    private readonly vocabulary: Vocabulary,
    private readonly pay: Pay,
  ) {}

  private get token(): Token {
    return this.list[this.at]!
  }

  private next(): Token {
    return this.list[this.at++]!
  }

  private fail(hint: string, span: Span = this.token): never {
    throw new SyntaxKError("parse", span, hint)
  }

  private unexpected(token: Token): never {
    const before = this.list[this.list.indexOf(token) - 1]
    if (token.kind !== "[") this.fail("this was not expected here", token)
    if (before?.kind === "colon") this.fail("a conditional is :[c;t;f], and a::[c;t;f] assigns it", token)
    this.fail("a bracket touches what it belongs to: a[i] f[x;y] :[c;t;f]", token)
  }

  program(): Node & { readonly kind: "sequence" } {
    const statements = this.items("end")
    return { kind: "sequence", statements, span: { start: 0, end: this.text.length } }
  }

  /** `a;b;c` up to a closer, which is consumed; `ends` gets the token behind each. */
  private items(closer: "end" | ")" | "]" | "}", ends: Token[] = []): Items {
    if (++this.brackets > DEEPEST_BRACKETS)
      throw new SyntaxKError("deep", this.token, { what: "depth", most: DEEPEST_BRACKETS, of: "brackets" })
    const out: (Node | undefined)[] = []
    for (;;) {
      const isEmpty = this.token.kind === ";" || this.token.kind === closer
      // An empty pair of parentheses or braces holds nothing, and a bracket one place.
      if (!(isEmpty && this.token.kind === closer && out.length === 0 && closer !== "]")) out.push(isEmpty ? undefined : this.expression())
      const end = this.next()
      ends.push(end)
      if (end.kind === closer) break
      if (end.kind !== ";") this.unexpected(end)
    }
    this.brackets--
    return out
  }

  private atEnd(): boolean {
    const kind = this.token.kind
    return kind === ";" || kind === ")" || kind === "]" || kind === "}" || kind === "end"
  }

  /** From left to right, remembering what waits for its right: a loop, since there are lines of thousands of verbs. */
  private expression(): Node {
    const { depth } = this
    const lefts: Left[] = []
    let read = this.part()
    for (; typeof read === "function"; read = this.part()) {
      lefts.push(read)
      this.deeper()
    }
    let right = read
    for (let i = lefts.length - 1; i >= 0; i--) right = lefts[i]!(right)
    this.depth = depth
    return whole(right)
  }

  private deeper(): void {
    if (++this.depth > DEEPEST) throw new SyntaxKError("deep", this.token, { what: "depth", most: DEEPEST, of: "expressions" })
  }

  /** The next part of an expression: what waits for its right, or its right end. */
  private part(): Left | Right {
    const first = this.ahead?.first ?? this.token
    const term = this.ahead?.term
    this.ahead = undefined
    if (term === undefined && first.kind === "colon" && !this.isTerm(this.list[this.at + 1]!)) return this.returned(first)
    if (term === undefined && first.kind === "adverb" && first.text === "'") {
      this.at++
      if (this.atEnd()) this.fail("a signal needs a text", first)
      return (right) => ({ kind: "signal", x: whole(right), span: first })
    }
    const { node, isVerb } = term ?? this.term()
    return isVerb ? this.verb(node) : this.noun(node, first)
  }

  /** Is a colon the verb, or the bracket's, when this follows it? */
  private isTerm(next: Token): boolean {
    return next.kind === "[" || next.kind === "adverb"
  }

  /** `:x` returns; `:` alone is the verb. */
  private returned(colon: Token): Left | Right {
    this.at++
    if (this.token.kind === "colon" && !this.isTerm(this.list[this.at + 1]!)) this.fail("a colon too many", this.token)
    if (this.atEnd()) return { kind: "verb", verb: this.vocabulary.verb(":")!, span: colon }
    return (right) => ({ kind: "return", x: whole(right), span: colon })
  }

  private verb(f: Node): Left | Right {
    if (this.atEnd()) return new Train(f)
    return (x) => (x instanceof Train ? x.after(this.inTrain(f)) : { kind: "monad", f, x, span: f.span })
  }

  /** A verb that is not the last of a train is monadic. */
  private inTrain(f: Node): Node {
    const monad = f.kind === "verb" ? this.vocabulary.verb(`${f.verb.text}:`) : undefined
    return monad === undefined ? f : { kind: "verb", verb: monad, span: f.span }
  }

  /** `first` is where the noun begins, which for `(a+b)` is not where its node is blamed. */
  private noun(x: Node, first: Token): Left | Right {
    if (this.atEnd()) return x
    const assigned = this.assignment(x)
    if (assigned !== undefined) return assigned
    const second = this.token
    if (second.kind === "colon" && !this.isTerm(this.list[this.at + 1]!))
      this.fail("a name is assigned, or one with its places: x[i;j]:y", second)
    const term = this.term()
    const applied = (y: Node): Node => ({
      kind: "apply",
      f: x,
      args: [y],
      bracket: false,
      span: { start: first.start, end: x.span.end },
    })
    if (!term.isVerb) {
      this.ahead = { term, first: second }
      return (right) => (right instanceof Train ? right.after(x) : applied(right))
    }
    const f = term.node
    const section: Node = { kind: "section", f, x, span: f.span }
    if (this.atEnd()) return new Train(section)
    return (right) => {
      if (right instanceof Train) return right.after(section)
      return onlyMonad(f) ? applied({ kind: "monad", f, x: right, span: f.span }) : { kind: "dyad", f, x, y: right, span: f.span }
    }
  }

  /** `a:`, `a::`, `a+:`, `a[i]:`, `a[i]+:` when that is what follows the noun. */
  private assignment(target: Node): Left | AssignNode | undefined {
    const indexed = target.kind === "apply" && target.bracket
    const named = target.kind === "name" ? target : indexed && target.f.kind === "name" ? target.f : undefined
    if (named === undefined) return undefined
    const path = indexed ? target.args : undefined
    const token = this.token
    const next = this.list[this.at + 1]!
    const span = { start: target.span.start, end: token.end }
    const { name } = named
    if (token.kind === "colon") {
      this.at++
      const global = next.kind === "colon" && !next.spaced && this.list[this.at + 1]!.kind !== "["
      if (global) this.at++
      const assigned = (value: Node): AssignNode => ({ kind: "assign", name, path, verb: undefined, value, global, span })
      if (!this.atEnd()) return (right) => assigned(whole(right))
      if (path !== undefined) this.fail("a value is missing", token)
      return assigned({ kind: "literal", value: NIL, span: token })
    }
    if (token.kind === "verb" && token.text.length === 2 && token.text[1] === ":" && !isDigit(token.text)) {
      if (next.kind === "adverb" && !next.spaced) return undefined
      this.at++
      const amended = (verb: Verb, value: Node | undefined): AssignNode => ({
        kind: "assign",
        name,
        path,
        verb,
        value,
        global: false,
        span,
      })
      if (this.atEnd()) return amended(this.verbOf(token), undefined)
      const verb = this.verbOf(token, token.text[0])
      return (right) => amended(verb, whole(right))
    }
    return undefined
  }

  private verbOf(token: Token, text = token.text): Verb {
    const verb = this.vocabulary.verb(text)
    if (verb === undefined) throw new SyntaxKError("unknown", token, { what: "no-verb", text })
    return verb
  }

  /** A noun or verb with the brackets and adverbs that touch it. */
  private term(): Term {
    this.pay(1)
    const { start } = this.token
    const { depth } = this
    let { node, isVerb } = this.primary()
    for (; ; this.deeper()) {
      const token = this.token
      if (token.kind === "[" && !token.spaced) {
        this.at++
        node = { kind: "apply", f: node, args: this.items("]"), bracket: true, span: { start, end: token.end } }
        isVerb = false
      } else if (token.kind === "adverb" && (!token.spaced || token.text[0] === "\\")) {
        this.at++
        node = { kind: "derived", f: node, adverb: token.text, span: { start, end: token.end } }
        isVerb = true
      } else {
        this.depth = depth
        return { node, isVerb }
      }
    }
  }

  private primary(): Term {
    const token = this.token
    this.at++
    switch (token.kind) {
      case "literal":
        return noun({ kind: "literal", value: token.value!, span: token })
      case "name":
        return this.name(token)
      case "system": {
        if (token.text === "_f") return noun({ kind: "self", span: token })
        const row = this.vocabulary.noun(token.text)
        if (row !== undefined && this.token.kind === "colon")
          throw new SyntaxKError("reserved", token, { what: "not-assignable", name: token.text })
        if (row !== undefined) return noun({ kind: "system", row, span: token })
        return { node: { kind: "verb", verb: this.verbOf(token), span: token }, isVerb: true }
      }
      case "verb":
        return { node: { kind: "verb", verb: this.verbOf(token), span: token }, isVerb: true }
      case "colon":
        if (this.token.kind === "[" && !this.token.spaced) {
          this.at++
          return this.conditional(token)
        }
        return { node: { kind: "verb", verb: this.vocabulary.verb(":")!, span: token }, isVerb: true }
      case ":[":
        return this.conditional(token)
      case "(":
        return this.parenthesis(token)
      case "{":
        return this.lambda(token)
      case "adverb":
        return this.fail("an adverb needs a verb on its left", token)
      default:
        return token.kind === "end" ? this.fail("the text ends too early", token) : this.unexpected(token)
    }
  }

  private name(token: Token): Term {
    if (!isLoopWord(token.text) || this.token.kind !== "[") return noun({ kind: "name", name: token.text, span: token })
    this.at++
    const [condition = this.missing(token), ...body] = this.items("]")
    return noun({ kind: "loop", word: token.text, condition, body, span: token })
  }

  /** What stands in the bracket, which has been taken. */
  private conditional(token: Token): Term {
    const ends: Token[] = []
    const args = this.items("]", ends)
    const pairs = args.length >> 1
    const branches = Array.from({ length: pairs }, (_, i) => ({
      condition: args[2 * i] ?? this.missing(i === 0 ? token : ends[2 * i]!),
      value: args[2 * i + 1],
    }))
    if (pairs === 0 && args[0] === undefined) this.missing(token)
    return noun({ kind: "cond", branches, otherwise: args[2 * pairs], span: token })
  }

  private missing(span: Span): never {
    return this.fail("a condition is missing", span)
  }

  private parenthesis(token: Token): Term {
    const items = this.items(")")
    const span = { start: token.start, end: this.list[this.at - 1]!.end }
    if (items.length === 1 && items[0] !== undefined) {
      // An assignment in parentheses is no longer the outermost operation, and so is shown.
      return noun(items[0].kind === "assign" ? { kind: "sequence", statements: items, span } : items[0])
    }
    const values: Value[] = []
    for (const x of items) {
      if (x?.kind !== "literal" || x.value === NIL) return noun({ kind: "list", items, span })
      values.push(x.value)
    }
    return noun({ kind: "literal", value: collapse(values), span })
  }

  private lambda(token: Token): Term {
    let params: string[] | undefined
    if (this.token.kind === "[") {
      this.at++
      params = []
      let parted = true
      for (let token = this.next(); token.kind !== "]"; token = this.next()) {
        if (token.kind === ";") parted = true
        else if (token.kind !== "name" || token.text.includes(".")) this.fail("a parameter list holds names", token)
        else if (!parted) this.fail("; parts the names of a parameter list", token)
        else if (params.length === MOST_PARAMETERS) this.fail(`a function has at most ${MOST_PARAMETERS} parameters`, token)
        else {
          params.push(token.text)
          parted = false
        }
      }
    }
    const body = this.items("}")
    const end = this.list[this.at - 1]!.end
    const span = { start: token.start, end }
    return noun({ kind: "lambda", text: this.text.slice(token.start, end), params, body, span })
  }
}

const isDigit = (text: string): boolean => text >= "0" && text < ":"

/** `#:` or `_sin`: a noun in front is no argument of it but applied to what it gives, `1 2 3 #:x` like `1 2 3 (#x)`. */
const onlyMonad = (f: Node): boolean =>
  f.kind === "verb" && f.verb.monad !== undefined && f.verb.dyad === undefined && f.verb.polyad === undefined

const noun = (node: Node): Term => ({ node, isVerb: false })
