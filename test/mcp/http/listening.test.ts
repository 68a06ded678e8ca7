/** The listener of `platform/NodeHttp.ts`, with answers that a test makes. */
import { connect } from "node:net"
import { expect, it, vi } from "vitest"
import type { Listener, Site } from "../../../src/mcp/http/Listener.ts"
import { listener } from "../../../src/platform/NodeHttp.ts"

it("N1: a stream whose client left before it began is ended", async () => {
  let begin = (): void => {}
  const begun = new Promise<void>((resolve) => (begin = resolve))
  let isOver = false
  let cancelled = 0
  const refusal = { status: 500 }
  const site: Site = {
    admit: async () => ({ principal: undefined, isStill: async () => true }),
    tooLarge: refusal,
    tooMany: refusal,
    answer: async ({ onOver }) => {
      onOver(() => (isOver = true))
      begin()
      await vi.waitFor(() => expect(isOver).toBe(true), 5000)
      return { status: 200, type: "text/event-stream", body: new ReadableStream({ cancel: () => void cancelled++ }) }
    },
  }
  const { listen } = listener((() => {}) as unknown as Listener["authority"], { index: () => undefined, asset: async () => undefined })
  const { url, close } = await listen({ host: "127.0.0.1", port: 0 }, site, { connections: 10, requests: 10, body: 1000, unread: 60_000 })
  try {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    socket.write("GET /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n")
    await begun
    socket.destroy()
    await vi.waitFor(() => expect(cancelled).toBe(1), 5000)
  } finally {
    await close(100)
  }
})
