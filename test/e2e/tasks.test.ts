/**
 * S36: background evaluations as tasks (`io.modelcontextprotocol/tasks`, SEP-2663), by raw JSON over stdio and HTTP, for clients with and without
 * the extension, on the built server.
 */
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { headOf, key, metaOf } from "../lib/modernRequest.ts"
import { addToken, ask, changeToken, host, type Hosted } from "./hosted.ts"
import { localToken } from "./listening.ts"
import { type Message, type RawServer, scratchFolder, start } from "./server.ts"
import { shared } from "./shared.ts"

const loop = "while[1;y:1]"
const extension = key("tasks")
const declared = { extensions: { [extension]: {} } }

/** Sends one request over HTTP. */
type Ask = (method: string, params?: object, capabilities?: object) => Promise<Message>

const overStdio = async (own: RawServer): Promise<Ask> => {
  const request: Ask = (method, params = {}, capabilities = declared) =>
    own.request(method, { ...params, _meta: { ...(params as { _meta?: object })._meta, ...metaOf(capabilities) } })
  await request("server/discover")
  return request
}

/** The reply: a single message, or the last one of a stream. */
const messageIn = (text: string): Message => JSON.parse(text.startsWith("{") ? text : text.trim().split("data: ").at(-1)!) as Message

const overHttp =
  (to: Pick<Hosted, "url">, token: string): Ask =>
  async (method, params = {}, capabilities = declared) => {
    const { name, taskId } = params as { readonly name?: string; readonly taskId?: string }
    const { text } = await ask(to, token, { method, params: { ...params, _meta: metaOf(capabilities) } }, headOf(method, name ?? taskId))
    return messageIn(text)
  }

const evaluate = async (request: Ask, args: object, capabilities?: object): Promise<any> =>
  (await request("tools/call", { name: "k_eval", arguments: { background: true, ...args } }, capabilities)).result

const get = async (request: Ask, taskId: string): Promise<any> => (await request("tasks/get", { taskId })).result

const ended = async (request: Ask, taskId: string): Promise<any> => {
  await expect.poll(async () => (await get(request, taskId)).status).not.toBe("working")
  return get(request, taskId)
}

const call = async (request: Ask, name: string, args: object): Promise<any> =>
  (await request("tools/call", { name, arguments: args })).result.structuredContent

const handleOf = ({ taskId }: { readonly taskId: string }): string => taskId.split("-")[0]!

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const form = {
  taskId: expect.stringMatching(/^e\d+-[0-9a-f-]{36}$/),
  createdAt: expect.stringMatching(time),
  lastUpdatedAt: expect.stringMatching(time),
  ttlMs: null,
  pollIntervalMs: 1000,
}

/** The servers of the tests that need no other; each of them has a session or principals of its own. */
const stdio = shared(async () => {
  const own = start(["--engine", "embedded", "--state-dir", "none"])
  return { own, request: await overStdio(own) }
})
const http = shared(() => host())

const wires: readonly (readonly [string, () => Promise<Ask>])[] = [
  ["stdio", async () => (await stdio()).request],
  ["HTTP", async () => overHttp(await http(), localToken((await http()).state))],
]

describe.each(wires)("over %s", (_, open) => {
  it("S36 a task is answered at once, reports its status, and has at its end the result of k_eval", async () => {
    const request = await open()
    const { capabilities } = (await request("server/discover")).result
    expect(capabilities.extensions[extension]).toEqual({})
    const begun = await evaluate(request, { code: '`0:"on\\n"\ni:0;while[i<200000;i+:1]\n!3', value: true, session: "answered" })
    const handle = handleOf(begun)
    expect(begun).toMatchObject({
      ...form,
      resultType: "task",
      status: "working",
      statusMessage: expect.stringContaining(`${handle} runs in the`),
    })
    expect(begun.structuredContent).toBeUndefined()
    const task = await ended(request, begun.taskId)
    expect(task).toMatchObject({
      ...form,
      taskId: begun.taskId,
      createdAt: begun.createdAt,
      resultType: "complete",
      status: "completed",
      statusMessage: expect.stringMatching(new RegExp(`^${handle} has ended in session answered after`)),
      result: {
        content: [{ type: "text", text: "on\n0 1 2\nValue: [0,1,2]" }],
        structuredContent: { ok: true, output: "on\n0 1 2\n", value: [0, 1, 2], generation: 1 },
      },
    })
    expect(task.result.isError).toBeUndefined()
    expect(Date.parse(task.lastUpdatedAt)).toBeGreaterThan(Date.parse(task.createdAt))
    // The task is the evaluation of the handle.
    expect(await call(request, "k_output", { handle })).toMatchObject({ phase: "ended", output: "on\n0 1 2\n", value: [0, 1, 2] })
  })

  it("S36 an error of K, and a deadline, are completed tasks", async () => {
    const request = await open()
    const wrong = await ended(request, (await evaluate(request, { code: "1+`a", session: "wrong" })).taskId)
    expect(wrong).toMatchObject({ status: "completed", result: { structuredContent: { ok: false, error: { name: "type" } } } })
    expect(wrong.result.isError).toBeUndefined()
    const late = await ended(request, (await evaluate(request, { code: loop, timeout_ms: 300, session: "wrong" })).taskId)
    expect(late).toMatchObject({ status: "completed", result: { isError: true, structuredContent: { error: { name: "deadline" } } } })
  })

  it("S36 a cancel stops a running or waiting task, as k_session interrupt does; an ended task does not change", async () => {
    const request = await open()
    const session = "cancelled"
    const first = await evaluate(request, { code: loop, session })
    const second = await evaluate(request, { code: "x:6", session })
    expect((await get(request, second.taskId)).statusMessage).toMatch(/^e\d+ has waited for its turn in session cancelled for/)
    expect((await request("tasks/cancel", { taskId: second.taskId })).result).toEqual({
      resultType: "complete",
      ...((await request("tasks/get", { taskId: first.taskId })).result._meta && { _meta: expect.anything() }),
    })
    expect(await ended(request, second.taskId)).toMatchObject({
      status: "cancelled",
      statusMessage: expect.stringMatching(/^Stopped on request before any statement had begun/),
    })
    expect((await get(request, first.taskId)).status).toBe("working")
    await call(request, "k_session", { action: "interrupt", name: handleOf(first) })
    const stopped = await ended(request, first.taskId)
    expect(stopped.status).toBe("cancelled")
    expect(stopped.result).toBeUndefined()
    expect((await request("tasks/cancel", { taskId: first.taskId })).result.resultType).toBe("complete")
    expect(await get(request, first.taskId)).toEqual(stopped)
    expect(await call(request, "k_eval", { code: "1+1", session })).toMatchObject({ output: "2\n" })
  })

  it("S36 the end of its session ends a task", async () => {
    const request = await open()
    const { taskId } = await evaluate(request, { code: loop, session: "a" })
    await call(request, "k_session", { action: "close", name: "a" })
    expect(await ended(request, taskId)).toMatchObject({ status: "completed", result: { isError: true } })
  })

  it("S36 a request that does not declare tasks gets a handle, and cannot use the methods of tasks", async () => {
    const request = await open()
    const session = "undeclared"
    for (const capabilities of [{}, { extensions: {} }, { tasks: {} }]) {
      const plain = await evaluate(request, { code: "1+1", session }, capabilities)
      expect(plain).toMatchObject({ resultType: "complete", structuredContent: { ok: true, handle: expect.stringMatching(/^e\d+$/) } })
      expect(plain.taskId).toBeUndefined()
    }
    // Each request must declare the extension; an earlier declaration does not count.
    const { taskId } = await evaluate(request, { code: "1+1", session })
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
      expect((await request(method, { taskId }, {})).error).toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: declared },
      })
    // Calls other than background evaluations are no tasks.
    expect((await request("tools/call", { name: "k_eval", arguments: { code: "1+1", session } })).result).toMatchObject({
      resultType: "complete",
      structuredContent: { output: "2\n" },
    })
    const { error } = (await evaluate(request, { code: "1", args: { "0": 1 }, session })).structuredContent
    expect(error).toBeDefined()
  })

  it("S36 an unknown task is refused with a sentence; an update changes nothing, since no task asks for input", async () => {
    const request = await open()
    const { taskId } = await evaluate(request, { code: loop, session: "unknown" })
    for (const [method, params] of [
      ["tasks/get", { taskId: "e1" }],
      ["tasks/get", { taskId: `${taskId}0` }],
      ["tasks/cancel", { taskId: `e1-${"0".repeat(36)}` }],
      ["tasks/update", { taskId: "e9-x", inputResponses: {} }],
      ["tasks/get", { taskId: "__proto__" }],
      ["tasks/get", {}],
      ["tasks/get", { taskId: 1 }],
    ] as const) {
      const { error } = await request(method, params)
      expect(error).toMatchObject({ code: -32_602, message: expect.stringMatching(/There is no task|taskId must be a text/) })
    }
    expect((await request("tasks/update", { taskId, inputResponses: { a: { action: "accept" } } })).result).toMatchObject({
      resultType: "complete",
    })
    expect((await get(request, taskId)).status).toBe("working")
    expect((await request("tasks/list")).error?.code).toBe(-32_601)
    expect((await request("tasks/result", { taskId })).error?.code).toBe(-32_601)
    await request("tasks/cancel", { taskId })
  })
})

it("S36 a client of the legacy era gets a handle, whatever it declares, and has no methods of tasks", async () => {
  const own = start(["--engine", "embedded", "--state-dir", "none"])
  const { result } = await own.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: declared,
    clientInfo: { name: "raw", version: "1" },
  })
  expect(result.capabilities.extensions[extension]).toBeUndefined()
  own.send({ method: "notifications/initialized" })
  expect((await own.call("k_eval", { code: "1", background: true })).structuredContent.handle).toBe("e1")
  expect((await own.request("tasks/get", { taskId: "e1" })).error?.code).toBe(-32_601)
})

it("S36 the next server knows a task of an earlier one: its status is failed, with the reason", async () => {
  const state = ["--engine", "embedded", "--state-dir", join(scratchFolder(), "state")]
  const own = start(state)
  const before = await overStdio(own)
  const done = await evaluate(before, { code: "1+1" })
  await ended(before, done.taskId)
  const under = await evaluate(before, { code: loop })
  await expect.poll(async () => (await call(before, "k_status", {})).running?.statement).toBe(loop)
  own.process.kill("SIGKILL")
  await own.ended
  const after = await overStdio(start(state))
  expect(await get(after, under.taskId)).toMatchObject({
    taskId: under.taskId,
    createdAt: under.createdAt,
    status: "failed",
    error: { code: -32_603, message: expect.stringMatching(/^e2 ran in session main when the server ended. It was stopped then/) },
  })
  expect(await get(after, done.taskId)).toMatchObject({
    status: "failed",
    error: { message: expect.stringMatching(/^e1 ended in an earlier run of the server[^]*k_history/) },
  })
  expect((await after("tasks/cancel", { taskId: under.taskId })).result.resultType).toBe("complete")
  expect((await after("tasks/get", { taskId: `e2-${"0".repeat(36)}` })).error?.code).toBe(-32_602)
})

it("S36 N12 a task is invisible to another principal; a read-only token sees it and cannot stop it; it goes on after its token is removed", async () => {
  const to = await http()
  const token = addToken(to.state, "anna")
  const anna = overHttp(to, token)
  const viewer = overHttp(to, addToken(to.state, "anna-view", "--as", "anna", "--read-only"))
  const bert = overHttp(to, addToken(to.state, "bert"))
  const { taskId } = await evaluate(anna, { code: loop })
  const other = await evaluate(bert, { code: loop })
  for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
    expect((await bert(method, { taskId })).error?.message).toMatch(/There is no task/)
  expect((await get(viewer, taskId)).status).toBe("working")
  expect((await viewer("tasks/cancel", { taskId })).error?.message).toMatch(/This token is read-only/)
  expect((await evaluate(viewer, { code: "1" })).structuredContent.error.name).toBe("read-only")
  changeToken(to.state, "remove", "anna")
  expect((await ask(to, token, { method: "tasks/get", params: { taskId } })).status).toBe(401)
  const again = overHttp(to, addToken(to.state, "anna"))
  expect((await get(again, taskId)).status).toBe("working")
  await again("tasks/cancel", { taskId })
  expect((await get(again, taskId)).status).toBe("cancelled")
  await bert("tasks/cancel", { taskId: other.taskId })
})

const listening = (taskIds: readonly string[], capabilities: object = declared, more: object = {}) => ({
  method: "subscriptions/listen",
  params: { notifications: { taskIds, ...more }, _meta: metaOf(capabilities) },
})

describe("S36 listening", () => {
  it("over stdio notifies each listener once of the end of each named task, with the fields of tasks/get", async () => {
    const { own, request } = await stdio()
    const session = "listened"
    const { taskId } = await evaluate(request, { code: loop, session })
    const waits = await evaluate(request, { code: "1+1", session })
    own.send({ id: "a", ...listening([taskId, "e9-none", waits.taskId], declared, { toolsListChanged: true }) })
    own.send({ id: "b", ...listening([taskId]) })
    const of = (id: string) => own.messages.filter(({ params }: any) => params?._meta?.[key("subscriptionId")] === id)
    await expect.poll(() => [of("a").length, of("b").length]).toEqual([1, 1])
    expect(of("a")[0]).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { taskIds: [taskId, waits.taskId], toolsListChanged: true } },
    })
    expect((of("a")[0] as any).params.notifications.resourceSubscriptions).toBeUndefined()
    await request("tasks/cancel", { taskId })
    await expect.poll(() => [of("a").length, of("b").length]).toEqual([3, 2])
    const { resultType: _, _meta: __, ...cancelled } = await get(request, taskId)
    expect(of("b")[1]).toMatchObject({ method: "notifications/tasks", params: cancelled })
    expect((of("b")[1] as any).params.uri).toBeUndefined()
    expect(of("a").map(({ params }: any) => params.status)).toEqual([undefined, "cancelled", "completed"])
    expect((of("a")[2] as any).params.result.structuredContent.output).toBe("2\n")
    // An ended task is notified at once; a cancelled request gets no notification.
    own.send({ id: "c", ...listening([taskId]) })
    await expect.poll(() => of("c").length).toBe(2)
    own.send({ method: "notifications/cancelled", params: { requestId: "b" } })
    own.send({ id: "d", ...listening([taskId], {}) })
    expect((await own.message(({ id }) => id === "d")).error).toMatchObject({ code: -32_021, data: { requiredCapabilities: declared } })
    expect(of("b")).toHaveLength(2)
  })

  it("over HTTP notifies on the stream, and not another principal", async () => {
    const to = await http()
    const [anna, bert] = ["listener", "other-listener"].map((name) => addToken(to.state, name)) as [string, string]
    const request = overHttp(to, anna)
    const { taskId } = await evaluate(request, { code: loop })
    const listen = async (token: string, message: object) => {
      const reply = await fetch(to.url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headOf("subscriptions/listen"),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
      })
      const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
      onTestFinished(() => reader.cancel().catch(() => {}))
      let held = ""
      /** The next message, from a stream or a single response. */
      const next = async (): Promise<any> => {
        for (;;) {
          const end = held.indexOf("\n\n")
          const frame = held.slice(0, end)
          if (end >= 0) held = held.slice(end + 2)
          if (end >= 0 && frame.includes("data: ")) return messageIn(frame)
          if (end >= 0) continue
          const { done, value } = await reader.read()
          if (done) return JSON.parse(held)
          held += value
        }
      }
      return { status: reply.status, next }
    }
    const stream = await listen(anna, listening([taskId]))
    expect((await stream.next()).params.notifications).toEqual({ taskIds: [taskId] })
    // The other principal has no such task, so its stream ends.
    expect((await (await listen(bert, listening([taskId]))).next()).params.notifications).toEqual({})
    const undeclared = await listen(anna, listening([taskId], {}))
    expect([undeclared.status, (await undeclared.next()).error.code]).toEqual([400, -32_021])
    await request("tasks/cancel", { taskId })
    expect(await stream.next()).toMatchObject({
      method: "notifications/tasks",
      params: { taskId, status: "cancelled", _meta: { [key("subscriptionId")]: 1 } },
    })
  })
})
