/**
 * M7 M12 the bytes that an agent reads: the list of tools, the instructions and typical replies, as a table in docs/costs.md. A changed
 * cost is a difference of that table; for an intended change run `npx vitest run test/e2e/costs.test.ts -u`.
 *
 * Bytes are those of the sent JSON, with times, hashes, process ids and folders replaced by `lib/steady.ts`.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { table, withSections } from "../lib/sections.ts"
import { steady, steadyData } from "../lib/steady.ts"
import { start } from "./server.ts"

const page = join(import.meta.dirname, "../../docs/costs.md")

type Step = readonly [what: string, tool: string, given: object]

/** The calls, in this order, in one session; a step without a name is not counted. */
const steps: readonly Step[] = [
  ["`1+1`", "k_eval", { code: "1+1" }],
  ["", "k_eval", { code: "v:3 1 4 1 5\nm:(1 2 3;4 5 6)\navg:{(+/x)%#x}" }],
  ["an error of K, with caret and the verb's entry", "k_eval", { code: "v+1 2" }],
  ["a deadline", "k_eval", { code: "while[1;i:1]", timeout_ms: 2000 }],
  ["a long output, cut, with its handle", "k_eval", { code: "!3000" }],
  ["a page of it", "k_output", { handle: "o1", from: 100, unit: "byte" }],
  ["`changes`", "k_eval", { code: "w:v*2\nv:!3", changes: true }],
  ["names", "k_inspect", {}],
  ["a vector", "k_inspect", { path: "v" }],
  ["a function", "k_inspect", { path: "avg" }],
  ["a glyph", "k_help", { query: "%" }],
  ["a task in words", "k_help", { query: "moving average" }],
  ["code that is well", "k_validate", { code: "avg v" }],
  ["one issue", "k_validate", { code: "f:{sqrt x}" }],
  ["list", "k_history", { action: "list" }],
  ["the same", "k_compare", { code: "avg 1 2 3", between: ["session:main", "session:main"] }],
  ["one of two differs", "k_compare", { code: "1+1\nv", between: ["session:main", "session:other"] }],
  ["define", "k_define", { action: "define", name: "avg", code: "{[v] avg v}", parameters: { v: "list of float" } }],
  ["a tool made of K", "kf_avg", { v: [1, 2, 4] }],
  ["save", "k_snapshot", { action: "save" }],
  ["", "k_eval", { code: "v:!4" }],
  ["diff", "k_snapshot", { action: "diff" }],
  ["list", "k_session", { action: "list" }],
  ["status", "k_status", {}],
  ["a crash", "k_eval", { code: "_exit 3" }],
  ["variables restored after it", "k_eval", { code: "1+1" }],
  ["reset", "k_reset", {}],
  ["a wrong argument", "k_eval", { cod: "1" }],
]

const bytes = (value: unknown): number => Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value))

it("M7 M12 costs what the table of docs/costs.md says", async () => {
  const server = start(["--engine", "embedded", "--state-dir", "none", "--fence", "off", "--interrupt-grace", "60s"])
  const { instructions } = (await server.initialize()).result
  const { tools } = (await server.request("tools/list")).result
  await server.call("k_eval", { code: "v:9", session: "other" })
  const rows: string[][] = []
  for (const [what, tool, given] of steps) {
    const result = await server.call(tool, given)
    if (tool === "k_eval" && what === "`1+1`") expect(bytes(result)).toBeLessThanOrEqual(250)
    const [{ text, type }] = result.content
    const known = { ...result, content: [{ type, text: steady(text) }], structuredContent: steadyData(result.structuredContent) }
    if (what !== "")
      rows.push([`\`${tool}\``, what, String(bytes(known.content[0].text)), String(bytes(known.structuredContent)), String(bytes(known))])
  }
  const listed = [
    ...tools.map((tool: { name: string }) => [`\`${tool.name}\``, String(bytes(tool))]),
    ["`tools/list`, in all", String(bytes(tools))],
    ["instructions", String(bytes(instructions))],
  ]
  expect(bytes(tools)).toBeLessThanOrEqual(14_336)
  await expect(
    withSections(readFileSync(page, "utf8"), {
      "bytes of the list": table(["tool", "bytes"], listed),
      "bytes of replies": table(["tool", "reply", "text", "structured", "in all"], rows),
    }),
  ).toMatchFileSnapshot(page)
})
