/** R6 `k_compare` on the built server: an end without an answer is never hidden in a longer list. */
import { expect, it } from "vitest"
import { type RawServer, start } from "./server.ts"

const ready = async (): Promise<RawServer> => {
  const server = start(["--engine", "embedded"])
  await server.initialize()
  return server
}

const textOf = (result: any): string => result.content[0].text

it("R6 tells of a statement that ended the interpreter on both sides", async () => {
  const server = await ready()
  const result = await server.call("k_compare", { code: "1\n2\n3\n_exit 3\n5", between: ["embedded", "embedded"] })
  expect(textOf(result)).toMatch(/^4 of 5 statements print the same on both; 1 of 5 statements ended without an answer on both/)
  expect(textOf(result)).toContain("_exit 3\n  both: died: the interpreter ended with exit code 3")
  expect(result.structuredContent).toMatchObject({ items: 5, differing: 0, unanswered: 1 })
})

it("R6 a deadline of the call's own ends each statement that does not stop, and is told", async () => {
  const server = await ready()
  const result = await server.call("k_compare", { code: "while[1;0]", between: ["embedded", "embedded"], timeout_ms: 300 })
  expect(textOf(result)).toMatch(/^The statement ended without an answer on both/)
  expect(textOf(result)).toContain("deadline: it was ended after 300 ms")
})

it("R6 takes the name of a session as a side", async () => {
  const server = await ready()
  await server.call("k_eval", { code: "a:6", session: "mine" })
  const result = await server.call("k_compare", { code: "a+1", between: ["mine", "session:mine"] })
  expect(textOf(result)).toMatch(/^The statement prints the same on both/)
  expect(textOf(await server.call("k_compare", { code: "a", between: ["mine", "nobody"] }))).toContain('"nobody" is no side')
})
