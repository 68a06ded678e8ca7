/** Renaming: the texts afterwards, or the reason of a refusal. */
import { ResponseError } from "vscode-languageserver/node"
import { TextDocument } from "vscode-languageserver-textdocument"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { renamableAt, renameAt } from "../../src/lsp/rename.ts"
import { ScriptWorkspace } from "../../src/lsp/ScriptWorkspace.ts"
import { makeScratch } from "../lib/scratchFolder.ts"

/** Renames the name at the `¦`; gives the text afterwards, or the reason. */
const renamed = (marked: string, newName: string): string => {
  const offset = marked.indexOf("¦")
  const workspace = new ScriptWorkspace([], [])
  workspace.edit("untitled:a", 1, marked.replace("¦", ""))
  const source = workspace.get("untitled:a")!
  const edit = renameAt(workspace, source, offset, newName)
  if (edit instanceof ResponseError) return edit.message
  return edit === null ? "nothing" : TextDocument.applyEdits(source.document, edit.changes?.[source.uri] ?? [])
}

it.each([
  ["a¦:1;b:a+1\nf:{a+{a}}", "sum", "sum:1;b:sum+1\nf:{sum+{sum}}"],
  ["a:1\nf:{[a;b]¦a+{a}[b]}\na", "c", "a:1\nf:{[c;b]c+{c}[b]}\na"],
  ["f:{t¦:x;t,t}\nt:1", "u", "f:{u:x;u,u}\nt:1"],
  ["¦a:1\n.k.a+a..b\na.b\n\\d .lib\na:2\n.k.a", "z1", "z1:1\n.k.z1+z1..b\nz1.b\n\\d .lib\na:2\n.k.z1"],
  ['total..d:"a+1"\ntotal..t:"b:1"\n¦total', "sum", 'sum..d:"a+1"\nsum..t:"b:1"\nsum'],
  ['total..¦t:"b:1"\ntotal', "sum", 'sum..t:"b:1"\nsum'],
  ["f:{b¦:4;b::12;b};b", "c", "f:{c:4;c::12;c};b"],
  ['f:{[¦a]a..d:"b+1";a.b::1;a.c:2;a}', "n", 'f:{[n]a..d:"b+1";a.b::1;n.c:2;n}'],
  ["¦.k", "a", "nothing"],
  ["d.a:1;d.¦b:2;d.b.c", "e", "d.a:1;d.e:2;d.e.c"],
  ['/ a\n¦a:1 / a\n"a";`a', "b", '/ a\nb:1 / a\n"a";`a'],
])("E2 %j to %s", (marked, newName, expected) => {
  expect(renamed(marked, newName)).toBe(expected)
})

it.each([
  ["an implicit argument", "f:{¦x+1}", "a", "stand for"],
  ["a local by the name of an implicit argument", "f:{a¦:x;a+1}", "y", "stand for"],
  ["a variable that a local would hide", "a¦:1\nf:{[b]a+b}", "b", "stand for"],
  ["a local that an inner one would hide", "f:{[a]{[b]¦a+b}}", "b", "stand for"],
  ["a local that would hide a variable", "b:1\nf:{[a]¦a+b}", "b", "stand for"],
  ["by a name that is taken", "a¦:1\nb:2", "b", "b is a name in untitled:a already"],
  ["by a local name that is taken", "f:{[a;b]¦a+b}", "b", "already"],
  ["a directory that \\d enters", "¦lib:.+(`a;1)\n\\d lib\na", "other", "stand for"],
  ["by a control word", "g¦:{x}\ng[1]", "if", "stand for"],
  ["by no name", "a¦:1", "1a", "1a is no name"],
  ["by the name of a verb's use", "a¦:1", "_sin", "_sin is no name"],
])("E2 refuses to rename %s", (_, marked, newName, reason) => {
  expect(renamed(marked, newName)).toContain(reason)
})

it("E2 the editor is offered the last part of a name, and none of a verb", () => {
  const workspace = new ScriptWorkspace([], [])
  workspace.edit("untitled:a", 1, "d.ab:1+2")
  const source = workspace.get("untitled:a")!
  expect(renamableAt(source, 1)).toEqual({ start: { line: 0, character: 2 }, end: { line: 0, character: 4 } })
  expect(renamableAt(source, 6)).toBeNull()
})

it("E2 a variable is renamed in the scripts that run together or use it undefined, and not in another program", () => {
  const folder = makeScratch()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, "sub"))
  const texts = { "lib.k": "f:{n*x}\nn:2", "one.k": "\\l lib\nt:f 1", "two.k": "\\l lib\nt:f 2", "use.k": "f 3", "sub/other.k": "f:1\nt:f" }
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  const workspace = new ScriptWorkspace([folder], [])
  const changed = (name: keyof typeof texts, offset: number): readonly string[] => {
    const uri = pathToFileURL(join(folder, name)).href
    workspace.edit(uri, 1, texts[name])
    const edit = renameAt(workspace, workspace.get(uri)!, offset, "new")
    return Object.keys((edit as { readonly changes: object }).changes)
      .map((each) => each.slice(pathToFileURL(folder).href.length + 1))
      .sort()
  }
  expect(changed("lib.k", 0)).toEqual(["lib.k", "one.k", "two.k", "use.k"])
  expect(changed("one.k", 7)).toEqual(["one.k"])
})
