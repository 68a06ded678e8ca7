/** `k3 --lsp` with a client as in an editor: the built program, and a client of the protocol from another project. */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  type CodeAction,
  type CompletionItem,
  createProtocolConnection,
  type Diagnostic,
  type DocumentHighlight,
  type Location,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
  type WorkspaceEdit,
  type WorkspaceSymbol,
} from "vscode-languageserver-protocol/node"
import { scratchFolder } from "./server.ts"

const program = join(import.meta.dirname, "../../dist/k3.js")

const files = {
  "main.k": "\\l lib\n/ the mean of a list\navg:{(+/x)%#x}\nt:twice 21\navg 1 2 3",
  "lib.k": "twice:{[n]\n  m:n*2;\n  m}\nunused:twice 1",
  "sub/other.k": "o:avg 5 6\n\\d .lib\ninner:1",
}
type Name = keyof typeof files

const startEditor = async (
  options: { readonly args?: readonly string[]; readonly isFolder?: boolean; readonly capabilities?: object } = {},
) => {
  const folder = scratchFolder()
  mkdirSync(join(folder, "sub"))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const child = spawn(process.execPath, [program, "--lsp", ...(options.args ?? [])], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await ended
  })
  const connection = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin))
  const heard: PublishDiagnosticsParams[] = []
  const waiting = new Set<() => void>()
  connection.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
    heard.push(params)
    for (const look of waiting) look()
  })
  connection.listen()
  const root = pathToFileURL(folder).href
  const uri = (name: string): string => `${root}/${name}`
  const registered: unknown[] = []
  connection.onRequest("client/registerCapability", ({ registrations }: { readonly registrations: readonly object[] }) => {
    registered.push(...registrations)
    for (const look of waiting) look()
    return null
  })
  const initialized = await connection.sendRequest<any>("initialize", {
    processId: process.pid,
    rootUri: options.isFolder === false ? null : root,
    capabilities: options.capabilities ?? {},
    workspaceFolders: options.isFolder === false ? null : [{ uri: root, name: "k" }],
  })
  await connection.sendNotification("initialized", {})
  /** What `find` gives, as soon as the server has sent it. */
  const sent = <A>(find: () => A | undefined): Promise<A> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = find()
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  /** The diagnostics of this version of a text. */
  const diagnostics = async (name: string, version: number): Promise<readonly Diagnostic[]> =>
    (await sent(() => heard.find((each) => each.uri === uri(name) && each.version === version))).diagnostics
  const texts = new Map<string, string>()
  const open = async (name: string, text: string = files[name as Name]): Promise<readonly Diagnostic[]> => {
    texts.set(name, text)
    await connection.sendNotification("textDocument/didOpen", { textDocument: { uri: uri(name), languageId: "k3", version: 1, text } })
    return diagnostics(name, 1)
  }
  const change = async (name: string, version: number, text: string): Promise<readonly Diagnostic[]> => {
    texts.set(name, text)
    await connection.sendNotification("textDocument/didChange", {
      textDocument: { uri: uri(name), version },
      contentChanges: [{ text }],
    })
    return diagnostics(name, version)
  }
  /** The position after the first occurrence of a text, or at the `|` in it. */
  const place = (name: string, marked: string) => {
    const [before = "", after = ""] = marked.split("¦")
    const start = texts.get(name)!.indexOf(before + after) + before.length
    const lines = texts.get(name)!.slice(0, start).split("\n")
    return { textDocument: { uri: uri(name) }, position: { line: lines.length - 1, character: lines.at(-1)!.length } }
  }
  const ask = <A>(method: string, name: string, marked: string, rest: object = {}): Promise<A> =>
    connection.sendRequest<A>(`textDocument/${method}`, { ...place(name, marked), ...rest })
  return { connection, folder, child, ended, initialized, heard, registered, sent, open, change, ask, uri, root }
}

const spot = (root: string, { uri, range: { start } }: Location): string => `${uri.slice(root.length + 1)} ${start.line}:${start.character}`

describe("E2 k3 --lsp", () => {
  it("reports the issues of k_validate while a text is typed", async () => {
    const editor = await startEditor()
    expect(await editor.open("main.k")).toEqual([])
    const [open] = await editor.change("main.k", 2, "avg:{(+/x)%#x\n")
    expect(open).toMatchObject({
      severity: 1,
      source: "k3",
      code: "open",
      range: { start: { line: 0, character: 4 }, end: { line: 0, character: 5 } },
    })
    const [trap] = await editor.change("main.k", 3, 'a:1\r\ns:"æ日"; a==1\r\n')
    expect(trap).toMatchObject({ severity: 2, code: "glued-verbs", range: { start: { line: 1, character: 9 } } })
    expect(trap!.message).toContain("write: a=b item by item")
    expect(await editor.change("main.k", 4, "a:1\n")).toEqual([])
  })

  it("checks a text at a pause in its edits, not after each", async () => {
    const editor = await startEditor()
    await editor.open("main.k", "a:1")
    const versions = Array.from({ length: 300 }, (_, i) => i + 2)
    const checked = versions.map((version) => editor.change("main.k", version, `a:${version}`))
    await checked.at(-1)
    expect(editor.heard.length).toBeLessThan(versions.length / 2)
  })

  it("knows the names that a loaded script defines", async () => {
    const editor = await startEditor()
    const found = await editor.open("main.k", "\\l lib\ntwice 1\nthrice 1")
    expect(found.map(({ code, severity, range }) => [code, severity, range.start.line])).toEqual([["unknown-name", 3, 2]])
  })

  it("shows on hover the monadic or dyadic entry of a verb, a system name, a definition", async () => {
    const editor = await startEditor()
    await editor.open("main.k", `${files["main.k"]}\n2#3\n#t\n_sin 1\nf:{_f[x-1]}\ntwice#avg`)
    const hover = async (marked: string): Promise<string> => (await editor.ask<any>("hover", "main.k", marked))?.contents.value ?? ""
    expect(await hover("2¦#3")).toMatch(/^### `` x#y `` /)
    expect(await hover("¦#t")).toMatch(/^### `` #x `` /)
    expect(await hover("twice¦#avg")).toMatch(/^### `` x#y `` /)
    expect(await hover("twice#av¦g")).toContain("the mean of a list")
    expect(await hover("_s¦in")).toMatch(/^### `` _sin x `` /)
    expect(await hover("+¦/x")).toContain("f/x")
    expect(await hover("¦avg 1")).toBe("```k3\navg:{(+/x)%#x}\n```\n\nthe mean of a list")
    expect(await hover("tw¦ice 21")).toContain("twice:{[n]\n  m:n*2;\n  m}")
    expect(await hover("\\¦l lib")).toContain("load a script")
  })

  it("shows the arguments of a function, a system name and a verb in brackets", async () => {
    const editor = await startEditor()
    await editor.open("main.k", '\\l lib\nf:{[a;b]a+b}\nf[1;(2;3) \n_ssr["a";"b";\n+[1;\ntwice[\n')
    const help = (marked: string): Promise<any> => editor.ask("signatureHelp", "main.k", marked)
    expect(await help("f[¦1")).toMatchObject({ signatures: [{ label: "f[a;b]" }], activeParameter: 0 })
    expect(await help("(2;3) ¦")).toMatchObject({ signatures: [{ label: "f[a;b]" }], activeParameter: 1 })
    expect(await help('"b";¦')).toMatchObject({ signatures: [{ label: "_ssr[x;y;z]" }], activeParameter: 2 })
    const plus = await help("+[1;¦")
    expect(plus.signatures[plus.activeSignature]).toMatchObject({ label: "+[x;y]", parameters: [{ label: "x" }, { label: "y" }] })
    expect(await help("twice[¦")).toMatchObject({ signatures: [{ label: "twice[n]" }] })
    expect(await help("\\l ¦lib")).toBeNull()
  })

  it("completes names of all scripts, locals first, system names, verbs by name, commands and idioms", async () => {
    const editor = await startEditor()
    await editor.open("main.k", "\\l lib\ng:{[count]c}\nt\n_s\nfli\nmov\n\\")
    const complete = async (marked: string): Promise<ReadonlyMap<string, CompletionItem>> =>
      new Map((await editor.ask<CompletionItem[]>("completion", "main.k", marked)).toReversed().map((item) => [item.label, item]))
    const inFunction = await complete("]c¦}")
    expect(inFunction.get("count")).toMatchObject({ sortText: "0count" })
    const names = await complete("\nt¦\n")
    expect(names.get("twice")).toMatchObject({
      detail: "twice[n]",
      textEdit: { newText: "twice", range: { start: { line: 2, character: 0 } } },
    })
    expect(names.get("o")).toBeDefined()
    expect(names.has("count")).toBe(true)
    expect(names.get("_ssr")).toMatchObject({ textEdit: { newText: "_ssr" } })
    expect((await complete("_s¦\n")).get("_ss")).toMatchObject({
      textEdit: { newText: "_ss", range: { start: { character: 0 }, end: { character: 2 } } },
    })
    expect((await complete("fli¦")).get("flip")).toMatchObject({ textEdit: { newText: "+" } })
    const idiom = (await complete("mov¦")).get("moving-average")!
    expect(idiom.kind).toBe(15)
    expect(await editor.connection.sendRequest("completionItem/resolve", idiom)).toMatchObject({ documentation: { kind: "markdown" } })
    expect([...(await complete("\n\\¦")).keys()].every((label) => label.startsWith("\\"))).toBe(true)
  })

  it("completes the name behind a minus, and control words", async () => {
    const editor = await startEditor()
    await editor.open("main.k", "length:3\nx-len\nwhi\nmoving-av")
    const complete = async (marked: string, label: string): Promise<readonly [text: string, from: number] | undefined> => {
      const found = (await editor.ask<CompletionItem[]>("completion", "main.k", marked)).find((item) => item.label === label)
      const edit = found?.textEdit as
        | { readonly newText: string; readonly range: { readonly start: { readonly character: number } } }
        | undefined
      return edit && [edit.newText, edit.range.start.character]
    }
    expect(await complete("x-len¦", "length")).toEqual(["length", 2])
    expect(await complete("whi¦", "while")).toEqual(["while", 0])
    expect((await complete("moving-av¦", "moving-average"))![1]).toBe(0)
  })

  it("completes nothing where the text is no word: in comments, strings, numbers, behind adverbs", async () => {
    const editor = await startEditor()
    await editor.open("main.k", '/ the co\na:1 / the co\n"the co\nit";b:1.\nc:+\\\n"";t / no "st\n\n"the co')
    const count = async (marked: string): Promise<number> => (await editor.ask<unknown[]>("completion", "main.k", marked)).length
    for (const marked of ["/ the co¦\na", "1 / the co¦", '"the co¦\nit', "1.¦", "+\\¦", '"st¦', '\n\n"the co¦'])
      expect(await count(marked), marked).toBe(0)
    for (const marked of ["b¦:1.", '"";t¦', "\n¦a:1"]) expect(await count(marked), marked).toBeGreaterThan(0)
  })

  it("goes to definitions, and lists references, in the function, the text, and the scripts of the folder", async () => {
    const editor = await startEditor()
    await editor.open("main.k")
    await editor.open("lib.k")
    const go = async (name: Name, marked: string): Promise<readonly string[]> =>
      (await editor.ask<Location[]>("definition", name, marked)).map((each) => spot(editor.root, each))
    expect(await go("main.k", "¦avg 1")).toEqual(["main.k 2:0"])
    expect(await go("main.k", "tw¦ice 21")).toEqual(["lib.k 0:0"])
    expect(await go("main.k", "\\l l¦ib")).toEqual(["lib.k 0:0"])
    expect(await go("lib.k", "  ¦m}")).toEqual(["lib.k 1:2"])
    expect(await go("lib.k", "m:¦n")).toEqual(["lib.k 0:8"])
    const uses = async (name: Name, marked: string, includeDeclaration: boolean): Promise<readonly string[]> =>
      (await editor.ask<Location[]>("references", name, marked, { context: { includeDeclaration } }))
        .map((each) => spot(editor.root, each))
        .sort()
    expect(await uses("main.k", "¦avg 1", true)).toEqual(["main.k 2:0", "main.k 4:0", "sub/other.k 0:2"])
    expect(await uses("lib.k", "¦twice:", false)).toEqual(["lib.k 3:7", "main.k 3:2"])
    expect(await uses("lib.k", "  ¦m}", true)).toEqual(["lib.k 1:2", "lib.k 2:2"])
  })

  it("renames in all scripts that have the variable, marks the uses of a name, and finds symbols by their letters", async () => {
    const editor = await startEditor()
    await editor.open("lib.k")
    expect(await editor.ask("prepareRename", "lib.k", "¦twice:")).toMatchObject({ start: { character: 0 }, end: { character: 5 } })
    const { changes } = await editor.ask<WorkspaceEdit>("rename", "lib.k", "¦twice:", { newName: "double" })
    expect(Object.entries(changes!).map(([uri, edits]) => [uri.slice(editor.root.length + 1), edits.length])).toEqual([
      ["lib.k", 2],
      ["main.k", 1],
    ])
    await expect(editor.ask("rename", "lib.k", "¦twice:", { newName: "unused" })).rejects.toThrow("unused is a name in")
    const marks = await editor.ask<DocumentHighlight[]>("documentHighlight", "lib.k", "  ¦m}")
    expect(marks.map(({ range, kind }) => [range.start.line, kind])).toEqual([
      [1, 3],
      [2, 2],
    ])
    const symbols = await editor.connection.sendRequest<WorkspaceSymbol[]>("workspace/symbol", { query: "TWc" })
    expect(symbols.map(({ name, location }) => [name, spot(editor.root, location as Location)])).toEqual([["twice", "lib.k 0:0"]])
  })

  it("tells the kind of each word, for colours", async () => {
    const editor = await startEditor()
    const text = '\\l lib\n/ a\ng:{[a]\n  if[a;_sin a]; / b\n  b:`c;"d\ne"}\ntwice 2'
    await editor.open("main.k", text)
    const { tokenTypes } = editor.initialized.capabilities.semanticTokensProvider.legend
    const { data } = await editor.connection.sendRequest<{ data: number[] }>("textDocument/semanticTokens/full", {
      textDocument: { uri: editor.uri("main.k") },
    })
    const lines = text.split("\n")
    const seen: string[] = []
    let [line, start] = [0, 0]
    for (let i = 0; i < data.length; i += 5) {
      const [down, right, length, type] = data.slice(i) as [number, number, number, number]
      line += down
      start = down === 0 ? start + right : right
      seen.push(`${lines[line]!.slice(start, start + length)} ${tokenTypes[type]}`)
    }
    expect(seen.join(", ")).toBe(
      "\\l lib keyword, / a comment, g function, : operator, a parameter, if keyword, a parameter, _sin function, a parameter, / b comment, " +
        'b variable, : operator, `c string, "d string, e" string, twice function, 2 number',
    )
  })

  it("lists the symbols of a text", async () => {
    const editor = await startEditor()
    await editor.open("sub/other.k", `${files["sub/other.k"]}\nf:{[a;b]\n  c:a;\n  c}`)
    const symbols = await editor.connection.sendRequest<any[]>("textDocument/documentSymbol", {
      textDocument: { uri: editor.uri("sub/other.k") },
    })
    expect(symbols.map(({ name, kind, detail, range }) => [name, kind, detail, range.start.line, range.end.line])).toEqual([
      ["o", 13, undefined, 0, 0],
      ["inner", 13, undefined, 2, 2],
      ["f", 12, "[a;b]", 3, 5],
    ])
  })

  it("offers the quick fix of a trap", async () => {
    const editor = await startEditor()
    const [diagnostic] = await editor.open("main.k", "g:{[a]\n  b:1\n  a!=2}\n")
    const actions = await editor.connection.sendRequest<CodeAction[]>("textDocument/codeAction", {
      textDocument: { uri: editor.uri("main.k") },
      range: diagnostic!.range,
      context: { diagnostics: [diagnostic] },
    })
    expect(actions).toHaveLength(1)
    expect(actions[0]).toMatchObject({ kind: "quickfix", isPreferred: true, diagnostics: [{ code: "glued-verbs" }] })
    expect(actions[0]!.edit!.changes![editor.uri("main.k")]!.map(({ newText }) => newText)).toEqual(["~", "="])
  })

  it("reads a folder that the editor opens later, and no longer one that it closes", async () => {
    const editor = await startEditor()
    expect(editor.initialized.capabilities.workspace.workspaceFolders).toEqual({ supported: true, changeNotifications: true })
    await editor.open("main.k", "\\l later\nlate 1")
    const later = scratchFolder()
    writeFileSync(join(later, "later.k"), "late:{x}")
    const folder = { uri: pathToFileURL(later).href, name: "later" }
    const go = (): Promise<Location[]> => editor.ask("definition", "main.k", "la¦te 1")
    expect(await go()).toEqual([])
    await editor.connection.sendNotification("workspace/didChangeWorkspaceFolders", { event: { added: [folder], removed: [] } })
    expect((await go()).map(({ uri }) => uri)).toEqual([`${folder.uri}/later.k`])
    await editor.connection.sendNotification("workspace/didChangeWorkspaceFolders", { event: { added: [], removed: [folder] } })
    expect(await go()).toEqual([])
  })

  it("asks an editor that can to watch the scripts, and checks the texts again when one has changed", async () => {
    const editor = await startEditor({ capabilities: { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } } })
    const watched = await editor.sent(() => editor.registered[0])
    expect(watched).toMatchObject({ method: "workspace/didChangeWatchedFiles", registerOptions: { watchers: [{ globPattern: "**/*.k" }] } })
    expect(await editor.open("main.k", "\\l lib\ntwice 1")).toEqual([])
    rmSync(join(editor.folder, "lib.k"))
    await editor.connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [{ uri: editor.uri("lib.k"), type: 3 }] })
    const found = await editor.sent(() => editor.heard.find(({ diagnostics }) => diagnostics.length > 0)?.diagnostics)
    expect(found.map(({ code }) => code)).toEqual(["unknown-name"])
  })

  it("accepts --stdio, uses the roots of the command line if the editor has no folder, and ends as the protocol says", async () => {
    const editor = await startEditor({ args: ["--stdio"], isFolder: false })
    expect(editor.initialized.serverInfo.name).toBe("k3")
    await editor.open("main.k")
    expect(await editor.ask("definition", "main.k", "tw¦ice 21")).toHaveLength(1)
    await editor.connection.sendRequest("shutdown")
    await editor.connection.sendNotification("exit")
    expect(await editor.ended).toBe(0)
  })

  it("ends with its editor", async () => {
    const editor = await startEditor()
    editor.connection.dispose()
    editor.child.stdin.end()
    expect(await editor.ended).toBe(1)
  })

  it.each([
    [["--lsp", "script.k"], "script.k"],
    [["--lsp", "-e", "1"], "-e"],
    [["--stdio"], "--stdio belongs to --lsp"],
  ])("%j is an error that names it", (args, named) => {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8", input: "" })
    expect(status).toBe(2)
    expect(stderr).toContain(named === "-e" ? '"1"' : named)
  })
})
