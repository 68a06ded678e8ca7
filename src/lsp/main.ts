/**
 * The language server, `k3 --lsp`, on standard input and output. The build makes a file of its own for it, which `k3` loads only in this mode.
 *
 * Guarantees: its roots are the editor's folders, or those of `--roots` if the editor has none; it reads no file outside the roots, writes none, and
 * evaluates nothing. A text is checked again after each pause in its edits, and diagnostics of an older text are dropped. It ends with its editor.
 */
import {
  CodeActionKind,
  createConnection,
  DidChangeWatchedFilesNotification,
  DidChangeWorkspaceFoldersNotification,
  type InitializeParams,
  type InitializeResult,
  ProposedFeatures,
  type TextDocumentPositionParams,
  TextDocuments,
  TextDocumentSyncKind,
} from "vscode-languageserver/node"
import { TextDocument } from "vscode-languageserver-textdocument"
import { actionsOf } from "./actions.ts"
import { diagnosticsOf } from "./diagnostics.ts"
import { completionAt, resolved } from "./completion.ts"
import { hoverAt, signatureAt } from "./hover.ts"
import { definitionAt, highlightsOf, referencesAt, symbolsLike, symbolsOf } from "./names.ts"
import { renamableAt, renameAt } from "./rename.ts"
import { tokensIn, tokenTypes } from "./semanticTokens.ts"
import { pathOf, type SourceScript, ScriptWorkspace } from "./ScriptWorkspace.ts"

/** A text is checked after a pause of this length between edits. */
const PAUSE_MS = 100

export interface LspOptions {
  readonly roots: readonly string[]
  readonly closed: readonly string[]
  readonly version: string
}

const capabilities = (version: string): InitializeResult => ({
  serverInfo: { name: "k3", version },
  capabilities: {
    textDocumentSync: TextDocumentSyncKind.Incremental,
    hoverProvider: true,
    completionProvider: { triggerCharacters: ["_", ".", "\\"], resolveProvider: true },
    signatureHelpProvider: { triggerCharacters: ["[", ";"] },
    definitionProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
    renameProvider: { prepareProvider: true },
    semanticTokensProvider: { legend: { tokenTypes: [...tokenTypes], tokenModifiers: [] }, full: true },
    codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
    workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
  },
})

const pathsOf = (folders: readonly { readonly uri: string }[]): readonly string[] => folders.flatMap(({ uri }) => pathOf(uri) ?? [])

const foldersOf = ({ workspaceFolders, rootUri }: InitializeParams): readonly string[] =>
  pathsOf([...(workspaceFolders ?? []), ...(rootUri == null ? [] : [{ uri: rootUri }])])

/** Serves an editor on this process's standard input and output until it ends. */
export const serve = ({ roots, closed, version }: LspOptions): void => {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout)
  const documents = new TextDocuments(TextDocument)
  const workspace = new ScriptWorkspace(roots, closed)

  connection.onInitialize((params) => {
    workspace.enter(foldersOf(params))
    if (params.capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true)
      connection.onInitialized(() => {
        void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: [{ globPattern: "**/*.k" }] })
      })
    // Set here, since the library sets a handler of its own before this.
    connection.onNotification(DidChangeWorkspaceFoldersNotification.type, ({ event: { added, removed } }) => {
      workspace.enter(pathsOf(added), pathsOf(removed))
      checkAll()
    })
    return capabilities(version)
  })

  const check = async (source: SourceScript): Promise<void> => {
    const diagnostics = await diagnosticsOf(source, workspace)
    if (workspace.get(source.uri) !== source) return
    await connection.sendDiagnostics({ uri: source.uri, version: source.document.version, diagnostics })
  }
  const checkSoon = ({ uri, version }: TextDocument): void => {
    setTimeout(() => {
      const source = documents.get(uri)?.version === version ? workspace.get(uri) : undefined
      if (source !== undefined) check(source).catch((error: unknown) => connection.console.error(String(error)))
    }, PAUSE_MS)
  }
  documents.onDidChangeContent(({ document }) => {
    workspace.edit(document.uri, document.version, document.getText())
    checkSoon(document)
  })
  documents.onDidClose(({ document: { uri } }) => {
    workspace.close(uri)
    void connection.sendDiagnostics({ uri, diagnostics: [] })
  })
  /** The answer about an open text; null for any other. */
  const ofText = <A>(uri: string, answer: (source: SourceScript) => A): A | null => {
    const source = workspace.get(uri)
    return source === undefined ? null : answer(source)
  }
  // A changed script may define names that other texts were reported not to know.
  const checkAll = (): void => {
    for (const document of documents.all()) checkSoon(document)
  }
  documents.onDidSave(checkAll)
  connection.onNotification(DidChangeWatchedFilesNotification.type, checkAll)

  const about =
    <A>(answer: (source: SourceScript, offset: number) => A) =>
    ({ textDocument: { uri }, position }: TextDocumentPositionParams): A | null =>
      ofText(uri, (source) => answer(source, source.document.offsetAt(position)))
  connection.onHover(about((source, offset) => hoverAt(workspace, source, offset) ?? null))
  connection.onSignatureHelp(about((source, offset) => signatureAt(workspace, source, offset) ?? null))
  connection.onCompletion(about((source, offset) => completionAt(workspace, source, offset)))
  connection.onCompletionResolve(resolved)
  connection.onDefinition(about((source, offset) => definitionAt(workspace, source, offset)))
  connection.onReferences((params) =>
    about((source, offset) => referencesAt(workspace, source, offset, params.context.includeDeclaration))(params),
  )
  connection.onDocumentHighlight(about(highlightsOf))
  connection.onPrepareRename(about(renamableAt))
  connection.onRenameRequest((params) => about((source, offset) => renameAt(workspace, source, offset, params.newName))(params))
  connection.onWorkspaceSymbol(({ query }) => symbolsLike(workspace, query))
  connection.languages.semanticTokens.on(
    ({ textDocument: { uri } }) => ofText(uri, (source) => tokensIn(source, workspace)) ?? { data: [] },
  )
  connection.onDocumentSymbol(({ textDocument: { uri } }) => ofText(uri, symbolsOf) ?? [])
  connection.onCodeAction(
    ({ textDocument: { uri }, range, context }) => ofText(uri, (source) => actionsOf(source, workspace, range, context.diagnostics)) ?? [],
  )

  documents.listen(connection)
  connection.listen()
}
