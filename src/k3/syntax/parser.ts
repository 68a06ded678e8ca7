/**
 * Tokens to syntax tree, by K's one rule: what stands on the right is done first.
 *
 * Guarantees: every node knows its place; what cannot be read is a `parse` error (or a more telling one) at the token to blame.
 * Does not: know variables; a name is a noun to the parser, so `f g x` is two applications whatever f and g hold.
 */
import type { AssignNode, Items, Node } from "./ast.ts"
import type { Verb } from "../values/function.ts"
import type { Span } from "../run/KError.ts"
import { tokens, type Token } from "../text/lexer.ts"
import { free, type Pay } from "../text/literals.ts"
import { SyntaxKError } from "./SyntaxKError.ts"
import type { NounRow } from "../primitives/Row.ts"
import { collapse, NIL, type Value } from "../values/value.ts"

/** The verbs the parser is to know: `vocabulary.ts`. */
export interface Vocabulary {
  /** `+`, `+:`, `0:`, `:`, `_ssr`. */
  verb(text: string): Verb | undefined
  noun(text: string): NounRow | undefined
}

const CONTROL: Readonly<Record<string, "if" | "while" | "do">> = { if: "if", while: "while", do: "do" }

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

/** An expression, and whether it is a train that ends in a verb and so waits for arguments. */
interface Expression {
  readonly node: Node
  readonly train: boolean
}

class Parser {
  private at = 0
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

  /** `a;b;c` up to a closer, which is consumed. */
  private items(closer: "end" | ")" | "]" | "}"): Items {
    const out: (Node | undefined)[] = []
    for (;;) {
      const kind = this.token.kind
      if (kind === ";") {
        out.push(undefined)
        this.at++
      } else if (kind === closer) {
        if (out.length > 0 || closer === "]") out.push(undefined)
        this.at++
        return out
      } else {
        out.push(this.expression().node)
        if (this.token.kind === ";") {
          this.at++
          continue
        }
        if (this.token.kind !== closer) this.unexpected(this.token)
        this.at++
        return out
      }
    }
  }

  private atEnd(): boolean {
    const kind = this.token.kind
    return kind === ";" || kind === ")" || kind === "]" || kind === "}" || kind === "end"
  }

  private expression(): Expression {
    const start = this.token
    if (start.kind === "colon") return this.colonFirst(start)
    if (start.kind === "adverb" && start.text === "'") {
      this.at++
      if (this.atEnd()) this.fail("a signal needs a text", start)
      return { node: { kind: "signal", x: this.expression().node, span: start }, train: false }
    }
    const term = this.term()
    return term.isVerb ? this.verbFirst(term.node) : this.nounFirst(term.node, start)
  }

  /** `:x` returns; `:` alone or before an adverb is the verb. */
  private colonFirst(start: Token): Expression {
    const next = this.list[this.at + 1]!
    if (next.kind === "[" || next.kind === "adverb") {
      const term = this.term()
      return term.isVerb ? this.verbFirst(term.node) : this.nounFirst(term.node, start)
    }
    this.at++
    if (next.kind === "colon") this.fail("a colon too many", next)
    if (this.atEnd()) return { node: { kind: "verb", verb: this.vocabulary.verb(":")!, span: start }, train: false }
    return { node: { kind: "return", x: this.expression().node, span: start }, train: false }
  }

  private verbFirst(f: Node): Expression {
    if (this.atEnd()) return { node: f, train: true }
    const right = this.expression()
    if (right.train) return { node: { kind: "compose", f, g: right.node, span: f.span }, train: true }
    return { node: { kind: "monad", f, x: right.node, span: f.span }, train: false }
  }

  /** `first` is where the noun begins, which for `(a+b)` is not where its node is blamed. */
  private nounFirst(x: Node, first: Token): Expression {
    if (this.atEnd()) return { node: x, train: false }
    const assign = this.assignment(x)
    if (assign !== undefined) return { node: assign, train: false }
    const behind = this.list[this.at + 1]?.kind
    if (this.token.kind === "colon" && behind !== "[" && behind !== "adverb")
      this.fail("a name is assigned, or one with its places: x[i;j]:y", this.token)
    const mark = this.at
    const next = this.term()
    if (!next.isVerb) {
      this.at = mark
      const right = this.expression()
      if (right.train) return { node: { kind: "compose", f: x, g: right.node, span: x.span }, train: true }
      return {
        node: { kind: "apply", f: x, args: [right.node], bracket: false, span: { start: first.start, end: x.span.end } },
        train: false,
      }
    }
    const f = next.node
    if (this.atEnd()) return { node: { kind: "section", f, x, span: f.span }, train: true }
    const right = this.expression()
    if (right.train) {
      const section: Node = { kind: "section", f, x, span: f.span }
      return { node: { kind: "compose", f: section, g: right.node, span: f.span }, train: true }
    }
    if (onlyMonad(f)) {
      const y: Node = { kind: "monad", f, x: right.node, span: f.span }
      return { node: { kind: "apply", f: x, args: [y], bracket: false, span: { start: first.start, end: x.span.end } }, train: false }
    }
    return { node: { kind: "dyad", f, x, y: right.node, span: f.span }, train: false }
  }

  /** `a:`, `a::`, `a+:`, `a[i]:`, `a[i]+:` when that is what follows the noun. */
  private assignment(target: Node): AssignNode | undefined {
    const indexed = target.kind === "apply" && target.bracket
    const name = target.kind === "name" ? target : indexed && target.f.kind === "name" ? target.f : undefined
    if (name === undefined) return undefined
    const path = indexed ? target.args : undefined
    const token = this.token
    const next = this.list[this.at + 1]!
    const { start } = target.span
    if (token.kind === "colon") {
      this.at++
      const global = next.kind === "colon" && !next.spaced && this.list[this.at + 1]!.kind !== "["
      if (global) this.at++
      const missing = this.atEnd()
      if (missing && path !== undefined) this.fail("a value is missing", token)
      const value: Node = missing ? { kind: "literal", value: NIL, span: token } : this.expression().node
      return { kind: "assign", name: name.name, path, verb: undefined, value, global, span: { start, end: token.end } }
    }
    if (token.kind === "verb" && token.text.length === 2 && token.text[1] === ":" && !isDigit(token.text)) {
      if (next.kind === "adverb" && !next.spaced) return undefined
      this.at++
      const missing = this.atEnd()
      const verb = this.verbOf(token, missing ? token.text : token.text[0])
      const value = missing ? undefined : this.expression().node
      return { kind: "assign", name: name.name, path, verb, value, global: false, span: { start, end: token.end } }
    }
    return undefined
  }

  private verbOf(token: Token, text = token.text): Verb {
    const verb = this.vocabulary.verb(text)
    if (verb === undefined) throw new SyntaxKError("nonce", token, { what: "no-verb", text })
    return verb
  }

  /** A noun or verb with the brackets and adverbs that touch it. */
  private term(): Term {
    this.pay(1)
    const { start } = this.token
    let { node, isVerb } = this.primary()
    for (;;) {
      const token = this.token
      if (token.kind === "[" && !token.spaced) {
        this.at++
        node = { kind: "apply", f: node, args: this.items("]"), bracket: true, span: { start, end: token.end } }
        isVerb = false
      } else if (token.kind === "adverb" && (!token.spaced || token.text[0] === "\\")) {
        this.at++
        node = { kind: "derived", f: node, adverb: token.text, span: { start, end: token.end } }
        isVerb = true
      } else return { node, isVerb }
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
          return this.control("cond", token)
        }
        return { node: { kind: "verb", verb: this.vocabulary.verb(":")!, span: token }, isVerb: true }
      case ":[":
        return this.control("cond", token)
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
    const word = CONTROL[token.text]
    if (word !== undefined && this.token.kind === "[") {
      this.at++
      return this.control(word, token)
    }
    return noun({ kind: "name", name: token.text, span: token })
  }

  /** What stands in the bracket, which has been taken. */
  private control(word: "cond" | "if" | "while" | "do", token: Token): Term {
    const args = this.items("]")
    if (args[0] === undefined) this.fail("a condition is missing", token)
    return noun({ kind: "control", word, args, span: token })
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
