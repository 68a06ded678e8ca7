/** The connection between two machines: many messages that wait for it are no leak, and what was written arrives. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createServer, type TLSSocket } from "node:tls"
import { expect, it, onTestFinished } from "vitest"
import { socketTo } from "../../src/platform/clusterTransport.ts"

it("no warning is logged when many messages wait until the other machine reads, and all of them arrive", async () => {
  const secret = Buffer.alloc(32, 7)
  const server = createServer({ ciphers: "ECDHE-PSK-CHACHA20-POLY1305", maxVersion: "TLSv1.2", pskCallback: () => secret })
  onTestFinished(() => void server.close())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const accepted = once(server, "secureConnection") as Promise<[TLSSocket]>
  const warnings: string[] = []
  const hear = ({ name }: Error): void => void warnings.push(name)
  process.on("warning", hear)
  onTestFinished(() => void process.off("warning", hear))
  const message = new Uint8Array(2 ** 20)
  const count = 24

  const work = Effect.gen(function* () {
    const socket = yield* socketTo({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }, Redacted.make(secret))
    yield* socket.reader
    const { write } = yield* socket.writer
    const [peer] = yield* Effect.promise(() => accepted)
    const writing = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: count }, () => write(message)),
        { concurrency: "unbounded" },
      ),
    )
    yield* Effect.yieldNow
    expect(writing.pollUnsafe()).toBeUndefined()
    let arrived = 0
    const all = new Promise<void>((resolve) =>
      peer.on("data", (part: Buffer) => {
        arrived += part.length
        if (arrived === count * message.length) resolve()
      }),
    )
    yield* Fiber.join(writing)
    yield* Effect.promise(() => all)
  })
  await Effect.runPromise(Effect.scoped(work))
  expect(warnings).toEqual([])
})
