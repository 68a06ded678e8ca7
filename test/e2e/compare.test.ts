/** R6 `k_compare` on the built server: a statement without an answer is always reported. */
import { expect, it } from "vitest"
import { begin, engines, k3csharpBuild } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const serverFor = sharedServer(["--engine", "embedded"])

const textOf = (result: any): string => result.content[0].text

it("R6 reports a statement that ended the interpreter on both sides", async () => {
  const server = await serverFor("ends")
  const result = await server.call("k_compare", { code: "1\n2\n3\n_exit 3\n5", between: ["embedded", "embedded"] })
  expect(textOf(result)).toMatch(/^4 of 5 statements print the same on both; 1 of 5 statements ended without an answer on both/)
  expect(textOf(result)).toMatch(/_exit 3\n  both \(.*\): died: the interpreter ended with exit code 3/)
  expect(result.structuredContent).toMatchObject({ items: 5, differing: 0, unanswered: 1 })
})

it("R6 the call's deadline ends each endless statement, and is reported", async () => {
  const server = await serverFor("deadline")
  const result = await server.call("k_compare", { code: "while[1;0]", between: ["embedded", "embedded"], timeout_ms: 300 })
  expect(textOf(result)).toMatch(/^The statement ended without an answer on both/)
  expect(textOf(result)).toContain("deadline: it was ended after 300 ms")
})

it("R6 names the folder in which a file was sought", async () => {
  const server = await serverFor("file")
  const compared = async (file: string): Promise<string> =>
    textOf(await server.call("k_compare", { file, between: ["embedded", "embedded"] }))
  expect(await compared("nofile.k")).toMatch(/^nofile\.k: it was not found in \/.*\/k3-mcp-test-/)
  expect(await compared("none/nofile.k")).toMatch(/^none\/nofile\.k: there is no folder \/.*\/none\b/)
})

it("R6 accepts the name of a session as a side", async () => {
  const server = await serverFor("side")
  await server.call("k_eval", { code: "a:6", session: "mine" })
  const result = await server.call("k_compare", { code: "a+1", between: ["mine", "session:mine"] })
  expect(textOf(result)).toMatch(/^The statement prints the same on both/)
  expect(textOf(await server.call("k_compare", { code: "a", between: ["mine", "nobody"] }))).toContain(
    '"nobody" is neither an engine, a build nor an open session',
  )
})

it("R6 both sides begin with the variables of the session, and changes are reported by side", async () => {
  const server = await serverFor("both")
  await server.call("k_eval", { code: "a:6\nf:{a+x}" })
  const alike = await server.call("k_compare", { code: "f 1\nb:f 2", between: ["running", "embedded"], changes: true })
  expect(textOf(alike)).toMatch(/^All 2 statements print the same on both/)
  expect(textOf(alike)).toContain("Both began with 2 variables of session both.")
  expect(textOf(alike)).toContain("Changes on both: added .k.b (integer).")
  expect(alike.structuredContent).toMatchObject({ variables: 2, changes: { a: { added: [{ name: ".k.b" }] } } })
  await server.call("k_eval", { code: "a:0", session: "theirs" })
  const other = await server.call("k_compare", { code: "b:a+1", between: ["theirs", "disk"], changes: true })
  expect(textOf(other)).toContain("The other side began with 2 variables of session both.")
  expect(textOf(other)).toContain(".k.b differs: theirs 1, disk 7")
})

it("R6 two value errors of different names differ", async () => {
  const server = await serverFor("names")
  await server.call("k_eval", { code: "f:{u+x}", session: "one" })
  await server.call("k_eval", { code: "f:{v+x}", session: "two" })
  expect(textOf(await server.call("k_compare", { code: "f 1", between: ["one", "two"] }))).toMatch(/^The statement differs/)
})

it.skipIf(k3csharpBuild === undefined).each(engines)(
  "R6 B7 %s: the variables go to the other engine, for a comparison and for a fork; those that cannot be transferred are named",
  async (engine, args) => {
    const server = await begin([...args, "--build-dir", k3csharpBuild!])
    const data = 'a:1 2 3;b:1%3;s:"a\\344b";w:(1;!0;"x");e:!0;z:0N 0I'
    await server.call("k_eval", { code: `${data}\nf:{[x]x+a}\nd:.((\`p;1);(\`q;{x+1}))\nl:(1;{x})\n\\d .k.sub\nh:{x+1}\n\\d .k` })
    const code = "a\nb\ns\nw\ne\nz\nf 2\n.k.sub.h 2"
    const compared = await server.call("k_compare", { code, between: ["embedded", "k3csharp"] })
    expect(textOf(compared)).toMatch(/^All 8 statements print the same on both/)
    expect(textOf(compared)).toContain(".k.l (K3CSharp does not bring back functions in a list)")
    const other = engine === "embedded" ? "k3csharp" : "embedded"
    const forked = await server.call("k_session", { action: "fork", name: "other", engine: other })
    expect(textOf(forked)).toContain(`engine ${other}`)
    expect(forked.structuredContent.lost).toEqual([{ name: ".k.l", reason: "K3CSharp does not bring back functions in a list" }])
    const same = await server.call("k_compare", { code: `${code}\nd[\`p]`, between: ["main", "other"] })
    expect(textOf(same)).toMatch(/^All 9 statements print the same on both/)
  },
)
