/** Prompts through a client, and the calls in their texts, which the tools must accept. */
import { Client } from "@modelcontextprotocol/client"
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { prompts } from "../../../src/mcp/prompts/index.ts"
import { problemOf } from "../../../src/mcp/prompts/Prompt.ts"
import { tools } from "../../../src/mcp/tools/index.ts"
import { fakeLayer } from "../fakeSessions.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { PipeClientTransport, startServer } from "../pipe.ts"

const given = { code: "1+`a", error: "type error", function: "f", language: "APL", change: "the sort verb", file: "sales.csv" }
const argumentsOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    prompts.find((each) => each.name === name)!.arguments.map((each) => [each.name, given[each.name as keyof typeof given]]),
  )

it("M14: six prompts are listed with their arguments, and can be fetched", async () => {
  const { pipe } = startServer(fakeLayer())
  const client = new Client({ name: "test", version: "1" })
  await client.connect(new PipeClientTransport(pipe))
  const { prompts: list } = await client.listPrompts()
  expect(list.map(({ name }) => name)).toEqual(prompts.map(({ name }) => name))
  expect(list).toHaveLength(6)
  for (const { name } of list) {
    const { messages } = await client.getPrompt({ name, arguments: argumentsOf(name) })
    expect(messages).toMatchObject([{ role: "user", content: { type: "text", text: expect.stringMatching(/k_eval/) } }])
  }
  await expect(client.getPrompt({ name: "fix-error", arguments: {} })).rejects.toThrow("needs code")
  await expect(client.getPrompt({ name: "nothing", arguments: {} })).rejects.toThrow("There are: quick-start")
})

it("M14: the error for an unknown argument names it and the existing ones", () => {
  const fix = prompts.find(({ name }) => name === "fix-error")!
  expect(problemOf(fix, { code: "1", colour: "red" })).toBe("Prompt fix-error has no argument colour; it takes code, error")
  expect(problemOf(fix, { code: "1" })).toBeUndefined()
})

it.each(prompts.map((each) => [each.name, each] as const))(
  "M14: %s is lean, and calls tools by names and arguments they have",
  (name, prompt) => {
    const text = prompt.text(argumentsOf(name))
    expect(text.length).toBeLessThan(1800)
    const calls = [...text.matchAll(/^(k_\w+) (\{.*\})$/gm)]
    expect(calls.length).toBeGreaterThan(0)
    for (const [, tool, json] of calls) {
      const known = tools.find((each) => each.name === tool)
      expect(known, tool).toBeDefined()
      const properties = Object.keys(known!.describe().inputSchema["properties"] ?? {})
      expect(properties).toEqual(expect.arrayContaining(Object.keys(JSON.parse(json!) as object)))
    }
  },
)

it("M14: the code of explore-data describes a file's columns", () => {
  const host = memoryHost()
  host.stored.set("sales.csv", Buffer.from("shop,n,price\na,2,1.5\nb,,4.0\na,5,\n"))
  const interpreter = makeInterpreter(host)
  const text = prompts.find(({ name }) => name === "explore-data")!.text({ file: "sales.csv" })
  const codes = [...text.matchAll(/^k_eval (\{.*\})$/gm)].map(([, json]) => (JSON.parse(json!) as { code: string }).code)
  const told = (code: string): string => {
    for (const statement of code.split("\n")) expect(interpreter.evaluate(statement), statement).toBeUndefined()
    return host.take()
  }
  expect(codes.slice(0, 2).map(told)).toEqual(['33.0\n("shop,n,price"\n "a,2,1.5"\n "b,,4.0"\n "a,5,")\n', "`shop `n `price\n"])
  expect(interpreter.evaluate('t:read"SIF"')).toBeUndefined()
  expect(codes.slice(2).map(told)).toEqual([
    "3 3 3\n-4 -1 -2\n0 1 1\n(`a `b\n 2 5\n 1.5 4)\n",
    "2 3 3\n(((`a;2)\n  (`b;1))\n (2 1\n  0N 1\n  5 1)\n ((1.5;1)\n  (4.0;1)\n  (0n;1)))\n",
  ])
})
