/** G9, G12: each limit of the table is reached, and the error names it; control characters in texts are made visible. */
import { describe, expect, it } from "vitest"
import { evaluate, type RawServer, scratchFolder, start } from "./e2e/server.ts"
import { limits } from "../src/limits.ts"
import { StdioTransport } from "../src/mcp/StdioTransport.ts"
import { visible } from "../src/visible.ts"

const open = async (): Promise<RawServer> => {
  const own = start(["--engine", "embedded", "--state-dir", "none"])
  await own.initialize()
  return own
}

const nested = JSON.parse("[".repeat(4000) + "]".repeat(4000)) as unknown

const long = (most: number): string => "a".repeat(most + 1)

/** The replies of a transport, whose requests stay unanswered, to a number of messages. */
const unanswered = async (count: number, text: (n: number) => string): Promise<string> => {
  let said = ""
  let push: (chunk: Uint8Array) => void = () => {}
  const transport = new StdioTransport(
    { read: (onChunk) => (push = onChunk), pause: () => {}, resume: () => {}, write: (text) => (said += text) !== "", watch: () => {} },
    () => {},
  )
  await transport.start()
  for (let n = 0; n < count; n++) push(Buffer.from(text(n)))
  return said
}

const error = async (own: RawServer, method: string, params: object): Promise<string> =>
  String((await own.request(method, params)).error?.message)
const refused = async (own: RawServer, message: object): Promise<string> => {
  own.send(message)
  return String((await own.message((each) => each.error !== undefined && each.id === undefined)).error?.message)
}
const called = async (own: RawServer, name: string, given: object): Promise<string> =>
  (await own.call(name, given)).content[0].text as string

interface Attempt {
  readonly go: (own: RawServer) => Promise<string>
  readonly said: RegExp
}

/** A test for each limit: a limit without a test does not compile. */
const attempts: Readonly<Record<keyof typeof limits, readonly Attempt[]>> = {
  message: [
    {
      go: () => unanswered(1, () => `{"jsonrpc":"2.0","id":1,"method":"${long(limits.message)}"}\n`),
      said: /a message may have at most 64 MiB/,
    },
  ],
  nesting: [
    {
      go: () => unanswered(1, () => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(limits.nesting)}\n`),
      said: /a message may nest at most 100000 levels deep/,
    },
    // Brackets in a text, and after an escaped quote, are no levels.
    {
      go: () =>
        unanswered(1, () => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\"${"[".repeat(limits.nesting + 1)}"},"b":0}\n`),
      said: /unknown key/,
    },
  ],
  id: [
    { go: (own) => refused(own, { id: long(limits.id), method: "ping" }), said: /id must be a string of at most 256 characters/ },
    {
      go: (own) => error(own, "tools/list", { _meta: { progressToken: long(limits.id) } }),
      said: /progressToken must be a string of at most 256 characters/,
    },
  ],
  method: [{ go: (own) => error(own, long(limits.method), {}), said: /method has 129 characters; at most 128/ }],
  address: [
    {
      go: (own) => error(own, "resources/subscribe", { uri: `k3://${long(limits.address)}` }),
      said: /params\.uri has \d+ characters; at most 2048/,
    },
    { go: (own) => error(own, "resources/read", { uri: `k3://${long(limits.address)}` }), said: /params\.uri has \d+ characters/ },
    {
      go: (own) =>
        error(own, "completion/complete", { ref: { type: "ref/resource", uri: long(limits.address) }, argument: { name: "a", value: "" } }),
      said: /params\.ref\.uri has/,
    },
    {
      go: (own) => error(own, "subscriptions/listen", { notifications: { resourceSubscriptions: [long(limits.address)] } }),
      said: /an address in params\.notifications\.resourceSubscriptions has/,
    },
  ],
  calledName: [
    { go: (own) => error(own, "tools/call", { name: long(limits.calledName) }), said: /params\.name has 129 characters/ },
    { go: (own) => error(own, "prompts/get", { name: long(limits.calledName) }), said: /params\.name has 129 characters/ },
  ],
  completed: [
    {
      go: (own) =>
        error(own, "completion/complete", {
          ref: { type: "ref/prompt", name: "x" },
          argument: { name: "a", value: long(limits.completed) },
        }),
      said: /params\.argument\.value has/,
    },
  ],
  requests: [
    {
      go: () => unanswered(limits.requests + 1, (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`),
      said: /^[^\n]*"id":20000,[^\n]*20000 requests wait for their answers, which is the limit[^\n]*\n$/,
    },
  ],
  values: [
    {
      go: () => unanswered(1, () => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${"0,".repeat(limits.values)}0]}}\n`),
      said: /a message may nest at most 100000 levels deep, and have at most 8388608 values/,
    },
    {
      go: (own) => called(own, "k_eval", { code: "1", args: `{"a":[${"{},".repeat(limits.values / 2)}0]}` }),
      said: /args: .* or 8388608 values/,
    },
  ],
  requestBytes: [
    {
      go: () => {
        const params = JSON.stringify({ code: "x".repeat(limits.message / 2) })
        return unanswered(8, (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping","params":${params}}\n`)
      },
      said: /^[^\n]*"id":7,[^\n]*requests of 256 MiB wait for their answers, which is the limit[^\n]*\n$/,
    },
  ],
  watched: [
    {
      go: async (own) => {
        const uri = (n: number): string => `k3://sessions/main/state/x${n}`
        await own.call("k_eval", { code: "1+1" })
        for (let n = 0; n < limits.watched; n++) await own.request("resources/subscribe", { uri: uri(n) })
        return error(own, "resources/subscribe", { uri: uri(limits.watched) })
      },
      said: /1000 resources are subscribed to already/,
    },
    {
      go: (own) => {
        const resourceSubscriptions = Array.from({ length: limits.watched + 1 }, (_, n) => `k3://${n}`)
        return error(own, "subscriptions/listen", { notifications: { resourceSubscriptions } })
      },
      said: /resourceSubscriptions has 1001 items; at most 1000/,
    },
  ],
  waiting: [
    {
      go: async (own) => {
        const endless = own.call("k_eval", { code: "while[1;b:1]", timeout_ms: 20_000 })
        const calls = Array.from({ length: limits.waiting + 1 }, () => own.call("k_eval", { code: "1" }))
        const first: any = await Promise.race(calls)
        own.process.stdin!.end()
        void endless
        return first.content[0].text as string
      },
      said: /10000 calls wait for this session, which is the limit\. Call again/,
    },
  ],
  background: [
    {
      go: async (own) => {
        for (let n = 0; n < limits.background; n++) await own.call("k_eval", { code: "while[1;b:1]", background: true, session: "far" })
        const said = await called(own, "k_eval", { code: "1", background: true })
        await own.call("k_session", { action: "close", name: "far" })
        return said
      },
      said: /64 evaluations run or wait in the background, which is the limit\. Call k_status/,
    },
  ],
  argument: [
    { go: (own) => called(own, "k_help", { topic: long(limits.argument) }), said: /at most 16384 are taken|topic/ },
    { go: (own) => called(own, "k_inspect", { path: long(limits.argument) }), said: /path: 16385 characters; at most 16384 are taken/ },
    { go: (own) => called(own, "k_history", { action: "script", file: long(limits.argument) }), said: /file: 16385 characters/ },
  ],
  validated: [{ go: (own) => called(own, "k_validate", { code: long(limits.validated) }), said: /at most 100000/ }],
  checks: [
    {
      go: (own) => called(own, "k_reload", { check: Array.from({ length: limits.checks + 1 }, () => "1") }),
      said: /check: .*at most 200/,
    },
  ],
  snapshots: [
    {
      go: async (own) => {
        await called(own, "k_eval", { code: "a:1", session: "many" })
        for (let n = 0; n < limits.snapshots; n++) await called(own, "k_snapshot", { action: "save", name: `s${n}`, session: "many" })
        return called(own, "k_snapshot", { action: "save", name: "more", session: "many" })
      },
      said: /has 20 snapshots, which is the limit/,
    },
  ],
  definitions: [
    {
      go: async (own) => {
        for (let n = 0; n < limits.definitions; n++) await called(own, "k_define", { action: "define", name: `d${n}`, code: "{x}" })
        return called(own, "k_define", { action: "define", name: "more", code: "{x}" })
      },
      said: /32 tools are defined, which is the limit/,
    },
  ],
  definedCode: [
    {
      go: (own) => called(own, "k_define", { action: "define", name: "f", code: `{"${long(limits.definedCode)}"}` }),
      said: /code: \d+ characters; at most 16384 are taken/,
    },
  ],
  definedDescription: [
    {
      go: (own) => called(own, "k_define", { action: "define", name: "f", code: "{x}", description: long(limits.definedDescription) }),
      said: /description: at most 1000 characters/,
    },
  ],
  parameterDescription: [
    {
      go: (own) =>
        called(own, "k_define", {
          action: "define",
          name: "f",
          code: "{[v] v}",
          parameters: { v: `int: ${long(limits.parameterDescription)}` },
        }),
      said: /parameter "v": its description is longer than 200/,
    },
  ],
  parameters: [
    {
      go: (own) => {
        const names = Array.from({ length: limits.parameters + 1 }, (_, n) => `p${n}`)
        return called(own, "k_define", { action: "define", name: "f", code: `{[${names.join(";")}] p0}` })
      },
      said: /parameters: at most 16/,
    },
  ],
  examples: [
    {
      go: (own) => {
        const examples = Array.from({ length: limits.examples + 1 }, (_, n) => ({ arguments: { v: n }, result: n }))
        return called(own, "k_define", { action: "define", name: "f", code: "{[v] v}", examples })
      },
      said: /examples: at most 20 are kept/,
    },
  ],
  exampleText: [
    {
      go: (own) => {
        const examples = [{ arguments: { v: long(limits.exampleText) }, result: 1 }]
        return called(own, "k_define", { action: "define", name: "f", code: "{[v] v}", examples })
      },
      said: /examples: at most 65536 characters of JSON/,
    },
  ],
  argumentItems: [
    {
      go: (own) => called(own, "k_session", { action: "merge", names: Array.from({ length: limits.argumentItems + 1 }, () => 1) }),
      said: /names: 10001 items; at most 10000 are taken/,
    },
    {
      go: (own) => called(own, "k_session", { action: "merge", names: Array.from({ length: limits.argumentItems }, () => 1) }),
      said: /names\.19: Expected string\n {2}names: 9980 more problems\n/,
    },
    {
      // An item may have several.
      go: (own) => called(own, "k_define", { action: "define", examples: Array.from({ length: 12 }, () => ({})) }),
      said: /examples\.9\.result: Missing key\n {2}examples: 4 more problems\n/,
    },
  ],
  argumentNesting: [
    ...["int", "list of int", "string"].map((type) => ({
      go: (own: RawServer) =>
        called(own, "k_define", { action: "run", code: "{[v] v}", parameters: { v: type }, arguments: { v: nested } }),
      said: /arguments: more than 1000 levels of objects and lists/,
    })),
    {
      go: (own) => called(own, "k_define", { action: "run", code: "{[v] v}", parameters: { v: { type: nested } }, arguments: { v: 1 } }),
      said: /parameters: more than 1000 levels/,
    },
    {
      go: (own) =>
        called(own, "k_define", { action: "run", code: "{[v] v}", parameters: { v: "list" }, arguments: { v: "[".repeat(2_000_000) } }),
      said: /v is a list of any: give an array/,
    },
    { go: (own) => called(own, "k_eval", { code: "1", args: `{"a":${"[".repeat(2_000_000)}` }), said: /args: more than 1000 levels/ },
  ],
  statements: [
    {
      go: (own) => called(own, "k_eval", { code: "1\n".repeat(limits.statements + 1) }),
      said: /more than 100000 statements, which is the limit/,
    },
    {
      go: (own) => called(own, "k_compare", { between: ["main", "embedded"], code: "1\n".repeat(limits.statements + 1) }),
      said: /more than 100000 statements, which is the limit[^]*Call k_compare with less code/,
    },
  ],
  code: [{ go: (own) => called(own, "k_eval", { code: long(limits.code) }), said: /16777217 characters; at most 16777216 are taken/ }],
}

it("G9 a value above a limit is an error that names the limit, for each row of the table", { timeout: 180_000 }, async () => {
  const own = await open()
  // The last test ends the server's input.
  for (const row of [...(Object.keys(limits) as (keyof typeof limits)[]).filter((row) => row !== "waiting"), "waiting"] as const)
    for (const [i, { go, said }] of attempts[row].entries()) {
      const answer = await go(own)
      expect(answer, `${row} ${i}`).toMatch(said)
      expect([row, i, answer.length < 2000]).toEqual([row, i, true])
    }
})

it("G9 a name of a million characters is repeated in no reply", async () => {
  const own = await open()
  const name = "n".repeat(1_000_000)
  for (const [tool, given] of [
    ["k_eval", { code: "1", session: name }],
    ["k_compare", { code: "1", between: [`session:${name}`, "embedded"] }],
    ["k_session", { action: "create", name }],
    ["k_snapshot", { action: "save", name }],
    ["k_define", { action: "define", name, code: "{x}" }],
    ["k_status", { session: name }],
    ["k_output", { handle: name }],
    ["k_eval", { code: "1", [name]: 1 }],
  ] as const)
    expect([tool, JSON.stringify(await own.call(tool, given)).length < 4000]).toEqual([tool, true])
  expect(JSON.stringify(await own.request(`resources/${name}`)).length).toBeLessThan(1000)
  expect(JSON.stringify(await own.request("resources/read", { uri: `k3://sessions/${"n".repeat(1000)}/state` }))).toMatch(/error/)
  expect(own.log().length).toBeLessThan(4000)
})

it("M a request with the id of an unanswered one is refused, and the first is answered, also without further requests", async () => {
  const own = await open()
  const call = (code: string) =>
    `${JSON.stringify({ jsonrpc: "2.0", id: "same", method: "tools/call", params: { name: "k_eval", arguments: { code } } })}\n`
  await evaluate(own, "1")
  // In one write, so both are there before the first is answered. A longer evaluation might outlast the second that the end of input leaves.
  own.write(call("do[10000;a:1+1];`first") + call("`second"))
  own.process.stdin!.end()
  await own.ended
  const replies = own.messages.filter(({ id }) => id === "same")
  expect(replies.map((each) => each.error?.message ?? each.result.structuredContent.output)).toEqual([
    'Invalid request: a request with id "same" is still running',
    "`first\n",
  ])
})

describe("G12 a character that moves the cursor or turns the direction of text", () => {
  it("is made visible; line ends and tabs stay", () => {
    expect(visible("a\tb\n\x1b[31m\x07\r\x7f\x9b\u202e")).toBe("a\tb\n\\033[31m\\007\\015\\u007f\\u009b\\u202e")
    expect(visible("é€😀")).toBe("é€😀")
  })

  it("is made visible in texts, names, files and the log; structuredContent has it unchanged", async () => {
    const home = scratchFolder()
    const own = start(["--engine", "embedded", "--state-dir", "none", "--roots", home, "--log-level", "debug"])
    await own.initialize()
    const raw = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/ // oxlint-disable-line no-control-regex
    const printed: any = await own.call("k_eval", { code: '`0:"\\033[31mred\\233"' })
    expect(printed.structuredContent.output).toContain("\x1b[31mred")
    expect(printed.content[0].text).toContain("\\033[31mred")
    for (const reply of [
      printed,
      await own.call("k_eval", { code: '6:"no\\033[31m"' }),
      await own.call("k_history", { action: "script", file: "no\x1b[31m/x" }),
      await own.call("k_history", { action: "list" }),
      await own.call("k_eval", { code: "1", "\x1b[31m": 1 }),
      await own.call("k_compare", { code: "1", between: ["\x1b[31m", "embedded"] }),
    ])
      expect(reply.content[0].text).not.toMatch(raw)
    expect((await own.request("tools/call", { name: "\x1b[31m" })).error?.message).not.toMatch(raw)
    expect((await own.request("resources/read", { uri: "k3://sessions/main/history" })).result.contents[0].text).not.toMatch(raw)
    expect(own.log()).not.toMatch(raw)
  })
})
