/** Hover and signature help: the help's entry on a verb or system name, or the definition of a name. */
import { type Hover, MarkupKind, type SignatureHelp } from "vscode-languageserver/node"
import { type HelpEntry, entryMarkdown } from "../help/HelpEntry.ts"
import { entries } from "../help/help.ts"
import { rangeOf } from "./diagnostics.ts"
import { at } from "./Analysis.ts"
import type { EditorToken } from "./tokens.ts"
import { type FoundDefinition, definitionsOf, occurrenceAt } from "./names.ts"
import type { SourceScript, ScriptWorkspace } from "./ScriptWorkspace.ts"

/** The most lines of a definition that are shown. */
const mostLines = 20

const ofLanguage = entries.filter(({ kind }) => ["verb", "name", "adverb", "control"].includes(kind))
const commands = entries.filter(({ kind }) => kind === "command")

const takesTwo = ({ form }: HelpEntry): boolean => /^x.+y$|^f.+y$/s.test(form)

/** The help's entries on a glyph or word; for a verb after a noun, the dyadic entry comes first. */
const entriesOf = ({ kind, text, afterNoun }: EditorToken): readonly HelpEntry[] => {
  const glyph = kind === "verb" && /^\D:$/.test(text) ? text.slice(0, 1) : text
  const found = ofLanguage.filter(({ keys }) => keys.includes(glyph))
  return afterNoun ? found.toSorted((a, b) => Number(takesTwo(b)) - Number(takesTwo(a))) : found
}

const commentAbove = (text: string, start: number): string => {
  const lines = text
    .slice(0, text.lastIndexOf("\n", start - 1) + 1)
    .split("\n")
    .slice(0, -1)
  const from = lines.findLastIndex((line) => !/^\s*\//.test(line)) + 1
  return lines
    .slice(from)
    .map((line) => line.replace(/^\s*\/+\s?/, ""))
    .join("\n")
}

const definitionText = ({ source, definition }: FoundDefinition): string => {
  const lines = source.text.slice(definition.start, definition.to).split("\n")
  const shown = lines.length > mostLines ? [...lines.slice(0, mostLines), "…"] : lines
  const comment = commentAbove(source.text, definition.start)
  return [`\`\`\`k3\n${shown.join("\n")}\n\`\`\``, ...(comment === "" ? [] : [comment])].join("\n\n")
}

const markdown = (value: string, source: SourceScript, place: { readonly start: number; readonly end: number }): Hover => ({
  contents: { kind: MarkupKind.Markdown, value },
  range: rangeOf(source, place.start, place.end),
})

const commandAt = (source: SourceScript, offset: number): Hover | undefined => {
  const start = source.text.lastIndexOf("\n", offset - 1) + 1
  const [all = "", word = ""] = /^\s*(\\(?:\\|[a-z]+|\d)?)/.exec(source.text.slice(start, start + 80)) ?? []
  const entry = word === "" || offset > start + all.length ? undefined : commands.find(({ keys }) => keys.includes(word))
  return entry && markdown(entryMarkdown(entry), source, { start: start + all.length - word.length, end: start + all.length })
}

export const hoverAt = (workspace: ScriptWorkspace, source: SourceScript, offset: number): Hover | undefined => {
  // The token at the mouse: in `a+b` the end of `a` is the place of `+`.
  const token = at(source.tokens, offset)
  if (token === undefined) return commandAt(source, offset)
  const occurrence = source.occurrences.find(({ start }) => start === token.start)
  if (occurrence !== undefined) {
    if (occurrence.scope !== undefined) return undefined
    const found = definitionsOf(workspace, source, occurrence).filter((each) => each.definition.to > each.definition.end)
    return found.length === 0 ? undefined : markdown(found.slice(0, 3).map(definitionText).join("\n\n"), source, occurrence)
  }
  const found = ["verb", "system", "adverb", "colon", "name"].includes(token.kind) ? entriesOf(token) : []
  return found.length === 0 ? undefined : markdown(found.map(entryMarkdown).join("\n\n"), source, token)
}

/** The function whose argument bracket contains the offset, and the index of the argument there. */
const callAt = ({ tokens }: SourceScript, offset: number): { readonly f: EditorToken; readonly active: number } | undefined => {
  const before = tokens.filter(({ start }) => start < offset)
  let active = 0
  for (let depth = 0, i = before.length - 1; i >= 0; i--) {
    const { kind, text, start, end } = before[i]!
    if (text === "\n" && start === end) return undefined
    if (kind === "close") depth++
    else if (kind === "semicolon" && depth === 0) active++
    else if (kind === "open" && depth-- === 0) {
      const f = before[i - 1]
      if (text === "[" && f !== undefined && f.end === start && ["name", "system", "verb"].includes(f.kind)) return { f, active }
      if (text === "{") return undefined
      active = 0
      depth = 0
    }
  }
  return undefined
}

const signature = (name: string, parameters: readonly string[], documentation: string): SignatureHelp["signatures"][number] => ({
  label: `${name}[${parameters.join(";")}]`,
  parameters: parameters.map((name) => ({ label: name })),
  ...(documentation !== "" && { documentation: { kind: MarkupKind.Markdown, value: documentation } }),
})

const argumentsOf = ({ form }: HelpEntry): readonly string[] =>
  ["x", "y", "z"].filter((name) => new RegExp(`(?<!\\w)${name}(?!\\w)`).test(form))

export const signatureAt = (workspace: ScriptWorkspace, source: SourceScript, offset: number): SignatureHelp | undefined => {
  const call = callAt(source, offset)
  if (call === undefined) return undefined
  const { f, active } = call
  const occurrence = occurrenceAt(source, f.start)
  const signatures =
    occurrence === undefined
      ? entriesOf(f).map((entry) => signature(f.text, argumentsOf(entry), `${entry.title}: ${String(entry.body[0])}`))
      : definitionsOf(workspace, source, occurrence).flatMap(({ definition: { parameters, start }, source: { text } }) =>
          parameters === undefined ? [] : signature(f.text, parameters, commentAbove(text, start)),
        )
  if (signatures.length === 0) return undefined
  const fitting = signatures.findIndex(({ parameters }) => (parameters?.length ?? 0) > active)
  return { signatures, activeSignature: Math.max(0, fitting), activeParameter: active }
}
