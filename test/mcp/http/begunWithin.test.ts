/** N1: an early answer keeps its status; a late answer becomes a stream. */
import { expect, it, onTestFinished, vi } from "vitest"
import { begunWithin } from "../../../src/mcp/http/begunWithin.ts"

const clock = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

it("N1 an early answer is passed on unchanged", async () => {
  const refused = Response.json({ error: 1 }, { status: 400 })
  expect(await begunWithin(1000, Promise.resolve(refused))).toBe(refused)
})

it("N1 a late answer begins in time, is kept alive by comments, and is an event", async () => {
  clock()
  let give: (response: Response) => void = () => {}
  const answer = begunWithin(1000, new Promise<Response>((resolve) => (give = resolve)))
  await vi.advanceTimersByTimeAsync(1000)
  const response = await answer
  expect(response.headers.get("content-type")).toBe("text/event-stream")
  const text = response.text()
  await vi.advanceTimersByTimeAsync(31_000)
  give(Response.json({ id: 1 }))
  expect(await text).toBe(`${": working\n\n".repeat(3)}event: message\ndata: {"id":1}\n\n`)
  expect(vi.getTimerCount()).toBe(0)
})

it("N1 a late stream is passed on, and cancelled when its reader leaves", async () => {
  clock()
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (to) => to.enqueue(new TextEncoder().encode("data: 1\n\n")),
    cancel: () => {
      isCancelled = true
    },
  })
  let give: (response: Response) => void = () => {}
  const answer = begunWithin(1000, new Promise<Response>((resolve) => (give = resolve)))
  await vi.advanceTimersByTimeAsync(1000)
  give(new Response(body, { headers: { "content-type": "text/event-stream" } }))
  const reader = (await answer).body!.getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await read()).toBe(": working\n\n")
  expect(await read()).toBe("data: 1\n\n")
  await reader.cancel()
  expect(isCancelled).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it("N1 a late failure ends the stream with an error", async () => {
  clock()
  let fail: (error: Error) => void = () => {}
  const answer = begunWithin(1000, new Promise<Response>((_, reject) => (fail = reject)))
  await vi.advanceTimersByTimeAsync(1000)
  const response = await answer
  fail(new Error("gone"))
  await expect(response.text()).rejects.toThrow("gone")
  expect(vi.getTimerCount()).toBe(0)
})
