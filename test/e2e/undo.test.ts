/** U1 undo and redo on the built server: on both engines, one evaluation or several at a time. */
import { describe, expect, it } from "vitest"
import { engines, k3csharpBuild, type RawServer } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const began = (server: RawServer) => {
  const call = async (name: string, given: object = {}) => {
    const { content, structuredContent } = await server.call(name, given)
    return { text: content[0].text as string, ...structuredContent }
  }
  const evaluate = (code: string, more: object = {}) => call("k_eval", { code, ...more })
  const print = async (code: string) => ((await evaluate(code)).output as string).trim()
  const undo = (action = "undo") => call("k_snapshot", { action })
  /** Waits for a capture between two evaluations. */
  const captured = () => call("k_snapshot", { action: "save", name: "moment" })
  return { call, evaluate, print, undo, captured }
}

describe.each(engines)("U1 on %s", (engine, args) => {
  const test = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)
  const serverFor = sharedServer(args)

  test("goes back to before the latest evaluation that changed something, several times in a row, and forward again", async () => {
    const { evaluate, print, undo, captured } = began(await serverFor("again"))
    await evaluate("a:1")
    await captured()
    await evaluate("a:2\nb:3")
    await captured()
    await evaluate("a+b")
    const first = await undo()
    expect(first).toMatchObject({ ok: true, restored: [".k.a"], removed: [".k.b"], evaluations: 1, left: 1 })
    expect(first.text).toMatch(
      /^Undone: 1 evaluation\. Restored: \.k\.a\. Removed: \.k\.b\.\n[^]*k_snapshot redo takes this back; 1 more can be undone\.$/,
    )
    expect(await print("a")).toBe("1")
    expect(await undo()).toMatchObject({ restored: [], removed: [".k.a"], left: 0 })
    expect(await undo("redo")).toMatchObject({ restored: [".k.a"], left: 1 })
    expect(await undo("redo")).toMatchObject({ restored: [".k.a", ".k.b"], left: 0 })
    expect(await print("a,b")).toBe("2 3")
  })

  test("a variable that was undone and is made again with the same value counts again", async () => {
    const { evaluate, undo, call, captured } = began(await serverFor("same"))
    await evaluate("a:1")
    await captured()
    await evaluate("b:1")
    await captured()
    await undo()
    await evaluate("b:1")
    expect(await call("k_snapshot", { action: "save", name: "both" })).toMatchObject({ snapshots: [{ variables: 2 }] })
    expect(await undo()).toMatchObject({ removed: [".k.b"] })
  })

  test("names the next call when nothing is left, and drops the undone changes at the next change", async () => {
    const { evaluate, undo, call } = began(await serverFor("nothing"))
    const none = await undo()
    expect(none).toMatchObject({ ok: false, error: { name: "undo" } })
    expect(none.text).toContain("Call k_snapshot list")
    await evaluate("a:1")
    await undo()
    await evaluate("b:1")
    const nothingUndone = await undo("redo")
    expect(nothingUndone).toMatchObject({ ok: false, error: { name: "redo" } })
    expect(nothingUndone.text).toContain("Call k_snapshot undo")
    await call("k_reset")
    expect(await undo()).toMatchObject({ ok: false })
  })

  test("a session's beginning has a precision too: a snapshot and an undo go back to it", async () => {
    const { evaluate, print, call, captured } = began(await serverFor("precision"))
    await captured()
    await evaluate("\\p 3")
    await call("k_snapshot", { action: "restore", name: "moment" })
    expect(await print("\\p")).toBe("7")
    await evaluate("a:1")
    await call("k_snapshot", { action: "undo" })
    expect(await print("\\p")).toBe("7")
  })

  test("goes back over a relaunch, to functions, dictionaries and directories", async () => {
    const { evaluate, print, undo, captured } = began(await serverFor("relaunch"))
    const f = engine === "embedded" ? "{[n]{x+n}}1" : "{x+1}"
    await evaluate(`f:${f}\nd:.((\`q;1);(\`r;2))\n.k.dir.x:1 2 3`)
    await captured()
    await evaluate("f:{x+2}\nd:.((`q;5);(`r;2))\n.k.dir.x:4")
    await captured()
    await evaluate(engine === "embedded" ? "_exit 3" : "while[1;1]", { timeout_ms: 300 })
    expect(await print("f 1")).toBe("3")
    expect((await undo()).restored.toSorted()).toEqual([".k.d", ".k.dir", ".k.f"])
    expect(await print("(f 1;d[`q];.k.dir.x)")).toMatch(/^\(2\s*;?\s*1\s*;?\s*1 2 3\)$/)
    await undo("redo")
    expect(await print("(f 1;d[`q];.k.dir.x)")).toMatch(/^3 5 4$|^\(3;5;4\)$/)
  })

  test("takes back a restore of a snapshot", async () => {
    const { call, evaluate, print, undo, captured } = began(await serverFor("restore"))
    await evaluate("a:1")
    await captured()
    await evaluate("a:2")
    await call("k_snapshot", { action: "restore", name: "moment" })
    expect(await print("a")).toBe("1")
    expect((await undo()).text).toMatch(/^Undone: a change that no evaluation made, such as a restore/)
    expect(await print("a")).toBe("2")
  })

  const embedded = it.skipIf(engine !== "embedded")

  embedded("undoes each of several successive evaluations", async () => {
    const { evaluate, print, undo } = began(await serverFor("thirty"))
    for (let i = 0; i < 30; i++) await evaluate(`a:${i}`)
    for (let i = 28; i >= 10; i--) {
      expect(await undo()).toMatchObject({ evaluations: 1 })
      if (i % 6 === 0) expect(await print("a")).toBe(String(i))
    }
    expect(await undo()).toMatchObject({ ok: true, left: 0 })
    expect(await undo()).toMatchObject({ ok: false })
    expect(await print("a")).toBe("9")
  })

  embedded("names the variables that it removes and that nothing brings back", async () => {
    const { call, evaluate, print, undo, captured } = began(await serverFor("gone"))
    await evaluate("a:1")
    await captured()
    await evaluate("b:2\ng:{[a]{x+a}'}5")
    const lost = [{ name: ".k.g", reason: expect.stringContaining("variables of the function that made it") }]
    const done = await undo()
    expect(done).toMatchObject({ removed: [".k.b", ".k.g"], lost })
    expect(done.text).toContain("k_snapshot redo takes this back, but not what is lost;")
    expect(await undo("redo")).toMatchObject({ restored: [".k.b"], lost })
    await evaluate("g:{[a]{x+a}'}5")
    expect(await call("k_snapshot", { action: "restore", name: "moment" })).toMatchObject({ removed: [".k.b", ".k.g"], lost })
    expect(await print("a")).toBe("1")
  })

  embedded("runs one after the other with calls made at once", async () => {
    const { evaluate, print, undo } = began(await serverFor("queue"))
    await evaluate("a:1")
    await Promise.all([evaluate("a:2"), evaluate("a:3"), undo(), undo()])
    expect(await print("a")).toBe("1")
  })

  embedded("goes back from a change of directory, from an evaluation that a deadline stopped, and from a value of 30 MB", async () => {
    const { evaluate, print, undo, captured } = began(await serverFor("large"))
    await evaluate("\\d .k.sub")
    expect(await undo()).toMatchObject({ ok: true, restored: [], removed: [], text: expect.stringContaining("directory") })
    expect(await print("\\d")).toBe(".k")
    // On a busy machine the deadline may pass before the loop begins.
    const looped = async () => {
      await evaluate("while[1;k:1]", { timeout_ms: 100 })
      return print("k")
    }
    await expect.poll(looped).toBe("1")
    expect(await undo()).toMatchObject({ removed: [".k.k"] })
    await evaluate("v:!7500000")
    await captured()
    await evaluate("v:0")
    expect(await undo()).toMatchObject({ restored: [".k.v"], evaluations: 1 })
    expect(await print("(#v),+/v=!7500000")).toBe("7500000 7500000")
  })

  it.skipIf(engine !== "k3csharp" || k3csharpBuild === undefined)(
    "says how many evaluations it takes back, to the last capture",
    async () => {
      const { evaluate, undo, captured, print } = began(await serverFor("count"))
      await evaluate("a:1")
      await captured()
      await evaluate("a:2")
      await evaluate("a:3")
      await evaluate("b:a")
      const done = await undo()
      expect(done.text).toMatch(/^Undone: \d evaluations?\. /)
      expect(done.evaluations).toBeGreaterThan(0)
      while ((await print("a")) !== "1") expect(await undo()).toMatchObject({ ok: true })
    },
  )
})
