/**
 * Any input on standard input: each request gets exactly one answer, other text gets none; a final `ping` is answered, and nothing
 * piles up. Both framings, split anywhere, on the real host over made-up sessions.
 */
import * as fc from "fast-check"
import { expect, it, vi } from "vitest"
import { fakeLayer } from "../mcp/fakeSessions.ts"
import { startServer } from "../mcp/pipe.ts"
import { heapUsed, report, tries } from "./scale.ts"

/** A message as text, and the expected reply: an answer to an id, an error without one, or none. */
interface Sent {
  /** ID stands for the id. */
  readonly text: string
  readonly answer: "id" | "error-without-id" | "none"
}

const request = (method: string, params: unknown): Sent => ({
  text: JSON.stringify({ jsonrpc: "2.0", id: 0, method, params }).replace('"id":0', '"id":ID'),
  answer: "id",
})
const raw = (text: string, answer: Sent["answer"]): Sent => ({ text, answer })

const anything = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" })
const nested = fc.integer({ min: 1, max: 4000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth))
const methods = fc.constantFrom(
  ..."tools/list ping resources/list resources/templates/list resources/read prompts/list prompts/get nothing".split(" "),
  ..."completion/complete resources/subscribe resources/unsubscribe initialize server/discover subscriptions/listen".split(" "),
  ..."logging/setLevel tasks/get __proto__ constructor ".split(" "),
)
const badId = fc.oneof(
  fc.constantFrom("null", "1.5", "1e400", "9007199254740993", "true", "[]", '{"a":1}', "-1e-9"),
  fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }).map(String),
)

const sent: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(request("tools/call", { name: "k_eval", arguments: { code: "1+1" } })) },
  fc
    .tuple(fc.constantFrom("k_eval", "k_status", "k_inspect", "none", "__proto__"), anything)
    .map(([name, given]) => request("tools/call", { name, arguments: given })),
  fc.tuple(methods, fc.option(fc.dictionary(fc.string(), anything), { nil: undefined })).map(([method, params]) => request(method, params)),
  nested.map<Sent>((deep) => ({
    text: `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"k_eval","arguments":{"code":${deep}}}}`,
    answer: "id",
  })),
  // The last of two equal keys counts, as JSON.parse has it.
  fc.constant<Sent>({ text: `{"jsonrpc":"2.0","id":"first","id":ID,"method":"ping"}`, answer: "id" }),
  fc.constant<Sent>({
    text: `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"k_eval","arguments":{"code":"\\ud800\\udfff\\udc00"}}}`,
    answer: "id",
  }),
  fc.constantFrom<Sent>(
    { text: `{"jsonrpc":"1.0","id":ID,"method":"ping"}`, answer: "id" },
    { text: `{"jsonrpc":"2.0","id":ID,"method":7}`, answer: "id" },
    { text: `{"jsonrpc":"2.0","id":ID,"method":"ping","params":[]}`, answer: "id" },
    { text: `{"jsonrpc":"2.0","id":ID,"method":"ping","extra":1}`, answer: "id" },
    { text: `{"jsonrpc":"2.0","id":ID}`, answer: "id" },
    { text: `[{"jsonrpc":"2.0","id":ID,"method":"ping"}]`, answer: "id" },
    { text: `{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"_meta":{"progressToken":{}}}}`, answer: "id" },
  ),
  badId.map((id) => raw(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, "error-without-id")),
  fc.constantFrom(
    raw("{", "error-without-id"),
    raw('{"jsonrpc":"2.0","id":1,', "error-without-id"),
    raw("[]", "error-without-id"),
    raw("[1,2]", "error-without-id"),
    raw('{"jsonrpc":"2.0","result":5,"id":1}', "none"),
    raw('{"jsonrpc":"2.0","error":{"code":1,"message":"x"},"id":77}', "none"),
    raw('{"jsonrpc":"2.0","result":{},"id":99}', "none"),
    raw('{"jsonrpc":"2.0","method":"notifications/initialized"}', "none"),
    raw('{"jsonrpc":"2.0","method":"notifications/nothing","params":{"a":1}}', "none"),
    raw('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}', "none"),
    raw('{"jsonrpc":"2.0","method":"notifications/cancelled"}', "none"),
  ),
)

const framing = fc.record({
  headers: fc.boolean(),
  eol: fc.constantFrom("\n", "\r\n"),
  blank: fc.constantFrom("", "\n", "  "),
})

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const framed = (text: string, { headers, eol, blank }: { headers: boolean; eol: string; blank: string }): string =>
  blank + (headers ? `Content-Length: ${encode(text).length}${eol}${eol}${text}` : text + eol)

const legacy = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } }

/** The messages in the output, in either framing. */
const repliesIn = (written: string): readonly any[] => {
  const replies: unknown[] = []
  let rest = Buffer.from(written)
  while (rest.length > 0) {
    const header = /^Content-Length: (\d+)\r\n\r\n/.exec(rest.subarray(0, 64).toString("latin1"))
    const end = header === null ? rest.indexOf("\n") + 1 : header[0].length + Number(header[1])
    replies.push(JSON.parse(rest.subarray(header?.[0].length ?? 0, end).toString()))
    rest = rest.subarray(end)
  }
  return replies
}

it("frames: every request is answered once, nothing else is, and the server goes on", async () => {
  const { pipe } = startServer(fakeLayer())
  pipe.push(`${JSON.stringify({ jsonrpc: "2.0", id: "open", method: "initialize", params: legacy })}\n`)
  pipe.push('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  pipe.push('{"jsonrpc":"2.0","id":"warm","method":"tools/call","params":{"name":"k_eval","arguments":{"code":"1+1"}}}\n')
  await vi.waitFor(() => expect(repliesIn(pipe.written).some(({ id }) => id === "warm")).toBe(true), 10_000)
  let next = 0
  let [wanted, answered] = [0, 0]
  let before: number | undefined
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(sent, framing), { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      async (messages, places) => {
        pipe.written = ""
        const asked: number[] = []
        let anonymous = 0
        const text = messages
          .map(([{ text, answer }, frame]) => {
            const id = next++
            if (answer === "id") asked.push(id)
            if (answer === "error-without-id") anonymous++
            return framed(text.replace("ID", String(id)), frame)
          })
          .join("")
        const last = next++
        const bytes = encode(`${text}\n${JSON.stringify({ jsonrpc: "2.0", id: last, method: "ping" })}\n`)
        const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
        for (const [i, from] of [0, ...at].entries()) pipe.push(bytes.subarray(from, at[i] ?? bytes.length))
        asked.push(last)
        // The first question to the documents loads them in pieces, with turns for others in between: turns cannot be counted.
        for (const late = performance.now() + 10_000; performance.now() < late;) {
          if (repliesIn(pipe.written).filter(({ method }) => method === undefined).length >= asked.length + anonymous) break
          await new Promise((resolve) => setImmediate(resolve))
        }
        const replies = repliesIn(pipe.written).filter(({ method }) => method === undefined)
        wanted += asked.length + anonymous
        answered += replies.length
        expect(replies.flatMap(({ id }) => id ?? []).toSorted((a, b) => a - b)).toEqual(asked)
        expect(replies.filter(({ id }) => id === undefined)).toHaveLength(anonymous)
        if (next > 2000) before ??= heapUsed()
      },
    ),
    tries(300),
  )
  const after = heapUsed()
  report("frames", {
    sent: next,
    "replies asked for": wanted,
    "replies missing": wanted - answered,
    "heap before, MiB": before ?? after,
    "heap after, MiB": after,
  })
  if (before !== undefined) expect(after - before).toBeLessThan(32)
})
