/** The tokens for editors, compared with the language's lexer. */
import { expect, it } from "vitest"
import { idioms } from "../../src/help/idioms.ts"
import { rows } from "../../src/k3/documents.ts"
import { vocabulary } from "../../src/k3/primitives/vocabulary.ts"
import { isSystemName } from "../../src/k3/syntax/Vocabulary.ts"
import { tokens } from "../../src/k3/text/lexer.ts"
import { isCommand, statements } from "../../src/k3/text/statements.ts"
import { tokensOf } from "../../src/lsp/tokens.ts"

const compared = new Set(["name", "system", "verb", "adverb", "colon"])

/** The positions of tokens, without colons: only the lexer decides whether a colon belongs to the verb before it or the bracket after it. */
const places = (list: readonly { readonly kind: string; readonly text: string; readonly start: number }[]): readonly string[] =>
  list
    .filter(({ kind, text }) => compared.has(kind) && text !== ":")
    .map(({ kind, text, start }) => `${start} ${kind} ${text.replace(/^([^\d'/\\]):$/, "$1")}`)

const texts = [...rows.flatMap(({ examples }) => examples.map(([code]) => code)), ...idioms.map(({ body }) => body[0]![0])]

it("E2 names, system names, verbs and adverbs are the same as in the lexer, in every example and idiom", () => {
  const all = texts.flatMap((text) => statements(text).map(({ source }) => source)).filter((source) => !isCommand(source))
  expect(all.length).toBeGreaterThan(500)
  const inLexer = (source: string): readonly string[] | undefined => {
    try {
      return places(tokens(source, isSystemName(vocabulary())))
    } catch {
      // An example of text that cannot be parsed.
      return undefined
    }
  }
  const read = all.map((source) => ({ source, words: inLexer(source) })).filter(({ words }) => words !== undefined)
  expect(read.length).toBeGreaterThan(0.98 * all.length)
  expect(read.map(({ source }) => ({ source, words: places(tokensOf(source)) }))).toEqual(read)
})

it.each(["f:{[a", '"open', "(1 2", "}", "a:(`b;", "_zz + æ 日"])("E2 %j, which cannot be parsed, has tokens", (text) => {
  expect(tokensOf(text).length).toBeGreaterThan(0)
})
