/**
 * The kinds of the words of a text, by which an editor colours them: one without a grammar of K has no other colours.
 *
 * Guarantees: a parameter, a function of this text or of a script that it loads, and a variable differ; words are in order and each on one line.
 * Does not: colour a text of more than `limits.validated` characters.
 */
import { type SemanticTokens, SemanticTokensBuilder } from "vscode-languageserver/node"
import { limits } from "../limits.ts"
import type { Occurrence } from "./Analysis.ts"
import type { EditorToken } from "./tokens.ts"
import type { SourceScript, ScriptWorkspace } from "./ScriptWorkspace.ts"

export const tokenTypes = ["comment", "keyword", "function", "parameter", "variable", "operator", "number", "string"] as const
type Type = (typeof tokenTypes)[number]

/** A name that stands for no variable is a control word. */
const types: Readonly<Partial<Record<EditorToken["kind"], Type>>> = {
  name: "keyword",
  system: "function",
  verb: "operator",
  adverb: "operator",
  colon: "operator",
  number: "number",
  symbol: "string",
  string: "string",
}

const typeOfName = ({ name, path, scope }: Occurrence, functions: ReadonlySet<string>): Type => {
  if (scope !== undefined) return scope.parameters.includes(name) ? "parameter" : "variable"
  return functions.has(path) ? "function" : "variable"
}

export const tokensIn = (source: SourceScript, workspace: ScriptWorkspace): SemanticTokens => {
  const builder = new SemanticTokensBuilder()
  const { text, tokens, occurrences, document } = source
  if (text.length > limits.validated) return builder.build()
  const push = (start: number, written: string, type: Type): void => {
    let from = start
    for (const line of written.split("\n")) {
      const { line: row, character } = document.positionAt(from)
      if (line !== "") builder.push(row, character, line.length, tokenTypes.indexOf(type), 0)
      from += line.length + 1
    }
  }
  const definitions = [source, ...workspace.allLoaded(source)].flatMap((each) => each.definitions)
  const functions = new Set(definitions.flatMap(({ parameters, path }) => (parameters === undefined ? [] : [path])))
  const names = new Map(occurrences.map((one) => [one.start, typeOfName(one, functions)]))
  let from = 0
  for (const { start, end, kind } of [...tokens, { start: text.length, end: text.length, kind: "semicolon" } as const]) {
    // Between tokens are blanks, comments and commands.
    for (const { 0: line, index } of text.slice(from, start).matchAll(/(?<![^ \t\n])[/\\].*/g))
      push(from + index, line, line.startsWith("/") ? "comment" : "keyword")
    const type = names.get(start) ?? types[kind]
    if (type !== undefined) push(start, text.slice(start, end), type)
    from = Math.max(from, end)
  }
  return builder.build()
}
