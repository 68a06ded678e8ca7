/** The built server over raw pipes: good, bad, split and incomplete frames; every way in which it ends. */
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { isAlive } from "../lib/processes.ts"
import { begin, engines, gone, k3csharpBuild, serverFile, start } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const framed = (message: object): string => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message })
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

describe("frames", () => {
  const serverFor = sharedServer(["--engine", "embedded"])

  it("M: a line that is no JSON gets -32700, and the next request is answered", async () => {
    const server = await begin()
    server.write("{nonsense\n")
    expect(await server.message((each) => each.error?.code === -32700)).not.toHaveProperty("id")
    expect((await server.initialize()).result.serverInfo.name).toBe("k3-mcp")
  })

  it("M: a malformed request gets -32600 with its id", async () => {
    const server = await serverFor("malformed")
    server.write('{"jsonrpc":"2.0","id":77,"metho":"ping"}\n')
    expect((await server.message((each) => each.id === 77)).error?.code).toBe(-32600)
  })

  it("M: an unknown method before initialize gets -32601", async () => {
    const server = start()
    expect((await server.request("no/such")).error?.code).toBe(-32601)
    expect((await server.initialize()).result).toBeDefined()
  })

  it("M: a request split over many writes is one request", async () => {
    const server = await serverFor("split")
    const line = `${JSON.stringify({ jsonrpc: "2.0", id: "split", method: "tools/call", params: { name: "k_eval", arguments: { code: '"…äé"' } } })}\n`
    for (const byte of Buffer.from(line)) server.write(Uint8Array.of(byte))
    expect((await server.message((each) => each.id === "split")).result.structuredContent.ok).toBe(true)
  })

  it("M: a Content-Length frame is answered in kind", async () => {
    const server = start()
    let seen = ""
    server.process.stdout!.removeAllListeners("data").on("data", (chunk: string) => (seen += chunk))
    server.write(
      framed({
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      }),
    )
    await expect.poll(() => seen).toMatch(/^Content-Length: \d+\r\n\r\n\{.*"id":1.*\}$/s)
  })

  it("M: standard output carries only the protocol", async () => {
    const server = await serverFor("output")
    await server.call("k_eval", { code: '`0:"not json\\n"' })
    await server.call("k_eval", { code: "1+`a" })
    expect(server.messages.every((each) => "result" in each || "error" in each || "method" in each)).toBe(true)
  })
})

it("M: the log on standard error begins with the engine and the reason for it", async () => {
  const server = start(["--build-dir", "/nonexistent"])
  await expect.poll(() => server.log()).toMatch(/engine embedded: no K3CSharp build in \/nonexistent/)
})

it("L: the log is structured and levelled, with session and generation", async () => {
  const server = await begin(["--engine", "embedded"], { K3_STATE_DIR: "none" })
  await server.call("k_eval", { code: "a:1", session: "other" })
  const { pid } = (await server.call("k_status", { session: "other" })).structuredContent
  process.kill(pid, "SIGKILL")
  await expect.poll(server.log).toMatch(/level=INFO .*message="?embedded launched, pid \d+"? session=other generation=2$/m)
  const lines = server.log().trimEnd().split("\n")
  for (const line of lines) expect(line).toMatch(/^timestamp=\S+ level=[A-Z]+ fiber=\S+ message=/)
  expect(server.log()).toMatch(new RegExp(`level=INFO .*launched, pid ${pid}"? session=other generation=1$`, "m"))
  expect(server.log()).toMatch(/level=WARN .*signal SIGKILL"? session=other generation=1$/m)
  const quiet = await begin(["--engine", "embedded", "--log-level", "error"], { K3_STATE_DIR: "none" })
  await quiet.call("k_eval", { code: "1" })
  expect(quiet.log()).toBe("")
})

describe.each(engines)("the end, on %s", (name, args) => {
  const here = name === "embedded" || k3csharpBuild !== undefined

  const evaluating = async () => {
    const server = await begin(args)
    await server.call("k_eval", { code: "1+1" })
    const child: number = (await server.call("k_status")).structuredContent.pid
    expect(isAlive(child)).toBe(true)
    server.send({ id: "runaway", method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;x:1]" } } })
    await expect.poll(async () => (await server.call("k_status")).structuredContent.running).toBeTruthy()
    return { server, child }
  }

  it.skipIf(!here)("S: end of input in the middle of an evaluation ends server and child, exit code 0", async () => {
    const { server, child } = await evaluating()
    server.process.stdin!.end()
    expect(await server.ended).toEqual({ code: 0, signal: null })
    await gone(child)
  })

  it.skipIf(!here).each(["SIGINT", "SIGTERM"] as const)(
    "S: %s in the middle of an evaluation ends server and child, exit code 0",
    async (signal) => {
      const { server, child } = await evaluating()
      server.process.kill(signal)
      expect(await server.ended).toEqual({ code: 0, signal: null })
      await gone(child)
    },
  )

  it.skipIf(!here)("S: SIGKILL of the server in the middle of an evaluation leaves no child", async () => {
    const { server, child } = await evaluating()
    server.process.kill("SIGKILL")
    expect(await server.ended).toEqual({ code: null, signal: "SIGKILL" })
    await gone(child)
  })

  it.skipIf(!here || process.platform === "win32")(
    "M8 a host that is killed in the middle of an evaluation ends the server, which has ten seconds for a pipeline only",
    async () => {
      const server = await begin(args, {}, ["sh", "-c", '"$0" "$@"; exit', process.execPath, serverFile])
      const closed = once(server.process, "close")
      server.send({ id: "long", method: "tools/call", params: { name: "k_eval", arguments: { code: "while[1;x:1]", timeout_ms: 9000 } } })
      await expect.poll(async () => (await server.call("k_status")).structuredContent.running).toBeTruthy()
      server.process.kill("SIGKILL")
      server.process.stdin!.end()
      await closed
      expect(server.messages.filter(({ id }) => id === "long")).toEqual([])
    },
  )

  it.skipIf(!here)("S: a client that closes its reading end ends server and child", async () => {
    const { server, child } = await evaluating()
    server.process.stdout!.destroy()
    server.send({ id: "after", method: "ping" })
    server.send({ id: "after2", method: "tools/list" })
    expect((await server.ended).code).toBe(0)
    await gone(child)
  })
})

it("M: end of input in the middle of a frame is an orderly end", async () => {
  const server = await begin()
  server.write('{"jsonrpc":"2.0","id":9,"method":"pi')
  server.process.stdin!.end()
  expect(await server.ended).toEqual({ code: 0, signal: null })
})
