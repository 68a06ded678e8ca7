/** N8: streams whose client leaves, or reads late, and requests behind them on one connection. */
import { connect, type Socket } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import type { Head, HttpAnswer, HttpRequest } from "../../src/mcp/http/Listener.ts"
import { unlimited } from "../../src/mcp/http/Principal.ts"
import { listen } from "../../src/platform/NodeHttp.ts"

const none = { status: 500 }
const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

/** Makes connections to a site that `answer` answers; at most ten requests may be under way. The path of a request names its principal. */
const serve = async (answer: (request: HttpRequest) => Promise<HttpAnswer>, unread = 60_000): Promise<() => Socket> => {
  const admit = async ({ path: space }: Head) => ({
    principal: { name: space, space, credential: space, readOnly: false, limits: unlimited },
    isStill: async () => true,
  })
  const site = { admit, tooLarge: none, tooMany: none, tooMuch: { status: 429 }, answer }
  const bounds = { connections: 10, requests: 10, body: 1000, bodies: 1500, allBodies: 2500, smallBodies: 100, unread }
  const place = { host: "127.0.0.1", port: 0 }
  const { url, close } = await listen(place, site, bounds)
  onTestFinished(() => close(0))
  return () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    return socket
  }
}

/** A connection with a request that `answer` answers. */
const ask = async (answer: (request: HttpRequest) => Promise<HttpAnswer>, unread?: number): Promise<Socket> => {
  const socket = (await serve(answer, unread))()
  socket.write(request("/"))
  return socket
}

/** The first line that the connection receives. */
const lineFrom = (socket: Socket): Promise<string> =>
  new Promise((resolve) => void socket.setEncoding("latin1").once("data", (text: string) => resolve(text.split("\r\n")[0]!)))

it("N8 a stream whose client left before it began is cancelled", { timeout: 10_000 }, async () => {
  let isCancelled = false
  let begun: (() => void) | undefined
  const beginning = new Promise<void>((resolve) => (begun = resolve))
  const socket = await ask(async ({ onOver }) => {
    begun!()
    await new Promise<void>((resolve) => onOver(() => resolve()))
    const body = new ReadableStream<Uint8Array>({
      pull: (to) => to.enqueue(new Uint8Array(1)),
      cancel: () => void (isCancelled = true),
    })
    return { status: 200, type: "text/event-stream", body }
  })
  await beginning
  socket.destroy()
  await expect.poll(() => isCancelled, { timeout: 5000 }).toBe(true)
})

it("N8 a stream that is read late leaves no listeners behind", async () => {
  const warnings: string[] = []
  const hear = ({ message }: Error): void => void warnings.push(message)
  process.on("warning", hear)
  onTestFinished(() => void process.off("warning", hear))
  let left = 40
  const pull = (to: ReadableStreamDefaultController<Uint8Array>): void => (left-- > 0 ? to.enqueue(new Uint8Array(256 * 1024)) : to.close())
  const socket = await ask(async () => ({ status: 200, body: new ReadableStream<Uint8Array>({ pull }) }))
  let end = ""
  await new Promise<void>((resolve) => {
    socket.setEncoding("latin1").on("data", (text: string) => {
      end = `${end}${text}`.slice(-5)
      if (end === "0\r\n\r\n") resolve()
    })
  })
  expect(warnings).toEqual([])
})

it("N8 a client that reads nothing of a stream for too long loses its connection", { timeout: 60_000 }, async () => {
  let isOver = false
  const socket = await ask(async ({ onOver }) => {
    onOver(() => (isOver = true))
    return { status: 200, body: new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(256 * 1024)) }) }
  }, 500)
  socket.pause()
  await expect.poll(() => isOver, { timeout: 50_000 }).toBe(true)
})

/** A connection with an answer that never ends, and sixteen requests behind it, which were answered. */
const pipelined = async () => {
  let answered = 0
  let over = 0
  const open = await serve(async ({ path, onOver }) => {
    if (path === "/endless") return { status: 200, body: new ReadableStream<Uint8Array>() }
    onOver(() => over++)
    answered++
    return { status: 200, body: "done" }
  })
  const socket = open()
  socket.write(request("/endless"))
  for (const sent of [8, 16]) {
    socket.write(request("/").repeat(8))
    await expect.poll(() => answered).toBe(sent)
  }
  return { socket, open, over: () => over }
}

it("N8 answers that wait behind an earlier one of their connection take no place from other clients", async () => {
  const { open } = await pipelined()
  const other = open()
  other.write(request("/"))
  expect(await lineFrom(other)).toBe("HTTP/1.1 200 OK")
})

it("N8 requests behind another one end with their connection", async () => {
  const { socket, over } = await pipelined()
  socket.destroy()
  await expect.poll(over).toBe(16)
})

it("N8 the bodies of open requests are limited in sum: one too many is refused, and the others are answered", async () => {
  const make = await serve(async ({ body }) => ({ status: 200, body: `${body.length}` }))
  const post = (bytes: number): string => `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${bytes}\r\n\r\n`
  const first = make()
  const second = make()
  first.write(post(900) + "a".repeat(800))
  second.write(post(900) + "b".repeat(800))
  // The server reads one of them first, and refuses the other.
  const refused = await Promise.race([first, second].map(async (socket) => ({ socket, line: await lineFrom(socket) })))
  expect(refused.line).toBe("HTTP/1.1 429 Too Many Requests")
  const other = refused.socket === first ? second : first
  const answered = lineFrom(other)
  other.write("c".repeat(100))
  expect(await answered).toBe("HTTP/1.1 200 OK")
  const third = make()
  const last = lineFrom(third)
  third.write(post(1000) + "d".repeat(1000))
  expect(await last).toBe("HTTP/1.1 200 OK")
})

it("N8 the bodies of all principals are limited in sum, and small ones are always taken", async () => {
  let held = 0
  const make = await serve(async ({ path, body }) => {
    if (path === "/d" || path === "/e") return { status: 200, body: `${body.length}` }
    held++
    return new Promise<HttpAnswer>(() => {})
  })
  const post = (space: string, bytes: number): Socket => {
    const socket = make()
    socket.write(`POST /${space} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${bytes}\r\n\r\n${"a".repeat(bytes)}`)
    return socket
  }
  for (const [space, bytes] of Object.entries({ a: 1000, b: 1000, c: 500 })) post(space, bytes)
  await expect.poll(() => held).toBe(3)
  expect(await lineFrom(post("d", 101))).toBe("HTTP/1.1 429 Too Many Requests")
  expect(await lineFrom(post("e", 100))).toBe("HTTP/1.1 200 OK")
})
