/**
 * Tokens to syntax tree, by K's one rule: the right side comes first.
 *
 * Guarantees: every node has its span; a text that is not K is a `SyntaxKError` at the token to blame; the compiler accepts every tree made here.
 * Work is linear in the tokens. Does not: know variables. A name is a noun to the parser, so `f g x` is two applications, whatever f and g hold.
 */
import type { AssignNode, ItemNodes, Node, NodeOf, VerbNode } from "./ast.ts"
import type { Verb } from "../values/Verb.ts"
import type { Token } from "../text/lexer.ts"
import { free, type Pay } from "../text/literals.ts"
import { readTerm, type Term } from "./terms.ts"
import { TokenReader } from "./TokenReader.ts"
import type { Vocabulary } from "./Vocabulary.ts"
import { NIL } from "../values/value.ts"

/** A whole text as one sequence of statements. */
export const parse = (text: string, vocabulary: Vocabulary, pay: Pay = free): NodeOf<"sequence"> =>
  new Parser(new TokenReader(text, vocabulary, pay)).program()

/** A train that waits for its arguments: an expression whose last part is a verb. */
class Train {
  /** From the last part to the first. */
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

/** The right end of an expression, from some part on. */
type Right = Node | Train
const whole = (right: Right): Node => (right instanceof Train ? right.node : right)

/** A part that takes its right side and joins both. */
type Left = (right: Right) => Right

class Parser {
  /** A noun that was read after another noun, and its first token. */
  private ahead: { readonly term: Term; readonly first: Token } | undefined

  constructor(private readonly reader: TokenReader) {}

  program(): NodeOf<"sequence"> {
    const statements = this.items("end")
    return { kind: "sequence", statements, span: { start: 0, end: this.reader.text.length } }
  }

  private readonly items = (closer: "end" | ")" | "]" | "}", ends: Token[] = []): ItemNodes => {
    const { reader } = this
    const out: (Node | undefined)[] = []
    reader.enterBracket()
    for (;;) {
      const { kind } = reader.token
      if (kind === ";") out.push(undefined)
      else if (kind !== closer) out.push(this.expression())
      // Empty parentheses or braces hold nothing; an empty bracket holds one elided item.
      else if (out.length > 0 || closer === "]") out.push(undefined)
      const end = reader.next()
      ends.push(end)
      if (end.kind === closer) break
      if (end.kind !== ";") reader.unexpected(end)
    }
    reader.leaveBracket()
    return out
  }

  /** Reads parts from left to right, then joins them from right to left. Loops instead of recursion, since lines can have thousands of verbs. */
  private expression(): Node {
    const { depth } = this.reader
    const lefts: Left[] = []
    let read = this.part()
    for (; typeof read === "function"; read = this.part()) {
      lefts.push(read)
      this.reader.deeper()
    }
    let right = read
    for (let i = lefts.length - 1; i >= 0; i--) right = lefts[i]!(right)
    this.reader.depth = depth
    return whole(right)
  }

  /** The next part of an expression: a part that waits for its right side, or the right end. */
  private part(): Left | Right {
    const { ahead } = this
    this.ahead = undefined
    if (ahead !== undefined) return this.noun(ahead.term.node, ahead.first)
    const first = this.reader.token
    if (first.kind === "colon" && !isTerm(this.reader.following)) return this.returned()
    if (first.kind === "adverb" && first.text === "'") return this.signal()
    const term = this.term()
    return term.isVerb ? this.verb(term.node) : this.noun(term.node, first)
  }

  private term(): Term {
    return readTerm(this.reader, this.items)
  }

  /** `'x` raises an error. */
  private signal(): Left {
    const span = this.reader.next()
    if (this.reader.atEnd) this.reader.fail("a signal needs a text", span)
    return (right) => ({ kind: "signal", x: whole(right), span })
  }

  /** `:x` returns; `:` alone is the verb, and `::` its monad. */
  private returned(): Left | Right {
    const { reader } = this
    const { previous } = reader
    const first = reader.next()
    const second = reader.token
    if (second.kind === "colon" && !isTerm(reader.following)) {
      if (second.spaced || (!first.spaced && previous?.kind === "verb")) reader.fail("a colon too many")
      return this.pair(first)
    }
    if (reader.atEnd) return { kind: "verb", verb: reader.verbOf(first), span: first }
    return (right) => ({ kind: "return", x: whole(right), span: first })
  }

  /** The verb `::`, whose second colon is the next token. A single colon may not touch it. */
  private pair({ start }: Token): Left | Right {
    const { reader } = this
    const { end } = reader.next()
    const { token, following } = reader
    if (isTouchingColon(token) && !isTouchingColon(following) && !isTerm(following)) reader.fail("a colon too many")
    return this.verb({ kind: "verb", verb: reader.verbOf(token, "::"), span: { start, end } })
  }

  private verb(f: VerbNode): Left | Right {
    if (this.reader.atEnd) return new Train(f)
    return (x) => (x instanceof Train ? x.after(this.inTrain(f)) : { kind: "monad", f, x, span: f.span })
  }

  /** A verb that is not the last of a train is monadic. */
  private inTrain(f: VerbNode): VerbNode {
    return f.kind === "verb" && f.verb.forced !== undefined ? { kind: "verb", verb: f.verb.forced, span: f.span } : f
  }

  /** `first` is the noun's first token; for `(a+b)` the node's span begins later. */
  private noun(x: Node, first: Token): Left | Right {
    const { reader } = this
    if (reader.atEnd) return x
    const assigned = this.assignment(x)
    if (assigned !== undefined) return assigned
    const second = reader.token
    if (second.kind === "colon" && !isTerm(reader.following)) reader.fail("a name is assigned, or one with its places: x[i;j]:y")
    const term = this.term()
    const span = { start: first.start, end: x.span.end }
    const applied = (y: Node): Node => ({ kind: "apply", f: x, args: [y], bracket: false, span })
    if (!term.isVerb) {
      this.ahead = { term, first: second }
      return (right) => (right instanceof Train ? right.after(x) : applied(right))
    }
    const f = term.node
    const section: Node = { kind: "section", f, x, span: f.span }
    if (reader.atEnd) return new Train(section)
    return (right) => {
      if (right instanceof Train) return right.after(section)
      return onlyMonad(f) ? applied({ kind: "monad", f, x: right, span: f.span }) : { kind: "dyad", f, x, y: right, span: f.span }
    }
  }

  /** An assignment `a:`, `a::`, `a+:`, `a[i]:` or `a[i]+:`; undefined when no assignment follows the noun. */
  private assignment(target: Node): Left | AssignNode | undefined {
    const { reader } = this
    const indexed = target.kind === "apply" && target.bracket
    const named = indexed ? target.f : target
    if (named.kind !== "name") return undefined
    const path = indexed ? target.args : undefined
    const { token, following } = reader
    const assigned = (verb: Verb | undefined, value: Node | undefined, global = false): AssignNode => {
      return { kind: "assign", name: named.name, path, verb, value, global, span: { start: target.span.start, end: token.end } }
    }
    if (token.kind === "colon") {
      reader.next()
      const global = following.kind === "colon" && !following.spaced && reader.following.kind !== "["
      if (global) reader.next()
      if (!reader.atEnd) return (right) => assigned(undefined, whole(right), global)
      if (path !== undefined) reader.fail("a value is missing", token)
      return assigned(undefined, { kind: "literal", value: NIL, span: token }, global)
    }
    if (!isAmending(token) || (following.kind === "adverb" && !following.spaced)) return undefined
    reader.next()
    if (reader.atEnd) return assigned(reader.verbOf(token), undefined)
    const verb = reader.verbOf(token, token.text[0])
    return (right) => assigned(verb, whole(right))
  }
}

/** Is it a colon with nothing between it and the token before? */
const isTouchingColon = ({ kind, spaced }: Token): boolean => kind === "colon" && !spaced

/** Is a colon before this token the verb or part of a conditional, rather than a return? */
const isTerm = (next: Token): boolean => next.kind === "[" || next.kind === "adverb"

/** `+:`, but not `0:`. */
const isAmending = ({ kind, text }: Token): boolean => kind === "verb" && /^\D:$/.test(text)

/** Does the verb take one argument only, as `#:` and `_sin` do? A noun before it is applied to its result: `1 2 3 #:x` is `1 2 3 (#x)`. */
const onlyMonad = (f: VerbNode): boolean =>
  f.kind === "verb" && f.verb.monad !== undefined && f.verb.dyad === undefined && f.verb.polyad === undefined
