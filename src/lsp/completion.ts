/**
 * Completion: names of the text and of the workspace's scripts, system names, verbs by their English names, control words, commands, idioms by
 * their names. Guarantees: local names come first; nothing is offered in a comment, string or number, or right behind an adverb, where Enter would
 * write it. Does not: filter by the typed text; the editor does.
 */
import { type CompletionItem, CompletionItemKind, InsertTextFormat, MarkupKind } from "vscode-languageserver/node"
import { type HelpEntry, entryMarkdown } from "../help/HelpEntry.ts"
import { entries } from "../help/help.ts"
import { parts } from "../k3/text/scan.ts"
import { rangeOf } from "./diagnostics.ts"
import { type FunctionScope, scopeAt } from "./Analysis.ts"
import type { SourceScript, ScriptWorkspace } from "./ScriptWorkspace.ts"

const kinds: ReadonlyMap<HelpEntry["kind"], CompletionItemKind> = new Map([
  ["name", CompletionItemKind.Function],
  ["verb", CompletionItemKind.Operator],
  ["control", CompletionItemKind.Keyword],
  ["idiom", CompletionItemKind.Snippet],
  ["command", CompletionItemKind.Keyword],
])

/** The completions of an entry of the help: label, and text to insert. */
const wordsOf = ({ kind, keys, title, body, form }: HelpEntry): readonly (readonly [label: string, text: string])[] => {
  const [key = ""] = kind === "control" ? (/^\w+(?=\[|$)/.exec(form) ?? []) : keys
  if (kind === "verb" || (kind === "name" && !key.startsWith("_"))) return title.split(", ").map((name) => [name, key])
  if (kind === "idiom") return [[form, body[0]![0]]]
  return key === "" ? [] : [[key, key]]
}

const ofLanguage = entries.flatMap((entry, index) => {
  const kind = kinds.get(entry.kind)
  if (kind === undefined) return []
  return wordsOf(entry).map(([label, text]): CompletionItem & { readonly text: string } => ({
    label,
    kind,
    detail: entry.kind === "verb" ? `${entry.form}  ${entry.title}` : entry.title,
    insertTextFormat: InsertTextFormat.PlainText,
    sortText: `${entry.kind === "idiom" ? 3 : 2}${label}`,
    data: index,
    text,
  }))
})

const localsAt = (innermost: FunctionScope | undefined): readonly string[] => {
  const names: string[] = []
  for (let scope = innermost; scope !== undefined; scope = scope.outer) names.push(...scope.locals)
  return names
}

const named = (name: string, kind: CompletionItemKind, rank: number, detail?: string): CompletionItem & { readonly text: string } => ({
  label: name,
  kind,
  sortText: `${rank}${name}`,
  text: name,
  ...(detail !== undefined && { detail }),
})

/** Is the offset in a comment, a string or a number, or right behind an adverb? */
const isQuiet = ({ text, tokens }: SourceScript, offset: number): boolean => {
  const token = tokens.findLast(({ start }) => start < offset)
  const { kind } = [...parts(text.slice(token?.start ?? 0, offset))].at(-1) ?? {}
  if (kind === "comment" || kind === "unclosed") return true
  return token !== undefined && offset <= token.end && (token.kind === "number" || token.kind === "adverb")
}

export const completionAt = (workspace: ScriptWorkspace, source: SourceScript, offset: number): CompletionItem[] => {
  if (isQuiet(source, offset)) return []
  const lineStart = source.text.lastIndexOf("\n", offset - 1) + 1
  const line = source.text.slice(lineStart, offset)
  const isCommand = /^\s*\\\w*$/.test(line)
  const [typed] = (isCommand ? /\\\w*$/ : /[A-Za-z_.][\w.]*$|$/).exec(line)!
  const range = rangeOf(source, offset - typed.length, offset)
  // The name of an idiom may contain hyphens; before any other name a hyphen is a verb.
  const [phrase] = /[A-Za-z][\w-]*$|$/.exec(line)!
  const idiomRange = rangeOf(source, offset - phrase.length, offset)
  const found = new Map<string, CompletionItem & { readonly text: string }>()
  const offer = (item: CompletionItem & { readonly text: string }): void => {
    const key = `${item.label} ${item.text}`
    if (!found.has(key)) found.set(key, item)
  }
  if (!isCommand) {
    for (const name of localsAt(scopeAt(source.scopes, offset))) offer(named(name, CompletionItemKind.Variable, 0))
    for (const each of [source, ...workspace.all()])
      for (const { name, path, parameters, end } of each.definitions) {
        if (each.uri === source.uri && end === offset) continue
        const written = typed.startsWith(".") ? path : name
        const kind = parameters === undefined ? CompletionItemKind.Variable : CompletionItemKind.Function
        offer(named(written, kind, 1, parameters && `${name}[${parameters.join(";")}]`))
      }
  }
  for (const item of ofLanguage) if (item.label.startsWith("\\") === isCommand) offer(item)
  return Array.from(found.values(), ({ text, ...item }) => ({
    ...item,
    textEdit: { range: item.kind === CompletionItemKind.Snippet ? idiomRange : range, newText: text },
  }))
}

/** Adds the documentation to an item that the editor shows. */
export const resolved = (item: CompletionItem): CompletionItem => {
  const entry = typeof item.data === "number" ? entries[item.data] : undefined
  return entry === undefined ? item : { ...item, documentation: { kind: MarkupKind.Markdown, value: entryMarkdown(entry) } }
}
