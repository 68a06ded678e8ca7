/** N5, N7, N11: what changes while the body of an admitted request is still on its way. */
import { connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import { expect, it, onTestFinished } from "vitest"
import { type HttpFace, makeHttpFace } from "../../../src/mcp/http/HttpFace.ts"
import type { HttpAnswer } from "../../../src/mcp/http/Listener.ts"
import { usualLimits } from "../../../src/mcp/http/Principal.ts"
import { listener } from "../../../src/platform/NodeHttp.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { textOf } from "../../e2e/sockets.ts"

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
const limits = { ...usualLimits({ maxSessions: 4 }), calls: Infinity }
const place = { host: "127.0.0.1", port: 0 }
const settings = { listen: place, publicUrl: null, httpBody: 1000, httpRequests: 8, httpConnections: 100 } as SettingValues

/** A server that answers a request when `post` does, and takes the token while `isValid`. */
const listen = async (post: () => Promise<HttpAnswer>) => {
  const token = { isValid: true }
  const site: HttpFace = makeHttpFace({
    settings,
    now: () => 0,
    page: { index: () => undefined, asset: async () => undefined },
    faceOf: async () => ({ post, other: post, close: async () => {} }),
    authority: {
      admit: async () =>
        token.isValid
          ? { space: "anna", name: "anna", credential: "anna", readOnly: false, limits }
          : { status: 401, message: "The token is not right." },
      recall: async () => undefined,
      invite: async () => ({ status: 503, message: "" }),
      logIn: async () => undefined,
      logOut: () => {},
      sign: () => "",
    },
  })
  const bounds = { connections: settings.httpConnections, requests: settings.httpRequests, body: settings.httpBody }
  const listening = await listener(() => undefined as never, undefined as never).listen(place, site, bounds)
  onTestFinished(() => listening.close(0))
  const begin = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(listening.url).port), "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    await new Promise<void>((resolve) => void socket.once("connect", resolve))
    socket.write(head)
    return socket
  }
  return { token, site, begin }
}
const soon = (ms = 100) => new Promise((resolve) => setTimeout(resolve, ms))

it("N5 the share of a principal holds for requests whose bodies arrive together", async () => {
  let running = 0
  const { begin } = await listen(() => {
    running++
    return new Promise(() => {})
  })
  const sockets = await Promise.all(Array.from({ length: 8 }, begin))
  await soon()
  const said: string[] = []
  for (const socket of sockets) {
    socket.on("data", (data: Buffer) => void said.push(data.toString("latin1")))
    socket.write(body)
  }
  await expect.poll(() => said.length + running).toBe(8)
  expect(running).toBe(2)
  expect(said[0]).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 1\r\n[\s\S]*2 requests of this principal are under way/i)
})

it("N7 a call whose body arrives after the end began is refused", async () => {
  let ran = 0
  const { site, begin } = await listen(async () => {
    ran++
    return { status: 200, body: "" }
  })
  const socket = await begin()
  await soon()
  await Effect.runPromise(site.drain(1000))
  socket.end(body)
  expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 503/)
  expect(ran).toBe(0)
})

it("N11 a call whose body arrives after its token was removed does not run", async () => {
  let ran = 0
  const { token, begin } = await listen(async () => {
    ran++
    return { status: 200, body: "" }
  })
  const socket = await begin()
  await soon()
  const said = textOf(socket)
  token.isValid = false
  await soon(2500)
  socket.end(body)
  await said
  expect(ran).toBe(0)
})
