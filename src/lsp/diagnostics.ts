/**
 * The issues that `k_validate` finds in a text, as diagnostics for an editor.
 *
 * Guarantees: names that loaded scripts define count as known; no advice for agents: `\\` is no issue, since a script may end its interpreter; the
 * check stops when the editor has a newer text. Does not: check a text of more than `limits.validated` characters; a diagnostic says so.
 */
import { type Diagnostic, DiagnosticSeverity, type Range } from "vscode-languageserver/node"
import { type Issue, validating } from "../k3/documents.ts"
import { inSteps } from "../help/load.ts"
import { limits } from "../limits.ts"
import { at } from "./Analysis.ts"
import type { SourceScript, ScriptWorkspace } from "./ScriptWorkspace.ts"

const severities: { readonly [S in Issue["severity"]]: DiagnosticSeverity } = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  hint: DiagnosticSeverity.Information,
}

/** K types for the names of loaded scripts: a literal cannot be applied; any other value may be a function. */
const LITERAL = 1
const FUNCTION = 7

type Held = Parameters<typeof validating>[1]

const heldBy = (source: SourceScript, workspace: ScriptWorkspace): Held => {
  const names = new Map<string, number>()
  for (const { definitions } of workspace.allLoaded(source))
    for (const { path, isLiteral } of definitions) names.set(path, isLiteral ? LITERAL : FUNCTION)
  return { names, directory: ".k" }
}

/** The offset of an issue in its text. */
export const offsetOf = ({ document }: SourceScript, { line, column }: Pick<Issue, "line" | "column">): number =>
  document.offsetAt({ line: line - 1, character: column - 1 })

export const rangeOf = ({ document }: SourceScript, start: number, end: number): Range => ({
  start: document.positionAt(start),
  end: document.positionAt(end),
})

/** The range from the issue's position to the end of the token there. */
const issueRange = (source: SourceScript, issue: Issue): Range => {
  const start = offsetOf(source, issue)
  const end = at(source.tokens, start)?.end ?? start + 1
  return rangeOf(source, start, Math.max(end, start + 1))
}

function* issuesInSteps(source: SourceScript, workspace: ScriptWorkspace): Generator<unknown, readonly Issue[]> {
  const steps = validating(source.text, heldBy(source, workspace))
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value.filter(({ code }) => code !== "leaves")
    if (!workspace.isOpen(source)) return []
    yield
  }
}

/** Checks in steps, between which other requests of the editor are answered. */
export const issuesOf = async (source: SourceScript, workspace: ScriptWorkspace): Promise<readonly Issue[]> =>
  source.text.length > limits.validated ? [] : inSteps(issuesInSteps(source, workspace))

const diagnosticOf = (source: SourceScript, issue: Issue): Diagnostic => {
  const { severity, code, message, opened, instead } = issue
  const openedAt = opened === undefined ? undefined : offsetOf(source, opened)
  // People ask the console for help.
  const written = instead?.replace("k_help", "\\help")
  return {
    range: issueRange(source, issue),
    severity: severities[severity],
    source: "k3",
    code,
    message: written === undefined ? message : `${message}\nwrite: ${written}`,
    ...(openedAt !== undefined && {
      relatedInformation: [{ location: { uri: source.uri, range: rangeOf(source, openedAt, openedAt + 1) }, message: "opened here" }],
    }),
  }
}

export const diagnosticsOf = async (source: SourceScript, workspace: ScriptWorkspace): Promise<Diagnostic[]> => {
  if (source.text.length > limits.validated)
    return [
      {
        range: rangeOf(source, 0, 1),
        severity: DiagnosticSeverity.Information,
        source: "k3",
        code: "too-long",
        message: `a text of more than ${limits.validated} characters is not checked`,
      },
    ]
  return (await issuesOf(source, workspace)).map((issue) => diagnosticOf(source, issue))
}
