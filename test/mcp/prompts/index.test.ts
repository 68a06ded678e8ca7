/** Prompts as clients meet them, and that every call in their texts is one that the tools take. */
import { Client } from "@modelcontextprotocol/client"
import { expect, it } from "vitest"
import { prompts } from "../../../src/mcp/prompts/index.ts"
import { problemOf } from "../../../src/mcp/prompts/Prompt.ts"
import { tools } from "../../../src/mcp/tools/index.ts"
import { fakeLayer } from "../fakeSessions.ts"
import { PipeClientTransport, startServer } from "../pipe.ts"

const given = { code: "1+`a", error: "type error", function: "f", language: "APL", change: "the sort verb" }
const argumentsOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    prompts.find((each) => each.name === name)!.arguments.map((each) => [each.name, given[each.name as keyof typeof given]]),
  )

it("M14: five prompts, listed with what they take, and fetched", async () => {
  const { pipe } = startServer(fakeLayer())
  const client = new Client({ name: "test", version: "1" })
  await client.connect(new PipeClientTransport(pipe))
  const { prompts: list } = await client.listPrompts()
  expect(list.map(({ name }) => name)).toEqual(prompts.map(({ name }) => name))
  expect(list).toHaveLength(5)
  for (const { name } of list) {
    const { messages } = await client.getPrompt({ name, arguments: argumentsOf(name) })
    expect(messages).toMatchObject([{ role: "user", content: { type: "text", text: expect.stringMatching(/k_eval/) } }])
  }
  await expect(client.getPrompt({ name: "fix-error", arguments: {} })).rejects.toThrow("needs code")
  await expect(client.getPrompt({ name: "nothing", arguments: {} })).rejects.toThrow("There are: quick-start")
})

it("M14: an argument that there is not is named, with those there are", () => {
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
