/**
 * Reads terms: a noun or verb with the brackets and adverbs that touch it.
 *
 * Does not: read the expressions in brackets; `parser.ts` passes `ReadItems` for them.
 */
import type { ItemNodes, Node, VerbNode } from "./ast.ts"
import type { Span } from "../run/KError.ts"
import type { Token, TokenKind } from "../text/lexer.ts"
import { SyntaxKError } from "./SyntaxKError.ts"
import type { TokenReader } from "./TokenReader.ts"
import { collapse, NIL, type Value } from "../values/value.ts"

/** Parameters of one function. */
const MOST_PARAMETERS = 1024

/** A noun, or a verb that may stand between nouns. */
export type Term = { readonly node: Node; readonly isVerb: false } | { readonly node: VerbNode; readonly isVerb: true }

/** Reads `a;b;c` and the closing token. Adds to `ends` the token after each item. */
export type ReadItems = (closer: "end" | ")" | "]" | "}", ends?: Token[]) => ItemNodes

/** Reads the term that begins with a token, which is taken already. */
type ReadTerm = (reader: TokenReader, items: ReadItems, token: Token) => Term

const noun = (node: Node): Term => ({ node, isVerb: false })
const verb = (node: VerbNode): Term => ({ node, isVerb: true })

/** `+`, `_ssr`. */
const primitive: ReadTerm = (reader, _items, token) => verb({ kind: "verb", verb: reader.verbOf(token), span: token })

/** `_f`, `_t`, `_ssr`. */
const system: ReadTerm = (reader, items, token) => {
  if (token.text === "_f") return noun({ kind: "self", span: token })
  const row = reader.vocabulary.noun(token.text)
  if (row === undefined) return primitive(reader, items, token)
  if (reader.token.kind === "colon") throw new SyntaxKError("reserved", token, { what: "not-assignable", name: token.text })
  return noun({ kind: "system", row, span: token })
}

const isLoopWord = (word: string): word is "if" | "while" | "do" => word === "if" || word === "while" || word === "do"

const missingCondition = (reader: TokenReader, span: Span): never => reader.fail("a condition is missing", span)

/** A name, or a loop when its bracket touches the word. */
const name: ReadTerm = (reader, items, token) => {
  if (!isLoopWord(token.text) || reader.token.kind !== "[") return noun({ kind: "name", name: token.text, span: token })
  reader.next()
  const [condition = missingCondition(reader, token), ...body] = items("]")
  return noun({ kind: "loop", word: token.text, condition, body, span: token })
}

/** The rest of `:[c;t;f]` after its opening bracket. */
const conditional: ReadTerm = (reader, items, token) => {
  const ends: Token[] = []
  const args = items("]", ends)
  const pairs = args.length >> 1
  const branches = Array.from({ length: pairs }, (_, i) => ({
    condition: args[2 * i] ?? missingCondition(reader, i === 0 ? token : ends[2 * i]!),
    value: args[2 * i + 1],
  }))
  if (pairs === 0 && args[0] === undefined) missingCondition(reader, token)
  return noun({ kind: "cond", branches, otherwise: args[2 * pairs], span: token })
}

/** A list, or the one expression in parentheses. A list of literals is a literal. */
const parenthesis: ReadTerm = (reader, read, token) => {
  const items = read(")")
  const span = { start: token.start, end: reader.previous.end }
  if (items.length === 1 && items[0] !== undefined) {
    // An assignment in parentheses is not the outermost operation any more, so its value is printed.
    return noun(items[0].kind === "assign" ? { kind: "sequence", statements: items, span } : items[0])
  }
  const values: Value[] = []
  for (const x of items) {
    if (x?.kind !== "literal" || x.value === NIL) return noun({ kind: "list", items, span })
    values.push(x.value)
  }
  return noun({ kind: "literal", value: collapse(values), span })
}

/** The names of a parameter list, up to its closing bracket. */
const parameters = (reader: TokenReader): string[] => {
  const names: string[] = []
  let parted = true
  for (let token = reader.next(); token.kind !== "]"; token = reader.next()) {
    if (token.kind === ";") {
      parted = true
      continue
    }
    if (token.kind !== "name" || token.text.includes(".")) reader.fail("a parameter list holds names", token)
    if (!parted) reader.fail("; parts the names of a parameter list", token)
    if (names.length === MOST_PARAMETERS) reader.fail(`a function has at most ${MOST_PARAMETERS} parameters`, token)
    names.push(token.text)
    parted = false
  }
  return names
}

const lambda: ReadTerm = (reader, items, token) => {
  const isListed = reader.token.kind === "["
  if (isListed) reader.next()
  const params = isListed ? parameters(reader) : undefined
  const body = items("}")
  const span = { start: token.start, end: reader.previous.end }
  return noun({ kind: "lambda", text: reader.text.slice(span.start, span.end), params, body, span })
}

const unexpected: ReadTerm = (reader, _items, token) => reader.unexpected(token)

const primaries: { readonly [K in TokenKind]: ReadTerm } = {
  literal: (_reader, _items, token) => noun({ kind: "literal", value: token.value!, span: token }),
  name,
  system,
  verb: primitive,
  colon(reader, items, token) {
    if (reader.token.kind !== "[" || reader.token.spaced) return primitive(reader, items, token)
    reader.next()
    return conditional(reader, items, token)
  },
  ":[": conditional,
  "(": parenthesis,
  "{": lambda,
  adverb: (reader, _items, token) => reader.fail("an adverb needs a verb on its left", token),
  end: (reader, _items, token) => reader.fail("the text ends too early", token),
  ")": unexpected,
  "[": unexpected,
  "]": unexpected,
  "}": unexpected,
  ";": unexpected,
}

export const readTerm = (reader: TokenReader, items: ReadItems): Term => {
  reader.pay(1)
  const { depth } = reader
  const first = reader.next()
  let term = primaries[first.kind](reader, items, first)
  for (;;) {
    const { token } = reader
    if (token.kind === "[" && !token.spaced) {
      reader.next()
      term = noun({ kind: "apply", f: term.node, args: items("]"), bracket: true, span: { start: first.start, end: token.end } })
    } else if (token.kind === "adverb" && (!token.spaced || token.text[0] === "\\")) {
      reader.next()
      term = verb({ kind: "derived", f: term.node, adverb: token.text, span: { start: first.start, end: token.end } })
    } else break
    reader.deeper()
  }
  reader.depth = depth
  return term
}
