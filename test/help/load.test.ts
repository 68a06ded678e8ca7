/** The help is loaded when it is first needed, and again after a failure that passes. */
import { expect, it, vi } from "vitest"
import { validation } from "../../src/help/load.ts"

const attempts = vi.hoisted(() => ({ made: 0 }))
vi.mock("../../src/k3/loadDocuments.ts", async (original) => {
  const { loadDocuments } = await original<typeof import("../../src/k3/loadDocuments.ts")>()
  return {
    loadDocuments: async (between: () => Promise<void>) => {
      if (attempts.made++ === 0) throw new Error("EMFILE: too many open files")
      return loadDocuments(between)
    },
  }
})

it("the help is loaded once; after a failure the next call loads it again", async () => {
  const failed = [validation(), validation()]
  for (const each of failed) await expect(each).rejects.toThrow("EMFILE")
  const { validate } = await validation()
  await validation()
  expect(validate).toBeTypeOf("function")
  expect(attempts.made).toBe(2)
})
