/** I6 The trees in a reply of `k_validate`. */
import { expect, it } from "vitest"
import { reading } from "../../../src/k3/syntax/validate.ts"
import { validation } from "../../../src/mcp/render/validation.ts"

const noticeFor = (statements: number): string | undefined => {
  const steps = reading("1\n".repeat(statements))
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const held = { names: new Map(), directory: ".k", engine: "embedded", ageMs: 0 } as const
  return validation([], [], held, step.value).structured.notice
}

it("I6 says that trees are missing only when they are", () => {
  expect(noticeFor(50)).toBeUndefined()
  expect(noticeFor(51)).toContain("the first 50 statements")
})
