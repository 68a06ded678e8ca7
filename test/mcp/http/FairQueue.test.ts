/** N16: requests of principals begin in turns. */
import { expect, it } from "vitest"
import { FairQueue } from "../../../src/mcp/http/FairQueue.ts"

it("N16 requests of several principals begin alternately, however many requests one of them has sent", async () => {
  const queue = new FairQueue()
  const begun: string[] = []
  const ask = async (principal: string): Promise<void> => {
    await queue.take(principal)
    begun.push(principal)
  }
  const flood = Array.from({ length: 50 }, () => ask("greedy"))
  const rest = [ask("quiet"), ask("other"), ask("quiet")]
  await Promise.all([...flood, ...rest])
  expect(begun).toHaveLength(53)
  expect(begun.slice(0, 7)).toEqual(["greedy", "greedy", "quiet", "other", "greedy", "quiet", "greedy"])
})

it("N16 two requests never begin in the same turn of the event loop; a single request begins at once", async () => {
  const queue = new FairQueue()
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const begun = await Promise.all(
    Array.from({ length: 5 }, async () => {
      await queue.take("a")
      return turn
    }),
  )
  isOver = true
  expect(begun[0]).toBe(0)
  expect(new Set(begun).size).toBe(5)
})
