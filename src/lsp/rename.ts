/**
 * Renames a local in its function, and a variable of the tree in the scripts that have the same one: not in those that load a definition of their own.
 *
 * Guarantees: afterwards each name stands for the variable that it stood for before, and each function takes as many arguments, or the rename is
 * refused with the reason. Does not: rename in symbols, or in strings that are run as code.
 */
import { LSPErrorCodes, type Range, ResponseError, type TextEdit, type WorkspaceEdit } from "vscode-languageserver/node"
import { TextDocument } from "vscode-languageserver-textdocument"
import { type Analysis, analysisOf, type Occurrence } from "./Analysis.ts"
import { rangeOf } from "./diagnostics.ts"
import { occurrenceAt } from "./names.ts"
import type { SourceScript, ScriptWorkspace } from "./ScriptWorkspace.ts"

type Variable = Pick<Occurrence, "scope" | "path">

/** The variable itself, also at its dependency `a..d` and its trigger `a..t`. The directory `.k` is none. */
const variableAt = (source: SourceScript, offset: number): Variable | undefined => {
  const found = occurrenceAt(source, offset)
  if (found === undefined || found.path === ".k") return undefined
  return { scope: found.scope, path: found.path.replace(/\.\.\w$/, "") }
}

const isWithin = ({ scope, path }: Variable, one: Occurrence): boolean => one.scope === scope && `${one.path}.`.startsWith(`${path}.`)

/** The range of the variable's own part in a name of it, or of something inside it: of `b` in `.k.b`, `b.c` and `b..t`. */
const partIn = ({ path }: Variable, { name, start, path: whole }: Occurrence) => {
  const written = name.replace(/\.\.d$/, "")
  const upTo = written.slice(0, written.length - (whole.length - path.length))
  return { start: start + upTo.lastIndexOf(".") + 1, end: start + upTo.length }
}

const renamed = (path: string, name: string): string => path.replace(/[^.]+$/, name)

/** What each name stands for, and the number of arguments of each function; `pathOf` gives the paths. */
const meanings = ({ occurrences, scopes }: Analysis, pathOf: (one: Occurrence) => string): readonly unknown[] => {
  const places = new Map(scopes.map((scope, i) => [scope, i]))
  return [
    ...occurrences.map((one) => `${one.scope === undefined ? "" : String(places.get(one.scope))} ${pathOf(one)}`),
    ...scopes.map(({ parameters }) => parameters.length),
  ]
}

const refusal = (reason: string): ResponseError => new ResponseError(LSPErrorCodes.RequestFailed, reason)

/**
 * A program is a script with all that it loads. The scripts of the programs that contain this text, and of those that use the variable and do not
 * assign it.
 */
const scriptsWith = (variable: Variable, source: SourceScript, workspace: ScriptWorkspace): ReadonlySet<SourceScript> => {
  const found = new Set([source])
  if (variable.scope !== undefined) return found
  const isAssigned = ({ occurrences }: SourceScript): boolean => occurrences.some((one) => one.assigns && isWithin(variable, one))
  for (const each of workspace.all()) {
    const program = [each, ...workspace.allLoaded(each)]
    if (program.includes(source) || !program.some(isAssigned)) for (const script of program) found.add(script)
  }
  return found
}

/** The edits in one script; a reason if the rename would change what a name in it stands for. */
const editsIn = (source: SourceScript, variable: Variable, newName: string): TextEdit[] | ResponseError => {
  const path = renamed(variable.path, newName)
  if (source.occurrences.some((one) => isWithin({ ...variable, path }, one)))
    return refusal(`${newName} is a name in ${source.uri} already`)
  const edits = source.occurrences
    .filter((one) => isWithin(variable, one))
    .map((one) => partIn(variable, one))
    .map(({ start, end }) => ({ range: rangeOf(source, start, end), newText: newName }))
  const text = TextDocument.applyEdits(source.document, edits)
  const before = meanings(source, (one) => (isWithin(variable, one) ? path + one.path.slice(variable.path.length) : one.path))
  const after = meanings(analysisOf(text), (one) => one.path)
  return before.join("\n") === after.join("\n") ? edits : refusal(`${newName} would change what names in ${source.uri} stand for`)
}

/** The range that the editor offers to rewrite; null where no name stands. */
export const renamableAt = (source: SourceScript, offset: number): Range | null => {
  const found = occurrenceAt(source, offset)
  const variable = variableAt(source, offset)
  if (found === undefined || variable === undefined) return null
  const { start, end } = partIn(variable, found)
  return rangeOf(source, start, end)
}

export const renameAt = (
  workspace: ScriptWorkspace,
  source: SourceScript,
  offset: number,
  newName: string,
): WorkspaceEdit | ResponseError | null => {
  const variable = variableAt(source, offset)
  if (variable === undefined) return null
  if (!/^[A-Za-z]\w*$/.test(newName)) return refusal(`${newName} is no name: letters, digits and _, a letter first`)
  const changes = new Map<string, TextEdit[]>()
  for (const each of scriptsWith(variable, source, workspace)) {
    const edits = editsIn(each, variable, newName)
    if (edits instanceof ResponseError) return edits
    if (edits.length > 0) changes.set(each.uri, edits)
  }
  return { changes: Object.fromEntries(changes) }
}
