/**
 * Whatever a tool is given: its own schema's arguments, then mutated ones. A call ends in one reply that says ok or what to do next, text
 * and structured content both, and only declared fields; nothing is a defect.
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { callTool } from "../../src/mcp/callTool.ts"
import { tools } from "../../src/mcp/tools/index.ts"
import { fakeLayer } from "../mcp/fakeSessions.ts"
import { tries } from "./scale.ts"

type JsonSchema = { readonly [key: string]: any }

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("main", "1+1", ".", ".k", "x", "list", "save", "__proto__", "../..", "a".repeat(100), "\0", "0", "o1"),
)

/** Values that a schema allows, as far as it is looked into. */
const allowed = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]))
  const options: unknown = schema["anyOf"] ?? schema["oneOf"]
  if (Array.isArray(options)) return fc.oneof(...(options as JsonSchema[]).map(allowed))
  switch (schema["type"]) {
    case "string":
      return text
    case "number":
    case "integer":
      return fc.oneof(fc.integer({ min: -5, max: 1000 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
    case "boolean":
      return fc.boolean()
    case "array":
      return fc.array(allowed((schema["items"] ?? {}) as JsonSchema), { maxLength: 4 })
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries((schema["properties"] ?? {}) as object).map(([name, each]) => [name, allowed(each as JsonSchema)]),
        ),
        { requiredKeys: [] },
      )
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

const call = fc.constantFrom(...tools).chain((tool) => {
  const { inputSchema, outputSchema } = tool.describe()
  const properties = Object.keys(inputSchema["properties"] as object)
  const own = allowed(inputSchema) as fc.Arbitrary<Record<string, unknown>>
  const mutated = fc
    .tuple(
      own,
      fc.oneof(fc.constantFrom(...properties, "nothing", "__proto__"), fc.string()),
      fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }),
    )
    .map(([given, key, value]) => Object.fromEntries([...Object.entries(given), [key, value]]))
  return fc.record({
    tool: fc.constant(tool),
    outputs: fc.constant(Object.keys(outputSchema["properties"] as object)),
    given: fc.oneof(own, mutated, fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })),
  })
})

it("arguments: every call ends in one reply that says what to do", async () => {
  const layer = fakeLayer()
  await fc.assert(
    fc.asyncProperty(call, async ({ tool, given, outputs }) => {
      const reply = await Effect.runPromise(Effect.provide(callTool(tool, given, undefined), layer))
      const structured = JSON.parse(JSON.stringify(reply.structured)) as { ok: boolean; error?: { name: string; text: string } }
      expect(reply.text).toMatch(/\S/)
      expect(typeof structured.ok).toBe("boolean")
      if (reply.isError === true) expect(structured.error?.text).toMatch(/\S/)
      expect(structured.error?.name).not.toBe("internal")
      expect([...outputs, "error", "output", "generation"]).toEqual(expect.arrayContaining(Object.keys(structured)))
    }),
    tries(1500),
  )
})
