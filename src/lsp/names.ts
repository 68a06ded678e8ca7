/** Finds definitions and references of a name: of a local in its function, of any other in all scripts of the workspace. */
import {
  type DocumentHighlight,
  DocumentHighlightKind,
  type DocumentSymbol,
  type Location,
  SymbolKind,
  type WorkspaceSymbol,
} from "vscode-languageserver/node"
import { rangeOf } from "./diagnostics.ts"
import { at, type VariableDefinition, type Occurrence } from "./Analysis.ts"
import type { SourceScript, ScriptWorkspace } from "./ScriptWorkspace.ts"

export interface FoundDefinition {
  readonly source: SourceScript
  readonly definition: VariableDefinition
}

export const occurrenceAt = (source: SourceScript, offset: number): Occurrence | undefined => at(source.occurrences, offset)

/** Do both stand for the same variable? `a` and `a.b` do not, though `a` may be the directory or dictionary that holds `a.b`. */
const isSame = (target: Occurrence, each: Occurrence): boolean => each.scope === target.scope && each.path === target.path

/** The statements that define a variable: those of the same text, else those of all other scripts. */
export const definitionsOf = (workspace: ScriptWorkspace, source: SourceScript, target: Occurrence): readonly FoundDefinition[] => {
  const within = (each: SourceScript): readonly FoundDefinition[] =>
    each.definitions.filter((definition) => isSame(target, definition)).map((definition) => ({ source: each, definition }))
  const own = within(source)
  return own.length > 0 ? own : workspace.all().flatMap(within)
}

const locationOf = (source: SourceScript, { start, end }: { readonly start: number; readonly end: number }): Location => ({
  uri: source.uri,
  range: rangeOf(source, start, end),
})

export const definitionAt = (workspace: ScriptWorkspace, source: SourceScript, offset: number): Location[] => {
  const load = at(source.loads, offset)
  if (load !== undefined) {
    const loaded = workspace.loaded(source, load.name)
    return loaded === undefined ? [] : [locationOf(loaded, { start: 0, end: 0 })]
  }
  const target = occurrenceAt(source, offset)
  if (target === undefined) return []
  if (target.scope !== undefined) {
    const first = source.occurrences.find((each) => each.assigns && isSame(target, each))
    return first === undefined ? [] : [locationOf(source, first)]
  }
  const found = definitionsOf(workspace, source, target)
  if (found.length > 0) return found.map(({ source: each, definition }) => locationOf(each, definition))
  // No statement defines the variable at top level: a function or an amendment assigns it.
  return workspace
    .all()
    .flatMap((each) => each.occurrences.filter((one) => one.assigns && isSame(target, one)).map((one) => locationOf(each, one)))
}

export const referencesAt = (workspace: ScriptWorkspace, source: SourceScript, offset: number, isWithDeclaration: boolean): Location[] => {
  const target = occurrenceAt(source, offset)
  if (target === undefined) return []
  return (target.scope === undefined ? workspace.all() : [source]).flatMap((each) =>
    each.occurrences.filter((one) => isSame(target, one) && (isWithDeclaration || !one.assigns)).map((one) => locationOf(each, one)),
  )
}

export const highlightsOf = (source: SourceScript, offset: number): DocumentHighlight[] => {
  const target = occurrenceAt(source, offset)
  if (target === undefined) return []
  return source.occurrences
    .filter((one) => isSame(target, one))
    .map((one) => ({
      range: rangeOf(source, one.start, one.end),
      kind: one.assigns ? DocumentHighlightKind.Write : DocumentHighlightKind.Read,
    }))
}

const kindOf = ({ parameters }: VariableDefinition): SymbolKind => (parameters === undefined ? SymbolKind.Variable : SymbolKind.Function)

export const symbolsOf = (source: SourceScript): DocumentSymbol[] =>
  source.definitions.map((definition) => ({
    name: definition.name,
    kind: kindOf(definition),
    ...(definition.parameters !== undefined && { detail: `[${definition.parameters.join(";")}]` }),
    range: rangeOf(source, definition.start, definition.to),
    selectionRange: rangeOf(source, definition.start, definition.end),
  }))

/** Are the letters of the query in the name, in their order? Editors match so. */
const matches = (query: string, name: string): boolean => {
  let at = 0
  for (const letter of name.toLowerCase()) if (letter === query[at]) at++
  return at === query.length
}

/** The definitions of all scripts whose names match the query. */
export const symbolsLike = (workspace: ScriptWorkspace, query: string): WorkspaceSymbol[] =>
  workspace.all().flatMap((source) =>
    source.definitions
      .filter(({ name }) => matches(query.toLowerCase(), name))
      .map((definition) => ({
        name: definition.name,
        kind: kindOf(definition),
        location: locationOf(source, definition),
      })),
  )
