/** N1: an early answer keeps its status; a late answer becomes a stream. */
import { expect, it, onTestFinished, vi } from "vitest"
import { begunWithin } from "../../../src/mcp/http/begunWithin.ts"
import type { HttpAnswer } from "../../../src/mcp/http/Listener.ts"

const json = (body: string, status = 200): HttpAnswer => ({ status, type: "application/json", body })
/** The body, as the client reads it. */
const read = ({ body }: HttpAnswer) => new Response(body as ReadableStream).text()

const clock = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

it("N1 an early answer is passed on unchanged", async () => {
  const refused = json('{"error":1}', 400)
  expect(await begunWithin(1000, () => Promise.resolve(refused))).toBe(refused)
})

it("N1 a message before the answer begins a stream, and the answer follows in it", async () => {
  clock()
  let give: (response: HttpAnswer) => void = () => {}
  const response = await begunWithin(1000, (tell) => {
    tell({ method: "a" })
    tell({ method: "b" })
    return new Promise((resolve) => (give = resolve))
  })
  give(json('{"id":1}'))
  const events = ['{"method":"a"}', '{"method":"b"}', '{"id":1}'].map((each) => `event: message\ndata: ${each}\n\n`)
  expect(await read(response)).toBe(events.join(""))
  expect(vi.getTimerCount()).toBe(0)
})

it("N1 a late answer begins in time, is kept alive by comments, and is an event", async () => {
  clock()
  let give: (response: HttpAnswer) => void = () => {}
  const answer = begunWithin(1000, () => new Promise((resolve) => (give = resolve)))
  await vi.advanceTimersByTimeAsync(1000)
  const response = await answer
  expect(response.type).toBe("text/event-stream")
  const text = read(response)
  await vi.advanceTimersByTimeAsync(31_000)
  give(json('{"id":1}'))
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
  let give: (response: HttpAnswer) => void = () => {}
  const answer = begunWithin(1000, () => new Promise((resolve) => (give = resolve)))
  await vi.advanceTimersByTimeAsync(1000)
  give({ status: 200, type: "text/event-stream", body })
  const reader = ((await answer).body as ReadableStream<Uint8Array>).getReader()
  const next = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await next()).toBe(": working\n\n")
  expect(await next()).toBe("data: 1\n\n")
  await reader.cancel()
  expect(isCancelled).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it("N1 a late failure ends the stream with an error", async () => {
  clock()
  let fail: (error: Error) => void = () => {}
  const answer = begunWithin(1000, () => new Promise((_, reject) => (fail = reject)))
  await vi.advanceTimersByTimeAsync(1000)
  const response = await answer
  fail(new Error("gone"))
  await expect(read(response)).rejects.toThrow("gone")
  expect(vi.getTimerCount()).toBe(0)
})
