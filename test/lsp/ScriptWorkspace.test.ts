/** The texts of an editor, by their addresses. */
import { rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { diagnosticsOf } from "../../src/lsp/diagnostics.ts"
import { definitionAt } from "../../src/lsp/names.ts"
import { type SourceScript, ScriptWorkspace } from "../../src/lsp/ScriptWorkspace.ts"
import { makeScratch } from "../lib/scratchFolder.ts"

const opened = (workspace: ScriptWorkspace, text: string, uri = "untitled:a"): SourceScript => {
  workspace.edit(uri, 1, text)
  return workspace.get(uri)!
}

describe("E2 a text of an editor", () => {
  it.each(["file://host/share/a.k", "file:///a%2Fb.k", "file:///a%zz.k", "untitled:a"])("may have the address %s", (uri) => {
    const workspace = new ScriptWorkspace([], [])
    const source = opened(workspace, "\\l lib\na:1", uri)
    expect(source.definitions.map(({ name }) => name)).toEqual(["a"])
    expect(workspace.allLoaded(source)).toEqual([])
  })

  it.each(["\n", "\r\n", "\r", "\r\r\n"])("has its issues on the editor's lines, with the line end %j", async (end) => {
    const workspace = new ScriptWorkspace([], [])
    const source = opened(workspace, ["a:1", "b:2", "(1"].join(end))
    const [issue] = await diagnosticsOf(source, workspace)
    expect(issue?.range.start).toEqual({ line: end === "\r\r\n" ? 4 : 2, character: 0 })
  })

  it("may begin with a line for a shell, which is a comment", async () => {
    const workspace = new ScriptWorkspace([], [])
    for (const start of ["", "\ufeff"])
      expect(await diagnosticsOf(opened(workspace, `${start}#!/usr/bin/env k3\na:1\na`), workspace)).toEqual([])
  })

  it("has no advice for agents among its issues", async () => {
    const workspace = new ScriptWorkspace([], [])
    const found = await diagnosticsOf(opened(workspace, 'split "a b"\nselect a from b\n\\\\\n'), workspace)
    expect(found.map(({ code }) => code)).toEqual(["unknown-name", "no-query"])
    for (const { message } of found) {
      expect(message).toContain("\\help")
      expect(message).not.toMatch(/\bk_/)
    }
  })

  it("defines a variable by its dependency, and not by its trigger", () => {
    const workspace = new ScriptWorkspace([], [])
    const source = opened(workspace, 'total..d:"a+1"\ntotal..t:"b:1"\ntotal')
    expect(definitionAt(workspace, source, source.text.length - 1).map(({ range }) => range.start.line)).toEqual([0])
  })

  it("finds the places in a file with a byte order mark as the editor counts them, which drops it", () => {
    const folder = makeScratch()
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, "lib.k"), "\ufeff\\l more")
    writeFileSync(join(folder, "more.k"), "\ufefff:{x}")
    const workspace = new ScriptWorkspace([folder], [])
    const source = opened(workspace, "\\l lib\nf 1", pathToFileURL(join(folder, "a.k")).href)
    expect(workspace.allLoaded(source).map(({ uri }) => basename(uri))).toEqual(["lib.k", "more.k"])
    expect(definitionAt(workspace, source, 7).map(({ range }) => range.start)).toEqual([{ line: 0, character: 0 }])
  })

  it("may load a script by its whole path, as in the interpreter", () => {
    const folder = makeScratch()
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, "lib.k"), "f:{x}")
    const workspace = new ScriptWorkspace([folder], [])
    const source = opened(workspace, `\\l ${join(folder, "lib")}\nf 1`)
    expect(workspace.allLoaded(source).map(({ uri }) => basename(uri))).toEqual(["lib.k"])
  })
})
