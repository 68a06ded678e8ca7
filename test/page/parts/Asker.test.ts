/** The requests of a view: one at a time, and every reply is given. */
import { describe, expect, it, vi } from "vitest"
import { Asker } from "../../../src/page/Asker.ts"

/** A question whose requests are answered by the test. */
const make = () => {
  const requests: { readonly answer: (reply: string) => void; readonly fail: (error: Error) => void }[] = []
  const told: string[] = []
  const asker = new Asker<string>({
    ask: () => new Promise((answer, fail) => void requests.push({ answer, fail })),
    onReply: (reply) => void told.push(reply),
    onFailure: ({ message }) => void told.push(`no: ${message}`),
    isPassing: (reply) => reply === "passing",
  })
  return { asker, requests, told }
}

/** Until the count of requests is this. */
const asked = (requests: readonly unknown[], count: number) => expect.poll(() => requests.length).toBe(count)

describe("J7 a question of a view", () => {
  it("is told every reply, also when there were changes during each request, and asks once more after them", async () => {
    const { asker, requests, told } = make()
    asker.renew()
    for (const n of [0, 1, 2]) {
      asker.renew()
      asker.renew()
      expect(requests.length).toBe(n + 1)
      requests[n]!.answer(`${n}`)
      await asked(requests, n + 2)
    }
    requests[3]!.answer("3")
    await expect.poll(() => told).toEqual(["0", "1", "2", "3"])
    expect(requests.length).toBe(4)
    asker.renew()
    await asked(requests, 5)
  })

  it("is asked again after a failure and after a passing reply, later each time, and at once after a change", async () => {
    vi.useFakeTimers()
    try {
      const { asker, requests, told } = make()
      asker.renew()
      requests[0]!.fail(new Error("gone"))
      await vi.advanceTimersByTimeAsync(199)
      expect(requests.length).toBe(1)
      await vi.advanceTimersByTimeAsync(1)
      requests[1]!.answer("passing")
      await vi.advanceTimersByTimeAsync(399)
      expect(requests.length).toBe(2)
      asker.renew()
      await vi.advanceTimersByTimeAsync(0)
      requests[2]!.answer("now")
      await vi.advanceTimersByTimeAsync(10_000)
      expect([told, requests.length]).toEqual([["no: gone", "passing", "now"], 3])
    } finally {
      vi.useRealTimers()
    }
  })

  it("is told nothing once it is closed, and asked no more", async () => {
    vi.useFakeTimers()
    try {
      const { asker, requests, told } = make()
      asker.renew()
      asker.close()
      requests[0]!.fail(new Error("gone"))
      await vi.advanceTimersByTimeAsync(10_000)
      asker.renew()
      expect([told, requests.length]).toEqual([[], 1])
    } finally {
      vi.useRealTimers()
    }
  })
})
