/**
 * The transport alone: its own answers, its output, its end.
 *
 * M2 every request gets an answer, and only protocol messages are written.
 * M8 the end of either stream is an orderly end.
 * M11 replies are written whole, in order, and no faster than they are read.
 */
import * as fc from "fast-check"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { connect } from "../../src/mcp/connection.ts"
import { StdioTransport } from "../../src/mcp/StdioTransport.ts"
import { Pipe } from "./pipe.ts"

const start = (limit?: number) => {
  const pipe = new Pipe()
  let giveUp = (): void => {}
  const transport = new StdioTransport(
    pipe.streams,
    (callback) => {
      giveUp = callback
    },
    limit,
  )
  const received: any[] = []
  const ends: string[] = []
  Object.assign(transport, { onmessage: (message: unknown) => received.push(message), onclose: () => ends.push("closed") })
  void transport.start()
  return { pipe, transport, received, ends, giveUp: () => giveUp() }
}

const framed = (message: object): string => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message })
  return `Content-Length: ${new TextEncoder().encode(body).length}\r\n\r\n${body}`
}

describe("M2: a bad message gets an error, with the message's id if it has one", () => {
  it.each([
    ["no JSON", "{nonsense", { code: -32700 }],
    ["a word", "hello", { code: -32700 }],
    ["a number", "42", { code: -32600 }],
    ["null", "null", { code: -32600 }],
    ["a text", '"ping"', { code: -32600 }],
    ["nothing in it", "{}", { code: -32600 }],
    ["id null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', { code: -32600 }],
    ["id an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', { code: -32600 }],
    ["id a fraction", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', { code: -32600 }],
    ["no method", '{"jsonrpc":"2.0","id":7,"metho":"ping"}', { code: -32600, id: 7 }],
    ["method a number", '{"jsonrpc":"2.0","id":"a","method":3}', { code: -32600, id: "a" }],
    ["no version", '{"id":7,"method":"ping"}', { code: -32600, id: 7 }],
    ["another version", '{"jsonrpc":"1.0","id":7,"method":"ping"}', { code: -32600, id: 7 }],
    ["params a list", '{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', { code: -32600, id: 7 }],
    ["params._meta a text", '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":"x"}}', { code: -32600, id: 7 }],
    ["a token that is none", '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"progressToken":{}}}}', { code: -32600, id: 7 }],
    [
      "a related task of 5",
      '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/related-task":5}}}',
      { code: -32600, id: 7 },
    ],
    [
      "a related task of {}",
      '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/related-task":{}}}}',
      { code: -32600, id: 7 },
    ],
    [
      'a related task of {"taskId":5}',
      '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":5}}}}',
      { code: -32600, id: 7 },
    ],
    ["an unknown key", '{"jsonrpc":"2.0","id":7,"method":"ping","extra":1}', { code: -32600, id: 7 }],
    ["an empty batch", "[]", { code: -32600 }],
    ["a batch of notifications", '[{"jsonrpc":"2.0","method":"x"}]', { code: -32600 }],
    ["headers without a length", "Content-Type: text/plain\r\n\r", { code: -32700 }],
  ])("%s", (_, line, { code, ...id }) => {
    const { pipe, received } = start()
    pipe.push(`${line}\n`)
    const [reply, ...more] = pipe.messages
    expect(reply).toMatchObject({ jsonrpc: "2.0", error: { code } })
    expect("id" in reply ? { id: reply.id } : {}).toEqual(id)
    expect(more).toEqual([])
    expect(received).toEqual([])
  })

  it.each([
    ["tools/list", { cursor: 5 }, "params.cursor"],
    ["resources/list", { cursor: {} }, "params.cursor"],
    ["resources/templates/list", { cursor: "" }, "params.cursor is none of this server"],
    ["prompts/list", { cursor: "2" }, "params.cursor is none of this server"],
    ["resources/read", { uri: 5 }, "params.uri"],
    ["resources/subscribe", {}, "params.uri"],
    ["prompts/get", { name: 5 }, "params.name"],
    ["tools/call", undefined, "params.name"],
    ["tools/call", { name: 5 }, "params.name"],
    ["tools/call", { name: "k_eval", arguments: "1+1" }, "params.arguments must be an object"],
    ["prompts/get", { name: "quick-start", arguments: { a: 5 } }, "params.arguments"],
    ["completion/complete", {}, "params.ref"],
    ["completion/complete", { ref: { type: "ref/resource" } }, "params.ref"],
    ["completion/complete", { ref: { type: "ref/prompt", name: "x" }, argument: { name: "y" } }, "params.argument.value"],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "x" }, argument: { name: "y", value: "" }, context: { arguments: { a: 1 } } },
      "params.context",
    ],
    ["initialize", {}, "params.protocolVersion"],
    ["initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x" } }, "params.clientInfo.version"],
  ])("%s with %j names the wrong parameter", (method, params, named) => {
    const { pipe, received } = start()
    pipe.push(`${JSON.stringify({ jsonrpc: "2.0", id: 7, method, params })}\n`)
    expect(pipe.messages).toMatchObject([{ id: 7, error: { code: -32602, message: expect.stringContaining(named) } }])
    expect(received).toEqual([])
  })

  it.each(["initialize", "resources/subscribe", "resources/unsubscribe"])(
    "%s of the modern era is left to the SDK, which has no such method",
    (method) => {
      const { pipe, received } = start()
      const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
      pipe.push(`${JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { _meta } })}\n`)
      expect(pipe.messages).toEqual([])
      expect(received).toHaveLength(1)
    },
  )

  it("answers every request of a batch", () => {
    const { pipe } = start()
    pipe.push('[{"jsonrpc":"2.0","id":1,"method":"ping"},3,{"jsonrpc":"2.0","id":"b","method":"ping"}]\n')
    expect(pipe.messages.map(({ id, error }) => [id, error.code])).toEqual([
      [1, -32600],
      ["b", -32600],
    ])
  })

  it("names the unknown key", () => {
    const { pipe } = start()
    pipe.push('{"jsonrpc":"2.0","id":7,"method":"ping","extra":1}\n')
    expect(pipe.messages[0].error.message).toContain('"extra"')
  })

  it("names the size limit, and reads the next message", () => {
    const { pipe, received } = start(1000)
    pipe.push(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(2000) })}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n`)
    expect(pipe.messages[0].error).toMatchObject({ code: -32600, message: expect.stringContaining("1000 bytes") })
    expect(received).toEqual([{ jsonrpc: "2.0", id: 2, method: "ping" }])
  })

  it("accepts messages of 64 MiB, and names this limit", () => {
    const { pipe, received } = start()
    const chunk = new Uint8Array(1024 * 1024).fill(32)
    pipe.push('{"jsonrpc":"2.0","id":1,"method":"x"')
    for (let mebibyte = 0; mebibyte < 63; mebibyte++) pipe.push(chunk)
    pipe.push("}\n")
    expect(received.length).toBe(1)
    pipe.push('{"jsonrpc":"2.0","id":2,"method":"x"')
    for (let mebibyte = 0; mebibyte < 64; mebibyte++) pipe.push(chunk)
    pipe.push("}\n")
    expect(received.length).toBe(1)
    expect(pipe.messages[0].error.message).toContain("64 MiB")
  })

  it("does not answer replies, good or bad", () => {
    const { pipe, received } = start()
    const good = { jsonrpc: "2.0", id: 1, result: {} }
    pipe.push(`${JSON.stringify(good)}\n{"jsonrpc":"2.0","result":3}\n{"error":{}}\n`)
    expect(pipe.written).toBe("")
    expect(received).toEqual([good])
  })

  it("never throws, and passes on only well-formed messages, whatever the JSON", () => {
    const field = fc.constantFrom("jsonrpc", "id", "method", "params", "result", "error", "_meta", "x")
    const value = fc.oneof(fc.constant("2.0"), fc.string(), fc.integer(), fc.double(), fc.constant(null), fc.object({ maxDepth: 1 }))
    fc.assert(
      fc.property(fc.array(fc.tuple(field, value)), (entries) => {
        const { pipe, received } = start()
        pipe.push(`${JSON.stringify(Object.fromEntries(entries))}\n`)
        for (const each of received) expect(each.jsonrpc).toBe("2.0")
        const asks = "method" in Object.fromEntries(entries)
        if (asks) expect(received.length + pipe.messages.length).toBe(1)
      }),
    )
  })
})

describe("framing", () => {
  it("M9: answers each request in its own framing, in any order", async () => {
    const { pipe, transport } = start()
    pipe.push(framed({ id: 1, method: "a" }))
    pipe.push('{"jsonrpc":"2.0","id":2,"method":"b"}\n')
    pipe.push(framed({ id: 3, method: "c" }))
    await transport.send({ jsonrpc: "2.0", id: 2, result: { é: 1 } })
    await transport.send({ jsonrpc: "2.0", method: "notifications/progress", params: {} }, { relatedRequestId: 1 })
    await transport.send({ jsonrpc: "2.0", id: 3, result: { é: 1 } })
    await transport.send({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } })
    expect(pipe.written).toBe(
      '{"jsonrpc":"2.0","id":2,"result":{"é":1}}\n' +
        framed({ method: "notifications/progress", params: {} }) +
        framed({ id: 3, result: { é: 1 } }) +
        framed({ id: 1, error: { code: 1, message: "no" } }),
    )
  })

  it("M9: reports a bad frame in the framing of that frame", () => {
    const { pipe } = start()
    pipe.push("Content-Length: 5\r\n\r\n{bad}")
    expect(pipe.written).toMatch(/^Content-Length: \d+\r\n\r\n\{.*-32700.*\}$/s)
  })
})

const reply = (id: number) => ({ jsonrpc: "2.0" as const, id, result: {} })

describe("M11: writing", () => {
  it("waits for a full output to drain, and keeps the order", async () => {
    const { pipe, transport } = start()
    pipe.accepts = false
    for (const id of [1, 2, 3]) await transport.send(reply(id))
    expect(pipe.messages.map(({ id }) => id)).toEqual([1])
    pipe.drain()
    expect(pipe.messages.map(({ id }) => id)).toEqual([1, 2, 3])
  })

  it("writes texts that every client can read: half of a surrogate pair becomes U+FFFD", async () => {
    const { pipe, transport } = start()
    const many = `${"\\".repeat(100_000)}ud83d`
    const result = { halves: "a\ud83d b\ude00", whole: "😀", escape: "\\ud83d", behindBackslash: "\\\ud83d", many }
    await transport.send({ jsonrpc: "2.0", id: 1, result })
    expect(pipe.messages[0].result).toEqual({ ...result, halves: "a\ufffd b\ufffd", behindBackslash: "\\\ufffd" })
  })

  it("writes no more than one message per drain when each fills the output", async () => {
    const { pipe, transport } = start()
    pipe.accepts = false
    for (const id of [1, 2, 3]) await transport.send(reply(id))
    const counts = []
    for (let drains = 0; drains < 3; drains++) {
      pipe.drainOnce()
      counts.push(pipe.messages.length)
    }
    expect(counts).toEqual([2, 3, 3])
  })

  it("stops reading while much output waits, and goes on afterwards", async () => {
    const { pipe, transport } = start()
    pipe.accepts = false
    const big = { jsonrpc: "2.0" as const, id: 1, result: { x: "y".repeat(9_000_000) } }
    await transport.send(big)
    await transport.send(big)
    expect(pipe.pauses).toBe(0)
    await transport.send(big)
    expect(pipe.pauses).toBe(1)
    pipe.drain()
    expect(pipe.resumes).toBe(1)
  })
})

describe("M8: the end", () => {
  it("of input is reported once, also in the middle of a frame", async () => {
    const { pipe, transport, ends, received } = start()
    pipe.push('{"jsonrpc":"2.0","id":9,"method":"pi')
    pipe.end()
    pipe.end()
    await transport.over
    expect(ends).toEqual(["closed"])
    pipe.push('ng"}\n')
    expect(received).toEqual([])
  })

  it("of input ends the last line: a request without a newline is answered", async () => {
    const { pipe, transport, ends, received } = start()
    pipe.push('{"jsonrpc":"2.0","id":1,"method":"a"}')
    pipe.end()
    expect(received).toEqual([{ jsonrpc: "2.0", id: 1, method: "a" }])
    expect(ends).toEqual([])
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
    await transport.over
    expect(pipe.messages.map(({ id }) => id)).toEqual([1])
  })

  it("of input within a message behind headers is a parse error", async () => {
    const { pipe, transport } = start()
    pipe.push('Content-Length: 200\r\n\r\n{"jsonrpc":"2.0","id":1,"meth')
    pipe.end()
    await transport.over
    expect(pipe.written).toContain("Parse error: Unterminated string in JSON")
  })

  it("of input lets unanswered requests be answered", async () => {
    const { pipe, transport, ends } = start()
    pipe.push('{"jsonrpc":"2.0","id":1,"method":"a"}\n{"jsonrpc":"2.0","id":2,"method":"b"}\n')
    pipe.end()
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
    expect(ends).toEqual([])
    await transport.send({ jsonrpc: "2.0", id: 2, result: {} })
    await transport.over
    expect(ends).toEqual(["closed"])
    expect(pipe.messages.map(({ id }) => id)).toEqual([1, 2])
  })

  it("of input waits no longer than the given patience, and not for a cancelled call", async () => {
    const impatient = start()
    impatient.pipe.push('{"jsonrpc":"2.0","id":1,"method":"a"}\n')
    impatient.pipe.end()
    expect(impatient.ends).toEqual([])
    impatient.giveUp()
    await impatient.transport.over
    const cancelled = start()
    cancelled.pipe.push('{"jsonrpc":"2.0","id":1,"method":"a"}\n')
    cancelled.pipe.end()
    cancelled.transport.forget(1)
    await cancelled.transport.over
    expect(cancelled.ends).toEqual(["closed"])
  })

  it("of input leaves a call ten seconds, since eight new sessions of a pipeline may need that on a busy machine", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const pipe = new Pipe()
    const { transport } = connect(pipe.streams, { name: "k3-mcp", version: "1" }, () => {})
    let isOver = false
    void transport.over.then(() => (isOver = true))
    pipe.push('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"k_eval","arguments":{"code":"1"}}}\n')
    pipe.end()
    await vi.advanceTimersByTimeAsync(9999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isOver).toBe(true)
  })

  it("of input waits for the acknowledgement of a request to listen, and not for its answer", async () => {
    const { pipe, transport, ends } = start()
    const params = { notifications: {}, _meta: { "io.modelcontextprotocol/subscriptionId": 1 } }
    pipe.push('{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}\n{"jsonrpc":"2.0","id":2,"method":"a"}\n')
    pipe.end()
    void transport.send({ jsonrpc: "2.0", id: 2, result: {} })
    expect(ends).toEqual([])
    void transport.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params })
    await transport.over
    expect(ends).toEqual(["closed"])
    expect(pipe.messages.at(-1).params).toEqual(params)
  })

  it("of output is reported once; nothing more is written", async () => {
    const { pipe, transport, ends } = start()
    pipe.accepts = false
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} })
    await transport.send({ jsonrpc: "2.0", id: 2, result: {} })
    pipe.gone()
    await transport.over
    await transport.flushed()
    await transport.send({ jsonrpc: "2.0", id: 3, result: {} })
    expect(ends).toEqual(["closed"])
    expect(pipe.messages.map(({ id }) => id)).toEqual([1])
  })

  it("of input lets waiting output be written", async () => {
    const { pipe, transport } = start()
    pipe.accepts = false
    for (const id of [1, 2]) await transport.send({ jsonrpc: "2.0", id, result: {} })
    pipe.end()
    const flushed = transport.flushed()
    pipe.drain()
    await flushed
    expect(pipe.messages.map(({ id }) => id)).toEqual([1, 2])
  })
})
