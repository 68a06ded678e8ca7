/** N8 on the built server: a client over HTTP that sends a byte a second, until the deadlines of a head (5 s) and of a body (60 s). */
import { describe, expect, it, onTestFinished } from "vitest"
import { auto, callTool, connect } from "./hosted.ts"
import { alone } from "./listening.ts"
import { modern, opened, raw, textOf } from "./sockets.ts"

describe("N8 a client that", () => {
  it(
    "sends a byte a second, of its head or of its body, is let go at the deadline of either, and delays no other",
    { timeout: 180_000 },
    async () => {
      const to = await alone()
      const other = await connect(to, to.token, auto)
      const body = modern("1+1")
      const head = await opened(to)
      const slow = await opened(to)
      slow.write(raw(to, body))
      const drips = (
        [
          [head, raw(to, body)],
          [slow, body],
        ] as const
      ).map(([socket, text]) => {
        const bytes = text[Symbol.iterator]()
        return setInterval(() => socket.write(bytes.next().value ?? ""), 1000)
      })
      onTestFinished(() => drips.forEach(clearInterval))
      const ended = textOf(slow)
      expect(await textOf(head)).toMatch(/^HTTP\/1\.1 408/)
      expect(await callTool(other, "k_eval", { code: "1+1" })).toMatchObject({ output: "2\n" })
      expect(slow.destroyed).toBe(false)
      expect(await ended).toMatch(/^HTTP\/1\.1 408/)
      expect(await callTool(other, "k_eval", { code: "1+1" })).toMatchObject({ output: "2\n" })
    },
  )
})
