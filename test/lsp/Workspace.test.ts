/** The texts of an editor, by their addresses. */
import { describe, expect, it } from "vitest"
import { diagnosticsOf } from "../../src/lsp/diagnostics.ts"
import { Workspace } from "../../src/lsp/Workspace.ts"

describe("E2 a text of an editor", () => {
  it.each(["file://host/share/a.k", "file:///a%2Fb.k", "file:///a%zz.k", "untitled:a"])("may have the address %s", (uri) => {
    const workspace = new Workspace([], [])
    workspace.edit(uri, 1, "\\l lib\na:1")
    const source = workspace.get(uri)!
    expect(source.definitions.map(({ name }) => name)).toEqual(["a"])
    expect(workspace.allLoaded(source)).toEqual([])
  })

  it.each(["\n", "\r\n", "\r", "\r\r\n"])("has its issues on the editor's lines, with the line end %j", async (end) => {
    const workspace = new Workspace([], [])
    const source = workspace.edit("untitled:a", 1, ["a:1", "b:2", "(1"].join(end))
    const [issue] = await diagnosticsOf(source, workspace)
    expect(issue?.range.start).toEqual({ line: end === "\r\r\n" ? 4 : 2, character: 0 })
  })
})
