/** Common complaints about similar servers, one test per complaint, on the built server. */
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { tools } from "../../src/mcp/tools/index.ts"
import { engines, gone, k3csharpBuild, scratchFolder, start, type RawServer } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const ready = async (args: readonly string[]): Promise<RawServer> => {
  const server = start(args)
  await server.initialize()
  return server
}

const structured = async (server: RawServer, name: string, args?: object) => (await server.call(name, args)).structuredContent
const textOf = (result: any): string => result.content.map(({ text }: { text: string }) => text).join("\n")

describe.each(engines)("on %s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)
  const serverFor = sharedServer(args)

  when("peers 1: the reply at a deadline names the statement, the fate of the variables and the next call", async () => {
    const server = await serverFor("peers-1")
    await server.call("k_eval", { code: "kept:5" })
    const result = await server.call("k_eval", { code: "1+1\nwhile[1;zz:1]", timeout_ms: 300 })
    const said = textOf(result)
    expect(result.isError).toBe(true)
    expect(said).toContain("while[1;zz:1]")
    expect(said).toContain("300")
    expect(said).toMatch(engine === "embedded" ? /kept/i : /lost/i)
    expect(said).toMatch(/k_\w+/)
  })

  when("peers 2: one long evaluation does not wedge the server", async () => {
    const server = await serverFor("peers-2")
    await server.call("k_eval", { code: "0" })
    server.send({
      id: "long",
      method: "tools/call",
      params: { name: "k_eval", arguments: { code: "while[1;zz:1]", timeout_ms: 60_000, session: "peers-2" } },
    })
    expect(await structured(server, "k_eval", { code: "1+1", session: "other" })).toMatchObject({
      ok: true,
      output: expect.stringMatching(/^2/),
    })
    expect((await server.request("tools/list")).result.tools.length).toBe(tools.length)
    expect((await server.request("ping")).result).toEqual({})
    expect((await structured(server, "k_status")).running.statement).toContain("while[1;zz:1]")
    server.send({ method: "notifications/cancelled", params: { requestId: "long" } })
    expect(await structured(server, "k_eval", { code: "2+2" })).toMatchObject({ ok: true, output: expect.stringMatching(/^4/) })
  })

  when("peers 3: after a deadline the old work does not run on behind the reply", async () => {
    const server = await serverFor("peers-3")
    const { pid } = (await structured(server, "k_eval", { code: "i:0" }), await structured(server, "k_status"))
    // On a loaded machine the deadline may pass before the child gets the statement.
    await expect
      .poll(async () => textOf(await server.call("k_eval", { code: "while[1;i+:1]", timeout_ms: 200 })))
      .toContain("Stopped at the deadline")
    if (engine === "k3csharp") await gone(pid)
    else {
      const first = await structured(server, "k_eval", { code: "i" })
      expect(Number(first.output)).toBeGreaterThan(0)
      expect((await structured(server, "k_eval", { code: "i" })).output).toBe(first.output)
    }
  })

  when("peers 5: a deadline above the ceiling is reported", async () => {
    const server = await ready([...args, "--eval-timeout-max", "5s"])
    expect(textOf(await server.call("k_eval", { code: "1+1", timeout_ms: 60_000 }))).toMatch(/5\s?s|5000/)
  })

  when("peers 6: the model sees everything when the host shows structuredContent alone", async () => {
    const server = await serverFor("peers-6")
    const good = await server.call("k_eval", { code: "`a `b" })
    expect(good.structuredContent.output).toMatch(/`a ?`b/)
    const bad = await server.call("k_eval", { code: "while[1;zz:1]", timeout_ms: 200 })
    expect(JSON.stringify(bad.structuredContent)).toContain("while[1;zz:1]")
  })

  when("peers 7: a cancel ends the evaluation, and not the server", async () => {
    const server = await serverFor("peers-7")
    await server.call("k_eval", { code: "0" })
    server.send({ id: "gone", method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;zz:1]", session: "peers-7" } } })
    await expect.poll(async () => (await structured(server, "k_status")).running).toBeTruthy()
    server.send({ method: "notifications/cancelled", params: { requestId: "gone" } })
    expect(await structured(server, "k_eval", { code: "1+1" })).toMatchObject({ ok: true })
    expect(server.messages.some((each) => each.id === "gone")).toBe(false)
  })

  when("peers 8: a long result does not fill the context", async () => {
    const server = await serverFor("peers-8")
    const result = await structured(server, "k_eval", { code: "!200000" })
    expect(result.output.length).toBeLessThan(9000)
    expect(result.output).toMatch(/^0 1 2 3/)
    expect(result.output.trimEnd()).toMatch(/199999$/)
    expect(result.truncated).toBeTruthy()
  })

  when("peers 10, 11: the status is true while a child is gone, and while one evaluates", async () => {
    const server = await serverFor("peers-10")
    await server.call("k_eval", { code: "0" })
    const before = await structured(server, "k_status")
    process.kill(before.pid, "SIGKILL")
    await gone(before.pid)
    await expect.poll(async () => (await structured(server, "k_status")).pid).not.toBe(before.pid)
    expect(await structured(server, "k_eval", { code: "1+1" })).toMatchObject({ ok: true })
    const after = await structured(server, "k_status")
    expect(after.generation).toBeGreaterThan(before.generation)
    expect(after.pid).not.toBe(before.pid)
  })

  when("peers 12: after an interrupt the session evaluates and can be inspected", async () => {
    const server = await serverFor("peers-12")
    for (let round = 0; round < 3; round++) {
      await server.call("k_eval", { code: "while[1;zz:1]", timeout_ms: 150 })
      expect(await structured(server, "k_eval", { code: `${round}+1` })).toMatchObject({
        ok: true,
        output: expect.stringMatching(new RegExp(`^${round + 1}`)),
      })
      expect((await structured(server, "k_inspect")).path).toBeDefined()
    }
  })

  when("peers 13: a second call waits its turn, so that nobody has to poll", async () => {
    const server = await serverFor("peers-13")
    await server.call("k_eval", { code: "0" })
    const first = server.call("k_eval", { code: "i:0;while[i<300000;i+:1];i" })
    const second = server.call("k_eval", { code: "i+1" })
    expect((await first).structuredContent.output).toMatch(/^300000/)
    expect((await second).structuredContent.output).toMatch(/^300001/)
  })
})

it("peers 14: the child's own error is in the launch failure", async () => {
  const folder = scratchFolder()
  writeFileSync(join(folder, "K3CSharp"), "#!/bin/sh\necho 'You must install .NET to run this application' >&2\nexit 150\n")
  chmodSync(join(folder, "K3CSharp"), 0o755)
  for (const name of ["K3CSharp.dll", "K3CSharp.deps.json", "K3CSharp.runtimeconfig.json"]) writeFileSync(join(folder, name), "{}")
  const server = await ready(["--engine", "k3csharp", "--build-dir", folder])
  const result = await server.call("k_eval", { code: "1+1" })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain("You must install .NET to run this application")
  expect(textOf(result)).toContain("150")
})

it.skipIf(k3csharpBuild === undefined)("peers 15: a build under a path with blanks, quotes and other letters works", async () => {
  const folder = join(scratchFolder(), 'Jürgen O\'Neil "K" builds')
  mkdirSync(folder)
  cpSync(k3csharpBuild!, folder, { recursive: true })
  const server = await ready(["--engine", "k3csharp", "--build-dir", folder])
  expect((await structured(server, "k_eval", { code: "1+1" })).output).toMatch(/^2/)
})

it("no build: the error names the searched folder and the command that makes a build", async () => {
  const folder = join(scratchFolder(), "nothing here")
  const server = await ready(["--engine", "k3csharp", "--build-dir", folder])
  const said = textOf(await server.call("k_eval", { code: "1+1" }))
  expect(said).toContain(folder)
  expect(said).toContain("dotnet build K3CSharp/K3CSharp.csproj")
})
