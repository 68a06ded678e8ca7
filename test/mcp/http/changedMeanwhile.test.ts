/** N5, N7, N11: what changes while the body of an admitted request is still on its way. */
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import { expect, it, onTestFinished } from "vitest"
import { HttpSite } from "../../../src/mcp/http/HttpSite.ts"
import type { HttpAnswer } from "../../../src/mcp/http/Listener.ts"
import { usualLimits } from "../../../src/mcp/http/Principal.ts"
import { listen as nodeListen } from "../../../src/platform/NodeHttp.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { opened, textOf } from "../../e2e/sockets.ts"

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
const limits = { ...usualLimits({ maxSessions: 4 }), calls: Infinity }
const place = { host: "127.0.0.1", port: 0 }
const settings = { listen: place, publicUrl: null, httpBody: 1000, httpRequests: 8, httpConnections: 100 } as SettingValues

/** A server that answers a request when `post` does, and takes the token while `isValid`. */
const listen = async (post: () => Promise<HttpAnswer>) => {
  const token = { isValid: true, looks: 0 }
  const site = new HttpSite({
    settings,
    now: () => 0,
    page: { index: () => undefined, asset: async () => undefined },
    endpointOf: async () => ({ post, other: post, close: async () => {} }),
    authority: {
      admit: async () => {
        token.looks++
        if (!token.isValid) return { status: 401, message: "The token is not right." }
        return { space: "anna", name: "anna", credential: "anna", readOnly: false, limits }
      },
      recall: async () => undefined,
      invite: async () => ({ status: 503, message: "" }),
      logIn: async () => undefined,
      logOut: () => {},
      sign: () => "",
    },
  })
  const bounds = {
    connections: settings.httpConnections,
    requests: settings.httpRequests,
    body: settings.httpBody,
    bodies: 5000,
    allBodies: 20_000,
    smallBodies: 100,
    unread: 60_000,
  }
  const listening = await nodeListen(place, site, bounds)
  onTestFinished(() => listening.close(0))
  /** Connections, each with a request that is admitted and has no body yet. */
  const begin = async (count: number): Promise<readonly Socket[]> => {
    const sockets = await Promise.all(Array.from({ length: count }, () => opened(listening)))
    for (const socket of sockets) socket.write(head)
    await expect.poll(() => token.looks).toBe(count)
    return sockets
  }
  return { token, site, begin }
}

it("N5 the share of a principal holds for requests whose bodies arrive together", async () => {
  let running = 0
  const { begin } = await listen(() => {
    running++
    return new Promise(() => {})
  })
  const sockets = await begin(8)
  const replies = sockets.map(() => "")
  for (const [at, socket] of sockets.entries()) {
    socket.setEncoding("utf8").on("data", (text: string) => (replies[at] += text))
    socket.write(body)
  }
  const refused = () => replies.filter((reply) => reply.includes("2 requests of this principal are under way"))
  await expect.poll(() => refused().length + running).toBe(8)
  expect(running).toBe(2)
  expect(refused()[0]).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 1\r\n/i)
})

it("N7 a call whose body arrives after the end began is refused", async () => {
  let ran = 0
  const { site, begin } = await listen(async () => {
    ran++
    return { status: 200, body: "" }
  })
  const [socket] = await begin(1)
  await Effect.runPromise(site.drain(1000))
  socket!.end(body)
  expect(await textOf(socket!)).toMatch(/^HTTP\/1\.1 503/)
  expect(ran).toBe(0)
})

it("N11 a call whose body arrives after its token was removed does not run: its connection is closed", async () => {
  let ran = 0
  const { token, begin } = await listen(async () => {
    ran++
    return { status: 200, body: "" }
  })
  const [socket] = await begin(1)
  token.isValid = false
  expect(await textOf(socket!)).toBe("")
  socket!.end(body)
  expect(ran).toBe(0)
})
