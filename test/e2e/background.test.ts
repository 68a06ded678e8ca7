/** S33 to S35 on the built server: background evaluations, their replies, following and stopping them, and their handles after a restart. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { begin, engines, k3csharpBuild, scratchFolder, type RawServer } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const loop = "while[1;y:1]"

const told = async (own: RawServer, name: string, args: object): Promise<any> => (await own.call(name, args)).structuredContent

/** Follows an evaluation to its end, by the calls that the replies name. */
const followed = async (own: RawServer, handle: string): Promise<any> => {
  let text = ""
  for (let from = 0; ;) {
    const reply = await told(own, "k_output", { handle, from, unit: "byte", wait_ms: 60_000 })
    text += reply.output
    if (reply.phase === "ended" && reply.next === undefined) return { ...reply, output: text }
    from = reply.next.from
  }
}

describe.each(engines)("an evaluation in the background of %s", (engine, args) => {
  // K3CSharp leaves the line open; the next output begins a new one.
  const two = engine === "embedded" ? "2\n" : "2"
  const test = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)
  const serverFor = sharedServer(args)

  test("S33 a call that waited in vain names a fork that need not wait", async () => {
    const own = await begin(args)
    await own.call("k_eval", { code: "x:5" })
    await own.call("k_snapshot", { action: "save", name: "five" })
    await own.call("k_eval", { code: loop, background: true })
    await expect.poll(async () => (await told(own, "k_status", {})).running?.statement).toBe(loop)
    const late = await own.call("k_eval", { code: "x", timeout_ms: 50 })
    expect(late.content[0].text).toContain(
      "Call k_session with action interrupt to stop that, with action fork and a snapshot to go on beside",
    )
    expect(await told(own, "k_session", { action: "fork", snapshot: "five", name: "beside" })).toMatchObject({ ok: true, restored: 1 })
    expect((await told(own, "k_eval", { code: "x", session: "beside" })).output.trim()).toBe("5")
    expect((await told(own, "k_status", {})).running?.statement).toBe(loop)
  })

  test("S1 a call that is sent right after it, before its handle is known, runs after it", async () => {
    const own = await begin([...args, "--state-dir", scratchFolder()])
    const sent = ["x:5", "x:6"].map((code) => [own.call("k_eval", { code, background: true }), own.call("k_eval", { code: "x" })] as const)
    const replies = await Promise.all(sent.flat())
    expect(replies.map(({ structuredContent: told }) => told.handle ?? told.output?.trim() ?? told)).toEqual(["e1", "5", "e2", "6"])
  })

  test("S33 is answered at once, followed, listed and stopped, and the reply reports the variables", async () => {
    const own = await begin(args)
    const begun = await own.call("k_eval", { code: `x:5\n1+1\n${loop}`, background: true })
    expect(begun.structuredContent).toEqual({ ok: true, handle: "e1", notice: begun.content[0].text })
    expect(begun.content[0].text).toBe(
      "e1 runs in the background in session main. Call k_output e1 with wait_ms to follow it, k_session with action interrupt and name e1 to stop it.",
    )
    await expect.poll(async () => (await told(own, "k_status", {})).running?.statement).toBe(loop)
    const first = await own.call("k_output", { handle: "e1", from: 0, unit: "byte", wait_ms: 60_000 })
    expect(first.structuredContent).toMatchObject({
      ok: true,
      phase: "running",
      output: two,
      bytes: two.length,
      next: { from: two.length, unit: "byte" },
    })
    expect(first.content[0].text).toMatch(
      /^2\n.*\ne1 has run in session main for .*; \d bytes? printed so far\.\nCall k_output e1 with from \d, unit byte and wait_ms/,
    )
    const status = await own.call("k_status")
    expect(status.structuredContent.background).toMatchObject([{ handle: "e1", session: "main", phase: "running", bytes: two.length }])
    expect(status.content[0].text).toMatch(/In the background:\n {2}e1 in session main: running for .*, \d bytes? printed/)
    await own.call("k_eval", { code: "x:6", background: true })
    const waited = await own.call("k_session", { action: "interrupt", name: "e2" })
    expect(waited.content[0].text).toMatch(/^Stopped an evaluation in session main before any statement had begun/)
    expect(await told(own, "k_output", { handle: "e2" })).toMatchObject({ phase: "ended", error: { name: "interrupt" } })
    const end = followed(own, "e1")
    expect(await told(own, "k_session", { action: "interrupt", name: "e1" })).toMatchObject({ ok: true, stopped: true })
    expect(await told(own, "k_session", { action: "interrupt", name: "e1" })).toMatchObject({
      notice: "e1 has ended: nothing was stopped.",
    })
    expect(await end).toMatchObject({ ok: false, phase: "ended", output: two, error: { name: "interrupt" } })
    const again = await own.call("k_output", { handle: "e1" })
    expect(again.isError).toBeUndefined()
    expect(again.content[0].text).toMatch(/e1 has ended in session main after[^]*Stopped on request/)
    expect((await own.call("k_status")).content[0].text).toMatch(/e1 in session main: ended after/)
  })

  test("S33 an error of K, and the output before it, are its result", async () => {
    const own = await serverFor("error")
    const { handle } = await told(own, "k_eval", { code: "1+1\n1+`a", background: true })
    const { output, error, phase, ok } = await followed(own, handle)
    expect({ ok, phase, name: error.name, begins: output.startsWith("2\n") }).toEqual({
      ok: false,
      phase: "ended",
      name: "type",
      begins: true,
    })
    expect((await own.call("k_output", { handle, find: "2" })).structuredContent.lines[0]).toEqual({ line: 1, text: "2" })
  })

  test("S33 args, changes and the value as JSON come with its result", async () => {
    const own = await serverFor("value")
    const given = {
      code: "z:1+1 2\nz",
      ...(engine === "embedded" && { code: "z:a+1\nz", args: { a: [1, 2] } }),
      value: true,
      changes: true,
    }
    const { handle } = await told(own, "k_eval", { ...given, background: true })
    const reply = await followed(own, handle)
    expect(reply).toMatchObject({
      ok: true,
      phase: "ended",
      output: expect.stringMatching(/2 3\n?$/),
      value: [2, 3],
      changes: { added: [{ name: ".k.z" }] },
    })
    expect((await own.call("k_output", { handle })).content[0].text).toMatch(/Value: \[2,3\][^]*added \.k\.z/)
  })

  test("S35 waits with a progress token get progress, and end with a cancel", async () => {
    const own = await serverFor("progress")
    const { handle } = await told(own, "k_eval", { code: loop, background: true })
    own.send({
      id: "wait",
      method: "tools/call",
      params: { name: "k_output", arguments: { handle, wait_ms: 600_000 }, _meta: { progressToken: "t" } },
    })
    const progress: any = await own.message((each) => each.method === "notifications/progress")
    expect(progress.params).toMatchObject({
      progressToken: "t",
      message: expect.stringContaining(`${handle} in session progress, ${loop}`),
    })
    own.send({ method: "notifications/cancelled", params: { requestId: "wait" } })
    expect((await told(own, "k_output", { handle })).phase).toBe("running")
    expect(own.messages.filter(({ id }) => id === "wait")).toEqual([])
    await own.call("k_session", { action: "interrupt", name: handle })
  })

  it.skipIf(engine !== "embedded")("S33 the output of a statement is readable while it runs, in whole characters", async () => {
    const own = await serverFor("output")
    const { handle } = await told(own, "k_eval", { code: '`0:"é\\n";while[1;y:1]', background: true })
    expect(await told(own, "k_output", { handle, wait_ms: 60_000 })).toMatchObject({ phase: "running", output: "é\n" })
    await own.call("k_session", { action: "interrupt", name: handle })
  })

  test("S34 is known to the next server, which reports that it was stopped", async () => {
    const state = ["--state-dir", join(scratchFolder(), "state")]
    const before = await begin([...args, ...state])
    await before.call("k_eval", { code: "1+1", background: true })
    await followed(before, "e1")
    await before.call("k_eval", { code: `x:5\n${loop}`, background: true })
    await expect.poll(async () => (await told(before, "k_status", {})).running?.statement).toBe(loop)
    before.process.kill("SIGKILL")
    await before.ended
    const after = await begin([...args, ...state])
    const killed = await after.call("k_output", { handle: "e2" })
    expect(killed).toMatchObject({ isError: true, structuredContent: { ok: false, error: { name: "handle" } } })
    expect(killed.content[0].text).toMatch(
      /e2 ran in session main when the server ended\. It was stopped then and is not run again:\n {2}x:5/,
    )
    expect((await own1(after)).content[0].text).toMatch(
      /e1 ended in an earlier run of the server, in session main:\n {2}1\+1\nCall k_history/,
    )
    expect((await told(after, "k_eval", { code: "1", background: true })).handle).toBe("e3")
    after.process.stdin!.end()
    expect(await after.ended).toEqual({ code: 0, signal: null })
  })

  test("S34 the end of the server stops it, and its assignments are kept", async () => {
    const state = ["--state-dir", join(scratchFolder(), "state")]
    const before = await begin([...args, ...state])
    await before.call("k_eval", { code: "x:5" })
    await expect.poll(async () => (await told(before, "k_status", {})).held).toBe(1)
    await before.call("k_eval", { code: loop, background: true })
    await expect.poll(async () => (await told(before, "k_status", {})).running?.statement).toBe(loop)
    before.process.stdin!.end()
    expect(await before.ended).toEqual({ code: 0, signal: null })
    const after = await begin([...args, ...state])
    expect((await told(after, "k_eval", { code: "x" })).output.trim()).toBe("5")
    expect((await after.call("k_output", { handle: "e1" })).content[0].text).toMatch(/when the server ended/)
  })
})

const own1 = (own: RawServer) => own.call("k_output", { handle: "e1" })

it("S33 K3_BACKGROUND_TIMEOUT is its deadline, named when it passes and when it caps a longer one", async () => {
  const own = await begin(["--engine", "embedded", "--state-dir", "none", "--background-timeout", "300ms"])
  await own.call("k_eval", { code: "1" })
  /** On a busy machine the deadline may pass before the loop begins; the reply says so. */
  const reached = async (n = 1): Promise<any> => {
    await own.call("k_eval", { code: loop, background: true })
    const { error } = await followed(own, `e${n}`)
    return /Nothing of this call ran/.test(error.text) ? reached(n + 1) : error
  }
  expect(await reached()).toMatchObject({
    name: "deadline",
    text: expect.stringMatching(/deadline of 300 ms[^]*Call k_eval with something smaller\.$/),
  })
  // Time enough for a busy machine to answer within it.
  const patient = await begin(["--engine", "embedded", "--state-dir", "none", "--background-timeout", "1m"])
  await patient.call("k_eval", { code: "1", background: true, timeout_ms: 120_000 })
  expect((await followed(patient, "e1")).notice).toMatch(/above the ceiling; 60000 ms was used \(K3_BACKGROUND_TIMEOUT raises it\)/)
})

it("S33 with K3_BACKGROUND_TIMEOUT none there is no deadline", async () => {
  const own = await begin(["--engine", "embedded", "--state-dir", "none", "--background-timeout", "none", "--eval-timeout", "1ms"])
  await own.call("k_eval", { code: "i:0;while[i<300000;i+:1]\ni", background: true })
  expect(await followed(own, "e1")).toMatchObject({ ok: true, output: "300000\n" })
})
