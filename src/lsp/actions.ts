/** Quick fixes for an editor: the fixes of the issues in a range. Does not: rely on the editor's diagnostics; the text is checked again. */
import { type CodeAction, CodeActionKind, type Diagnostic, type Range } from "vscode-languageserver/node"
import type { Issue } from "../k3/documents.ts"
import { issuesOf, offsetOf, rangeOf } from "./diagnostics.ts"
import { fixesOf } from "./fixes.ts"
import type { SourceScript, ScriptWorkspace } from "./ScriptWorkspace.ts"

const isAbout = ({ code, range: { start } }: Diagnostic, { code: own, line, column }: Issue): boolean =>
  code === own && start.line === line - 1 && start.character === column - 1

export const actionsOf = async (
  source: SourceScript,
  workspace: ScriptWorkspace,
  { start, end }: Range,
  diagnostics: readonly Diagnostic[],
): Promise<CodeAction[]> =>
  (await issuesOf(source, workspace))
    .filter(({ line }) => start.line < line && line <= end.line + 1)
    .flatMap((issue) =>
      fixesOf(source.text, source.tokens, offsetOf(source, issue), issue).map(({ title, edits }, i) => ({
        title,
        kind: CodeActionKind.QuickFix,
        diagnostics: diagnostics.filter((each) => isAbout(each, issue)),
        isPreferred: i === 0,
        edit: { changes: { [source.uri]: edits.map((each) => ({ range: rangeOf(source, each.start, each.end), newText: each.text })) } },
      })),
    )
