/**
 * Reads the tokens of a text one by one, and raises the errors about them.
 *
 * Guarantees: a tree read with it is at most `DEEPEST` nodes and `DEEPEST_BRACKETS` brackets deep. The stack of a usual thread suffices to read such
 * a tree; compiling it needs the deep stack of the interpreter's thread.
 */
import type { Verb } from "../values/Verb.ts"
import type { Span } from "../run/KError.ts"
import { tokens, type Token } from "../text/lexer.ts"
import type { Pay } from "../text/literals.ts"
import { SyntaxKError } from "./SyntaxKError.ts"
import { isSystemName, type Vocabulary } from "./Vocabulary.ts"

const DEEPEST = 30_000
const DEEPEST_BRACKETS = 400

export class TokenReader {
  private readonly list: readonly Token[]
  private at = 0
  /** Nodes above the node being read. Code that calls `deeper` sets it back. */
  depth = 0
  private brackets = 0

  constructor(
    readonly text: string,
    readonly vocabulary: Vocabulary,
    readonly pay: Pay,
  ) {
    this.list = tokens(text, isSystemName(vocabulary), pay)
  }

  get token(): Token {
    return this.list[this.at]!
  }

  /** The token after `token`; at the end the last token. */
  get following(): Token {
    return this.list[this.at + 1] ?? this.token
  }

  get previous(): Token {
    return this.list[this.at - 1]!
  }

  next(): Token {
    return this.list[this.at++]!
  }

  /** Does an expression end before this token? */
  get atEnd(): boolean {
    const { kind } = this.token
    return kind === ";" || kind === ")" || kind === "]" || kind === "}" || kind === "end"
  }

  deeper(): void {
    if (++this.depth > DEEPEST) throw new SyntaxKError("deep", this.token, { what: "depth", most: DEEPEST, of: "expressions" })
  }

  enterBracket(): void {
    if (++this.brackets > DEEPEST_BRACKETS)
      throw new SyntaxKError("deep", this.token, { what: "depth", most: DEEPEST_BRACKETS, of: "brackets" })
  }

  leaveBracket(): void {
    this.brackets--
  }

  verbOf(token: Token, text = token.text): Verb {
    const verb = this.vocabulary.verb(text)
    if (verb === undefined) throw new SyntaxKError("unknown", token, { what: "no-verb", text })
    return verb
  }

  fail(hint: string, span: Span = this.token): never {
    throw new SyntaxKError("parse", span, hint)
  }

  unexpected(token: Token): never {
    const before = this.list[this.list.indexOf(token) - 1]
    if (token.kind !== "[") this.fail("this was not expected here", token)
    if (before?.kind === "colon") this.fail("a conditional is :[c;t;f], and a::[c;t;f] assigns it; a list is 1 2 3 or (a;b)", token)
    this.fail("a bracket touches what it belongs to: a[i] f[x;y] :[c;t;f]; a list is 1 2 3 or (a;b)", token)
  }
}
