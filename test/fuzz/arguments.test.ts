/**
 * Calls of tools with any arguments: by the tool's own schema, then mutated. A call ends in one reply that says ok or the next step, in text
 * and in structured content; none is a defect.
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { callTool } from "../../src/mcp/Tool.ts"
import { fakeLayer } from "../mcp/fakeSessions.ts"
import { tries } from "./scale.ts"
import { toolCall } from "./toolCalls.ts"

it("arguments: every call ends in one reply that says what to do", async () => {
  const layer = fakeLayer()
  await fc.assert(
    fc.asyncProperty(toolCall, async ({ tool, given }) => {
      const reply = await Effect.runPromise(Effect.provide(callTool(tool, given, undefined), layer))
      const structured = JSON.parse(JSON.stringify(reply.structured)) as { ok: boolean; error?: { name: string; text: string } }
      expect(reply.text).toMatch(/\S/)
      expect(typeof structured.ok).toBe("boolean")
      if (reply.isError === true) expect(structured.error?.text).toMatch(/\S/)
      expect(structured.error?.name).not.toBe("internal")
    }),
    tries(1500),
  )
})
