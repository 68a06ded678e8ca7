/** The output of commands about their host. */
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

it("memory in use is a whole number of bytes, whatever the host counts", () => {
  const host = { ...memoryHost(), memoryUsed: () => 1000.6 }
  expect(makeInterpreter(host).evaluate("\\w")).toBeUndefined()
  expect(host.take()).toBe("1001 bytes in use\n")
})
