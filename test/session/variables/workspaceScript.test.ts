/** Captured variables as a script: run in an empty workspace, it makes them again. */
import { assert, describe, it } from "@effect/vitest"
import * as Base64 from "effect/encoding/Base64"
import { scriptOf } from "../../../src/session/variables/workspaceScript.ts"
import { scriptText } from "../../../src/k3/text/statements.ts"
import { makeConsole } from "../../lib/session.ts"

/** The script of the variables that this code makes, and a console in which it ran. */
const rerun = (code: string) => {
  const console = makeConsole()
  console.enter(code)
  const { changed, workspace: settings } = console.k.capture(-1, { value: 1e6, total: 1e6, soon: 1e6 })
  const encoded = (image: Uint8Array | undefined) => image && Base64.encode(image)
  const variables = new Map(
    changed.map((each) => [each.path, { ...each, image: encoded(each.image), attributes: encoded(each.attributes) }]),
  )
  const script = scriptOf("embedded", { variables, settings }, 1e6)
  const again = makeConsole()
  // The script as it is read from a file.
  assert.strictEqual(again.enter(scriptText(Buffer.from(script.text, "utf8").toString("latin1"))), "")
  return { left: script.left, again }
}

describe("a script of captured variables", () => {
  it("H4 makes variables and functions of the root there", () => {
    const { left, again } = rerun("\\d ^\na:1\nf:{a+x}\n\\d .o\nb:2\n\\d .k\na:5")
    assert.deepStrictEqual(left, [])
    assert.strictEqual(again.enter(".f 1\n.o.b\na\n\\d"), "2\n2\n5\n.k")
  })

  it("H4 names a value that was assigned over a dependency", () => {
    const { left, again } = rerun('a:1\nv..d:"a+1"\nv:9\nw..d:"v+1"\nn:3\nn..d:5')
    assert.deepStrictEqual(
      left.map(({ path }) => path),
      [".k.v"],
    )
    assert.strictEqual(again.enter("v\nw\nn"), "2\n3\n3")
  })

  it("H4 makes functions again whose text is no ASCII, no UTF-8, or has control characters", () => {
    const { left, again } = rerun(String.raw`f:{"\303\251"}
g:. "{\"\303\251\"}"
h:. "{\"\377\"}"
i:. "{\"\015\n\001\"}"`)
    assert.deepStrictEqual(left, [])
    assert.strictEqual(again.enter("_ic'(f[];g[];h[];i[])"), "(195 169\n 195 169\n 255\n 13 10 1)")
  })

  it("H4 writes a symbol of K3CSharp as K3CSharp reads it", () => {
    const symbol = { path: ".k.s", type: 4, shape: "", bytes: 15, text: "", image: "_db _ci 1 0 0 0 7 0 0 0 4 0 0 0 195 169 0" }
    const { text } = scriptOf("k3csharp", { variables: new Map([[symbol.path, symbol]]), settings: undefined }, 1e6)
    assert.strictEqual(text, 's:`"\\351"\n')
  })
})
