/** The texts of an editor, by their addresses. */
import { describe, expect, it } from "vitest"
import { Workspace } from "../../src/lsp/Workspace.ts"

describe("E2 a text of an editor", () => {
  it.each(["file://host/share/a.k", "file:///a%2Fb.k", "file:///a%zz.k", "untitled:a"])("may have the address %s", (uri) => {
    const workspace = new Workspace([], [])
    workspace.edit(uri, 1, "\\l lib\na:1")
    const source = workspace.get(uri)!
    expect(source.definitions.map(({ name }) => name)).toEqual(["a"])
    expect(workspace.allLoaded(source)).toEqual([])
  })
})
