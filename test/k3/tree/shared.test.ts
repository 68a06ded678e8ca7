import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

it("a list that shares its items, and whose image would be far larger than memory, is told as too large at once", () => {
  const interpreter = makeInterpreter(memoryHost())
  expect(interpreter.evaluate("b:,!1000;do[60;b:(b;b)]")).toBeUndefined()
  expect(interpreter.large(1e6).map(({ path }) => path)).toEqual([".k.b"])
})
