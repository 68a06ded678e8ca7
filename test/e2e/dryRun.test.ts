/** U2 dry runs on the built server. */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { begin, k3csharpBuild, type RawServer, scratchFolder } from "./server.ts"
import { shared } from "./shared.ts"
import { inSession } from "./sharedServer.ts"

const open = async (...args: readonly string[]) => {
  const roots = scratchFolder()
  const server = await begin([...args, "--state-dir", "none", "--roots", roots])
  return { server, roots }
}

const began = ({ server, roots }: Awaited<ReturnType<typeof open>>) => {
  const call = async (name: string, given: object = {}) => {
    const { content, structuredContent } = await server.call(name, given)
    return { text: content[0].text as string, ...structuredContent }
  }
  const evaluate = (code: string, more: object = {}) => call("k_eval", { code, ...more })
  const dry = (code: string, more: object = {}) => evaluate(code, { dry_run: true, ...more })
  return { server, roots, call, evaluate, dry }
}

const childrenOf = ({ process: { pid } }: RawServer): string => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")

describe("U2 on embedded", () => {
  const embedded = ["--engine", "embedded", "--shell", "allow"]
  // A busy machine takes longer than the usual deadline to copy a large value to another interpreter.
  const opened = shared(() => open(...embedded, "--eval-timeout", "60s"))
  const beganIn = async (session: string) => {
    const { server, roots } = await opened()
    return began({ server: inSession(server, session), roots })
  }

  it("reports output and changes, and leaves session, history and undo unchanged", async () => {
    const { call, evaluate, dry } = await beganIn("changes")
    await evaluate("a:1\n.k.d.x:!3\nf:{x+a}\n\\p 5")
    const told = await dry("a:2\nb:f 3\nb\n.k.d.x,:9\n\\d .k.q\nz:1%3", { value: true })
    expect(told).toMatchObject({ ok: true, output: "5\n", dry_run: true, generation: 1 })
    const { added, changed, removed } = told.changes
    expect([added, changed, removed].map((each: any[]) => each.map(({ name }) => String(name)).toSorted())).toEqual([
      [".k.b", ".k.q.z"],
      [".k.a", ".k.d"],
      [],
    ])
    expect(told.text).toMatch(/It would change: .*added \.k\.b[^]*\nDry run: the session, its history and all files are as they were\.$/)
    expect((await call("k_inspect")).entries.map(({ name }: any) => name)).toEqual(["a", "d", "f"])
    expect((await evaluate("a,#.k.d.x")).output).toBe("1 3\n")
    expect((await evaluate("\\d")).output).toBe(".k\n")
    expect((await call("k_history", { action: "list" })).entries).toHaveLength(3)
    expect(await call("k_snapshot", { action: "undo" })).toMatchObject({ ok: true, removed: [".k.a", ".k.d", ".k.f"], left: 0 })
  })

  it("at a deadline that passes while the copy is made, says that nothing ran", async () => {
    const { evaluate, dry } = await beganIn("late")
    await evaluate("a:1")
    for (const code of ["", "a:2"]) {
      const { ok, text } = await dry(code, { timeout_ms: 10 })
      expect(ok).toBe(false)
      expect(text).toMatch(
        /^The deadline of 10 ms passed while this call waited for a copy of the session; nothing of it ran\.\nCall k_eval again/,
      )
    }
  })

  it("refuses writes and commands with an error, and writes nothing", async () => {
    const { roots, dry, evaluate } = await beganIn("writes")
    const at = (name: string) => JSON.stringify(`${roots}/${name}`)
    const writes = [`${at("o.txt")} 0:,"hi"`, `${at("o")} 1:!3`, `${at("o")} 5:!3`, `${at("o.txt")} 6:"abc"`]
    for (const code of [...writes, `\\touch ${roots}/o`]) {
      const told = await dry(code)
      expect([code, told.ok, told.error?.text]).toEqual([
        code,
        false,
        expect.stringContaining("a dry run writes no file and runs no command"),
      ])
    }
    expect(readdirSync(roots)).toEqual([])
    expect(await evaluate(writes[0]!)).toMatchObject({ ok: true })
    expect((await dry(`0:${at("o.txt")}`)).output).toContain("hi")
  })

  it("ends at errors, deadlines and exits with the next call to make, and the session goes on", async () => {
    const { server, evaluate, dry } = began(await open(...embedded))
    await evaluate("a:1")
    const before = childrenOf(server)
    const failed = await dry("a:2\na+`x\na:3")
    expect(failed.error.next).toContain("Fix statement 2 and send all 3 again")
    expect(failed.changes.changed.map(({ name }: any) => name)).toEqual([".k.a"])
    const late = await dry("a:4\nwhile[1;a:5]", { timeout_ms: 3000 })
    expect(late).toMatchObject({ ok: false, error: { name: "deadline" } })
    expect(late.text).toContain("in statement 2:\n  while[1;a:5]\nRolled back. The variables are as they were before this call.\n")
    const died = await dry("a\n_exit 3")
    expect(died).toMatchObject({ ok: false, error: { name: "crash" }, output: "1\n" })
    expect(died.text).toMatch(/The dry run ended in statement 2:\n {2}_exit 3\n.*exit code 3[^]*Session main is as it was\. Call k_eval/)
    expect(await dry("a+1", { expect_generation: 9 })).toMatchObject({ error: { name: "generation" } })
    expect(await evaluate("a")).toMatchObject({ output: "1\n", generation: 1 })
    while (childrenOf(server) !== before) await evaluate("a")
  })

  it("S12 is named by k_status and k_session list while it runs", async () => {
    const { call, dry } = await beganIn("named")
    const running = dry("a:1\nwhile[1;a:2]")
    await expect.poll(() => call("k_status"), { timeout: 60_000 }).toMatchObject({ doing: "a dry run: while[1;a:2]" })
    expect((await call("k_status")).text).toContain("\nNow a dry run: while[1;a:2]\n")
    expect((await call("k_session", { action: "list" })).text).toMatch(/^named: .* in use, /m)
    await call("k_session", { action: "interrupt", name: "named" })
    expect(await running).toMatchObject({
      error: { name: "interrupt", text: expect.stringContaining("\nRolled back. The variables are as") },
    })
    expect(await call("k_status")).not.toHaveProperty("doing")
  })

  it("runs with arguments and limits, beside other calls, and with a value of 30 MB", async () => {
    const { evaluate, dry } = await beganIn("arguments")
    await evaluate("v:!7500000\na:1")
    const all = await Promise.all([dry("v[0]:n\n#v", { args: { n: 5 } }), evaluate("a:2"), dry("a"), evaluate("a:3")])
    expect(all.map(({ output }) => output)).toEqual(["7500000\n", "", "2\n", ""])
    expect(all[0].changes).toMatchObject({ added: [], changed: [{ name: ".k.v" }], removed: [] })
    expect(await dry("+/!100000", { steps: 10 })).toMatchObject({ ok: false, error: { name: "limit" } })
    expect(await evaluate("v[0],a")).toMatchObject({ output: "0 3\n" })
  })
})

it.skipIf(k3csharpBuild === undefined)("U2 K3CSharp refuses a dry run, and names the alternatives", async () => {
  const { evaluate, dry } = began(await open("--engine", "k3csharp", "--build-dir", k3csharpBuild!))
  const refused = await dry("a:1")
  expect(refused).toMatchObject({ ok: false, error: { name: "refused" } })
  expect(refused.text).toContain("Call k_eval with rollback true")
  expect((await evaluate("a")).ok).toBe(false)
})
