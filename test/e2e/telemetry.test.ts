/** N15 the data that an OpenTelemetry collector gets, and that nothing is sent without a collector, on the built server. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Collector, collector, type Span } from "../lib/collector.ts"
import { headOf, key, metaOf } from "../lib/modernRequest.ts"
import { at } from "../lib/protobuf.ts"
import { addToken, ask, auto, callTool, connect, host } from "./hosted.ts"
import { addressOf, localToken } from "./listening.ts"
import { scratchFolder, start } from "./server.ts"

const loop = "while[1;secretname:1]"

const sending = (url: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_HEADERS: "x-key=open%20sesame",
  OTEL_BSP_SCHEDULE_DELAY: "100",
  OTEL_BLRP_SCHEDULE_DELAY: "100",
  OTEL_METRIC_EXPORT_INTERVAL: "200",
  ...more,
})

const open = async (environment: NodeJS.ProcessEnv, args: readonly string[] = []) => {
  const own = start(["--engine", "embedded", ...args], environment)
  await own.initialize()
  return own
}

const rootsOf = (to: Collector): readonly Span[] => to.spans().filter(({ name }) => name.startsWith("tools/call"))
const childrenOf = (to: Collector, { spanId }: Span): readonly Span[] => to.spans().filter(({ parentSpanId }) => parentSpanId === spanId)
const named = (all: readonly Span[], name: string): Span => {
  const found = all.find((each) => each.name === name)
  expect(found, `${name} among ${all.map((each) => each.name).join(", ")}`).toBeDefined()
  return found!
}

describe("N15 telemetry", () => {
  it("of a call has a span for the tool, the evaluation, its waiting, the launch, each statement and the capture, in the client's trace", async () => {
    const to = await collector()
    const own = await open(sending(to.url, { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test" }))
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    await own.request("tools/call", {
      name: "k_eval",
      arguments: { code: "secretname:41\nsecretname+1" },
      _meta: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
    })
    await expect.poll(() => to.spans().filter(({ name }) => name === "capture").length, { timeout: 10_000 }).toBeGreaterThan(0)
    await expect.poll(() => rootsOf(to).length, { timeout: 10_000 }).toBe(1)
    const [root] = rootsOf(to)
    expect(root).toMatchObject({
      name: "tools/call k_eval",
      traceId: trace,
      parentSpanId: "00f067aa0ba902b7",
      kind: 2,
      status: { code: 1 },
    })
    expect(Object.fromEntries(root!.attributes)).toMatchObject({
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "k_eval",
      "k3.caller": "agent",
    })
    const evaluate = named(childrenOf(to, root!), "evaluate")
    expect(Object.fromEntries(evaluate.attributes)).toMatchObject({ "k3.session": "main", "k3.outcome": "ok" })
    const parts = childrenOf(to, evaluate)
    expect(new Set(parts.map(({ name }) => name))).toEqual(new Set(["queue", "launch", "statement", "capture"]))
    const statements = parts.filter(({ name }) => name === "statement")
    expect(new Set(statements.map(({ attributes }) => Number(attributes.get("k3.statement.number"))))).toEqual(new Set([1, 2]))
    expect(statements).toHaveLength(2)
    for (const { traceId, startTimeUnixNano, endTimeUnixNano } of to.spans()) {
      expect(traceId).toBe(trace)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
    }
    expect(Object.fromEntries(to.resource())).toMatchObject({ "service.name": "k3-mcp", "deployment.environment": "test" })
    expect(to.requests.every(({ headers }) => headers["x-key"] === "open sesame")).toBe(true)
  })

  it("counts evaluations by outcome, interpreters, sessions and waiting evaluations; holds no K code", async () => {
    const to = await collector()
    const own = await open(sending(to.url))
    await own.call("k_eval", { code: "secretname:1" })
    await own.call("k_eval", { code: "secretname+`a" })
    await own.call("k_eval", { code: loop, timeout_ms: 200 })
    await own.call("k_eval", { code: "nosuchsecretname\n1", session: "other" })
    const { pid } = (await own.call("k_status")).structuredContent
    process.kill(pid, "SIGKILL")
    await expect.poll(async () => (await own.call("k_status")).structuredContent.pid).not.toBe(pid)
    own.send({ id: "long", method: "tools/call", params: { name: "k_eval", arguments: { code: loop } } })
    await expect.poll(async () => (await own.call("k_status")).structuredContent.running?.statement).toBe(loop)
    own.send({ id: "waits", method: "tools/call", params: { name: "k_eval", arguments: { code: "secretname" } } })
    const value = (name: string, outcome?: string): number | undefined =>
      to.points().find((each) => each.name === name && (outcome === undefined || each.attributes.get("k3.outcome") === outcome))?.value
    // All at once: an evaluation also waits while the first interpreter is launched, and an export holds the gauges of the last sample.
    const inAll = ["k3.queue.length", "k3.sessions", "k3.launches", "k3.crashes"]
    await expect.poll(() => inAll.map((name) => value(name)), { timeout: 30_000 }).toEqual([1, 2, 3, 1])
    expect([value("k3.evaluations", "ok"), value("k3.evaluations", "k error"), value("k3.evaluations", "DeadlineExceeded")]).toEqual([
      1, 2, 1,
    ])
    expect(value("k3.evaluation.duration", "DeadlineExceeded")).toBe(1)
    expect(value("k3.children.memory")).toBeGreaterThan(2 ** 20)
    expect(value("process.memory.usage")).toBeGreaterThan(2 ** 20)
    expect(Object.fromEntries(to.points().map(({ name, unit }) => [name, unit]))).toEqual({
      "k3.evaluations": "{evaluation}",
      "k3.evaluation.duration": "s",
      "k3.launches": "{interpreter}",
      "k3.crashes": "{interpreter}",
      "k3.sessions": "{session}",
      "k3.queue.length": "{evaluation}",
      "k3.children.memory": "By",
      "process.memory.usage": "By",
    })
    await expect.poll(() => to.logs().some((line) => /launched, pid/.test(line))).toBe(true)
    const late = to.spans().find(({ attributes }) => attributes.get("k3.outcome") === "DeadlineExceeded")
    expect(late).toMatchObject({ name: "evaluate", status: { code: 2, message: "DeadlineExceeded" } })
    own.process.stdin!.end()
    await own.ended
    expect(to.requests.map(({ text }) => text).join("\n")).not.toContain("secretname")
  })

  it("of a task has a span for each request about it, in the client's trace, and its evaluation is counted", async () => {
    const to = await collector()
    const server = await host([], { environment: sending(to.url) })
    const token = addToken(server.state, "anna")
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    const _meta = {
      ...metaOf({ extensions: { [key("tasks")]: {} } }),
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    }
    const request = async (method: string, name: string, params: object): Promise<any> => {
      const { text } = await ask(server, token, { method, params: { ...params, _meta } }, headOf(method, name))
      // A late answer is an event.
      return JSON.parse(/\{.*\}/.exec(text)![0])
    }
    const { result } = await request("tools/call", "k_eval", { name: "k_eval", arguments: { code: loop, background: true } })
    const { taskId } = result
    expect((await request("tasks/get", taskId, { taskId })).result.status).toBe("working")
    expect((await request("tasks/cancel", taskId, { taskId })).error).toBeUndefined()
    expect((await request("tasks/get", "none", { taskId: "none" })).error.code).toBe(-32602)
    const ofTasks = (): readonly Span[] => to.spans().filter(({ name }) => name.startsWith("tasks/"))
    await expect.poll(() => ofTasks().map(({ name }) => name), { timeout: 10_000 }).toEqual(["tasks/get", "tasks/cancel", "tasks/get"])
    for (const span of ofTasks()) {
      expect(span).toMatchObject({ traceId: trace, parentSpanId: "00f067aa0ba902b7", kind: 2 })
      expect(Object.fromEntries(span.attributes)).toMatchObject({ "mcp.method.name": span.name, "k3.caller": "anna" })
    }
    expect(ofTasks().map(({ attributes }) => attributes.get("error.type"))).toEqual([undefined, undefined, "-32602"])
    expect(rootsOf(to).map(({ name }) => name)).toEqual(["tools/call k_eval"])
    const stopped = () =>
      to.points().find(({ name, attributes }) => name === "k3.evaluations" && attributes.get("k3.outcome") === "EvaluationStopped")
    await expect.poll(() => stopped()?.value, { timeout: 10_000 }).toBe(1)
  })

  it("counts an interpreter that the server had to end", async () => {
    const to = await collector()
    const own = await open(sending(to.url))
    await own.call("k_eval", { code: "1" })
    const { pid } = (await own.call("k_status")).structuredContent
    own.send({ id: "long", method: "tools/call", params: { name: "k_eval", arguments: { code: loop } } })
    await expect.poll(async () => (await own.call("k_status")).structuredContent.running?.statement).toBe(loop)
    // The stopped child does not react to an interrupt.
    process.kill(pid, "SIGSTOP")
    await own.call("k_session", { action: "interrupt", name: "main" })
    const value = (name: string) => to.points().find((each) => each.name === name)?.value
    await expect.poll(() => value("k3.kills"), { timeout: 20_000 }).toBe(1)
    expect([value("k3.crashes"), value("k3.evaluations")]).toEqual([undefined, 1])
  })

  it("is sent as protobuf by default, with the same spans, metrics and logs", async () => {
    const to = await collector()
    const own = await open(sending(to.url, { OTEL_EXPORTER_OTLP_PROTOCOL: "" }))
    await own.call("k_eval", { code: "secretname:1" })
    own.process.stdin!.end()
    expect(await own.ended).toMatchObject({ code: 0 })
    const sent = (path: string, fields: readonly number[]): readonly string[] =>
      to.requests
        .filter((each) => each.path === path)
        .flatMap(({ bytes, headers }) => {
          expect(headers["content-type"]).toBe("application/x-protobuf")
          return at(bytes, fields)
        })
        .map((value) => Buffer.from(value as Uint8Array).toString())
    // For each signal the field numbers: resource, scope, the span, metric or record, its name or body.
    expect(sent("/v1/traces", [1, 2, 2, 5])).toEqual(
      expect.arrayContaining(["tools/call k_eval", "evaluate", "queue", "launch", "statement"]),
    )
    expect(sent("/v1/metrics", [1, 2, 2, 1])).toEqual(expect.arrayContaining(["k3.evaluations", "k3.launches", "k3.sessions"]))
    expect(sent("/v1/logs", [1, 2, 2, 5, 1]).join("\n")).toMatch(/launched, pid/)
    expect(sent("/v1/traces", [1, 1, 1, 2, 1])).toContain("k3-mcp")
    expect(to.requests.every(({ bytes }) => !bytes.includes("secretname"))).toBe(true)
  })

  it("has no spans for a call whose client does not sample its trace, and a new trace for a call with an invalid traceparent", async () => {
    const to = await collector()
    const own = await open(sending(to.url))
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    const call = (code: string, traceparent: unknown) =>
      own.request("tools/call", { name: "k_eval", arguments: { code }, _meta: { traceparent } })
    expect((await call("6*7", `00-${trace}-00f067aa0ba902b7-00`)).result.structuredContent.output).toBe("42\n")
    for (const wrong of [
      `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
      `ff-${trace}-00f067aa0ba902b7-01`,
      `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
      `00-${trace}-00f067aa0ba902b7-01-more`.slice(0, -10),
      7,
      null,
      [`00-${trace}-00f067aa0ba902b7-01`],
    ])
      await call("1", wrong)
    own.process.stdin!.end()
    await own.ended
    expect(rootsOf(to)).toHaveLength(7)
    expect(to.spans().filter(({ traceId }) => traceId === trace)).toEqual([])
    expect(new Set(rootsOf(to).map(({ traceId }) => traceId)).size).toBe(7)
    // Metrics count these calls too.
    expect(to.points().find(({ name }) => name === "k3.evaluations")?.value).toBe(8)
  })

  it("has K code only where K3_TELEMETRY_CODE allows it, and never a token", async () => {
    const to = await collector()
    const state = join(scratchFolder(), "state")
    const own = await open(sending(to.url, { K3_TELEMETRY_CODE: "1" }), ["--state-dir", state, "--listen", "127.0.0.1:0"])
    await own.call("k_status")
    const url = await addressOf(own)
    const token = localToken(state)
    const client = await connect({ url }, token, auto)
    expect(await callTool(client, "k_eval", { code: "6*7" })).toMatchObject({ output: "42\n" })
    await expect.poll(() => to.spans().map(({ attributes }) => attributes.get("k3.statement.code")), { timeout: 10_000 }).toContain("6*7")
    own.process.stdin!.end()
    await own.ended
    expect(to.requests.map(({ text }) => text).join("\n")).not.toContain(token)
  })

  it("is flushed at the end, and is not sent without a collector", async () => {
    const to = await collector()
    const own = await open(sending(to.url, { OTEL_BSP_SCHEDULE_DELAY: "3600000" }))
    await own.call("k_eval", { code: "1" })
    own.process.stdin!.end()
    expect(await own.ended).toMatchObject({ code: 0 })
    expect(rootsOf(to)).toHaveLength(1)
    const quiet = await collector()
    const off = await open(sending(quiet.url, { OTEL_SDK_DISABLED: "true" }))
    await off.call("k_eval", { code: "1" })
    off.process.stdin!.end()
    await off.ended
    expect(quiet.requests).toEqual([])
  })

  it("to an absent or silent collector, or with invalid variables, fails no call and does not delay the end", async () => {
    const mute = await collector(false)
    for (const environment of [
      sending("http://127.0.0.1:1"),
      sending(mute.url),
      sending("no address"),
      sending(mute.url, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }),
      sending(mute.url, { OTEL_BSP_SCHEDULE_DELAY: "soon" }),
    ]) {
      const own = await open(environment)
      for (let n = 0; n < 20; n++)
        expect((await own.call("k_eval", { code: `${n}+1` })).structuredContent).toMatchObject({ output: `${n + 1}\n` })
      own.process.stdin!.end()
      expect(await own.ended).toMatchObject({ code: 0 })
    }
  })
})
