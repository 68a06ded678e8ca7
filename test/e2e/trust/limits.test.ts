/** G9: requests above the limits, on the built server. */
import { describe, expect, it } from "vitest"
import { evaluate } from "../server.ts"
import { sharedServer } from "../sharedServer.ts"
import { open } from "./open.ts"

describe("G9 a limit that is reached is an error that names it", () => {
  const serverFor = sharedServer(["--engine", "embedded", "--state-dir", "none"])

  it.each<readonly [string, string, object, RegExp]>([
    ["code", "k_eval", { code: `"${"x".repeat(17 * 2 ** 20)}"` }, /at most 16777216 are taken[^]*smaller parts/],
    [
      "args",
      "k_eval",
      { code: "x", args: { x: "x".repeat(17 * 2 ** 20) } },
      /args are \d+ characters as K; at most 16777216[^]*smaller parts/,
    ],
    ["code to validate", "k_validate", { code: "1+".repeat(60_000) }, /100000/],
    ["a session's name", "k_eval", { code: "1", session: "n".repeat(65) }, /1 to 64/],
    ["a session's name with a path in it", "k_eval", { code: "1", session: "../x" }, /1 to 64/],
    ["a snapshot's name", "k_snapshot", { action: "save", name: "n".repeat(65) }, /1 to 64/],
    ["checks", "k_reload", { check: Array.from({ length: 201 }, () => "1") }, /200/],
    ["nested calls", "k_eval", { code: "f:{f x};f 1" }, /stack error: more than 2000 calls deep/],
    ["nested values", "k_eval", { code: "x:();do[200000;x:(x;1)];x" }, /stack error/],
    ["an image of them", "k_eval", { code: "x:();do[200000;x:(x;1)];_bd x" }, /limit error: more than 1000 values deep/],
  ])("%s", async (name, tool, args, said) => {
    const own = await serverFor(name.replaceAll(/\W/g, "-"))
    const reply = await own.call(tool, args)
    expect(reply.content[0].text).toMatch(said)
    expect(reply.structuredContent.ok).toBe(false)
    expect(await evaluate(own, "1+1")).toMatchObject({ ok: true, output: "2\n", generation: 1 })
  })

  it("nested arguments, and a message too long to be one", async () => {
    const own = await open()
    const deep = "[".repeat(20_000) + "]".repeat(20_000)
    own.write(`{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"k_eval","arguments":{"code":${deep}}}}\n`)
    const { result, error } = await own.message(({ id }) => id === "deep")
    expect(JSON.stringify(result ?? error)).toMatch(/code/)
    const chunk = Buffer.alloc(8 * 2 ** 20, "x")
    own.write('{"jsonrpc":"2.0","id":"long","method":"')
    for (let sent = 0; sent < 80; sent += 8) own.write(chunk)
    own.write('"}\n')
    expect((await own.message((each) => each.error !== undefined && each.id === undefined)).error?.message).toMatch(/at most 64 MiB/)
    expect((await own.request("ping")).result).toEqual({})
  })

  it("sessions", async () => {
    const own = await open(["--max-sessions", "2"])
    for (const session of ["a", "b"]) await evaluate(own, "1", { session })
    expect((await evaluate(own, "1", { session: "c" })).error).toMatchObject({
      name: "sessions",
      text: expect.stringMatching(/K3_MAX_SESSIONS[^]*k_session/),
    })
    expect(await evaluate(own, "1+1", { session: "a" })).toMatchObject({ ok: true })
  })

  it("snapshots", async () => {
    const own = await serverFor("snapshots")
    await evaluate(own, "a:1")
    for (let n = 0; n < 20; n++) expect((await own.call("k_snapshot", { action: "save", name: `s${n}` })).isError).toBeUndefined()
    const { error } = (await own.call("k_snapshot", { action: "save", name: "one-more" })).structuredContent
    expect(error).toMatchObject({ name: "snapshots", text: expect.stringMatching(/20 snapshots, which is the limit[^]*delete/) })
  })

  it("handles of long replies: the oldest is dropped, and says so", async () => {
    const own = await open(["--output-shown", "200"])
    for (let n = 0; n < 66; n++) await evaluate(own, `!${500 + n}`)
    const { error } = (await own.call("k_output", { handle: "o1" })).structuredContent
    expect(error).toMatchObject({ name: "output", text: expect.stringMatching(/o1 was dropped[^]*k_output/) })
  })
})
