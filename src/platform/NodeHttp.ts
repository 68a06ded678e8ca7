/**
 * The HTTP listener of `mcp/http` on Node's sockets.
 *
 * Guarantees: a head is judged before the body is read; a body is read up to its limit, and within a minute; an answer's head is written at once,
 * its body no faster than the client reads it; the request's signal aborts when the client leaves; connections and requests above the limits are
 * refused with a sentence.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Bounds, Head, Listener, Listening, Place, Refusal, Site } from "../mcp/http/Listener.ts"
import { Connections } from "./connections.ts"

const bodyWithin = 60_000
/** A connection without a complete head after this time, ms, is closed. */
const headWithin = 5000
/** How long a refused or replaced connection has to read the reason, ms. */
const toldWithin = 1000
/** The time between two checks that an open request would still be admitted, ms. */
const admittedFor = 1000

/** One error for all requests: making one takes a stack trace. */
const over = new DOMException("The request is over.", "AbortError")

const headOf = ({ method = "", url = "", headers }: IncomingMessage): Head => ({
  method,
  path: url.split("?")[0]!,
  header: (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  },
})

/** The body; undefined when it is too long. Rejects when the client is gone. */
const bodyOf = async (message: IncomingMessage, most: number): Promise<string | undefined> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of message as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/**
 * Sends everything that is written before the event loop continues in one system call. The socket is corked and not the response: Node 22.23 mixes
 * up the pieces of a response that ends while it is corked.
 */
const together = ({ socket }: ServerResponse): void => {
  socket?.cork()
  process.nextTick(() => socket?.uncork())
}

const send = async (response: Response, to: ServerResponse): Promise<void> => {
  together(to)
  to.writeHead(response.status, Object.fromEntries(response.headers))
  to.flushHeaders()
  const reader = response.body?.getReader()
  if (reader === undefined) return void to.end()
  to.once("close", () => void reader.cancel().catch(() => {}))
  for (;;) {
    const { done, value } = await reader.read()
    if (done || to.destroyed) break
    together(to)
    if (!to.write(value)) await new Promise<void>((resolve) => void to.once("drain", resolve).once("close", resolve))
  }
  to.end()
}

const site = (parts: Site, bounds: Bounds, connections: Connections<Socket>) => {
  let open = 0

  const refuse = (refusal: Refusal, to: ServerResponse): void => {
    const body = parts.bodyOf(refusal)
    to.writeHead(refusal.status, {
      ...Object.fromEntries(refusal.headers ?? []),
      "content-type": "application/json",
      connection: "close",
    }).end(body)
  }

  const answer = async (message: IncomingMessage, to: ServerResponse): Promise<void> => {
    const head = headOf(message)
    const judged = await parts.judge(head)
    if ("isStill" in judged && judged.principal !== undefined) connections.shown(message.socket, judged.principal.space)
    if ("status" in judged || open > bounds.requests) {
      message.resume()
      return refuse("status" in judged ? judged : parts.tooMany, to)
    }
    const body = await bodyOf(message, bounds.body)
    if (body === undefined) return refuse(parts.tooLarge, to)
    const gone = new AbortController()
    const look = setInterval(() => void judged.isStill().then((is) => is || to.destroy()), admittedFor)
    // Only now does the connection count as busy: one with half a body must not keep its place.
    connections.begin(message.socket)
    to.once("close", () => {
      connections.end(message.socket)
      clearInterval(look)
      gone.abort(over)
    })
    if (to.destroyed) return clearInterval(look)
    const headers = Object.entries(message.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    )
    const request = new Request(`http://${message.headers.host}${message.url}`, { method: head.method, headers, signal: gone.signal })
    await send(await parts.answer(request, body, judged), to)
  }

  return (message: IncomingMessage, to: ServerResponse): void => {
    // The connection was replaced and reads the reason.
    if (!connections.has(message.socket)) return void message.resume()
    open++
    to.once("close", () => open--)
    // The client left, or the answer failed half-way: nothing more can be sent.
    answer(message, to).catch(() => to.destroy())
  }
}

/** The response for a connection above the limit, before any request of it. */
const refused = (most: number): string => {
  const words = `${most} connections are open, which is the limit (K3_HTTP_CONNECTIONS).\n`
  const head = ["HTTP/1.1 503 Service Unavailable", "content-type: text/plain", "connection: close", `content-length: ${words.length}`]
  return `${head.join("\r\n")}\r\n\r\n${words}`
}

const listen = async ({ host, port }: Place, parts: Site, bounds: Bounds): Promise<Listening> => {
  // Loaded here since it takes 10 ms and more, and most servers never listen.
  const { createServer } = await import("node:http")
  const connections = new Connections<Socket>(bounds.connections)
  const within = { headersTimeout: headWithin, requestTimeout: bodyWithin, keepAliveTimeout: bodyWithin, connectionsCheckingInterval: 1000 }
  const server = createServer(within, site(parts, bounds, connections))
  server.on("connection", (socket) => {
    socket.once("close", () => connections.remove(socket))
    const loser = connections.add(socket, socket.remoteAddress ?? "")
    if (loser === undefined) return
    loser.end(loser.bytesRead === 0 ? refused(bounds.connections) : "")
    setTimeout(() => loser.destroy(), toldWithin).unref()
  })
  const close = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const idle = setInterval(() => server.closeIdleConnections(), 20)
      const late = setTimeout(() => server.closeAllConnections(), ms)
      server.close(() => {
        clearInterval(idle)
        clearTimeout(late)
        resolve()
      })
      server.closeIdleConnections()
    })
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new Error(error.code === "EADDRINUSE" ? `${host}:${port} is in use by another program` : error.message)),
    )
    server.listen(port, host, () => {
      server.on("error", () => {})
      const { address, family, port: had } = server.address() as AddressInfo
      resolve({ url: `http://${family === "IPv6" ? `[${address}]` : address}:${had}/mcp`, close })
    })
  })
}

/** `authority`: reads the local person's token, or makes it. */
export const listener = (authority: Listener["authority"], page: Listener["page"]): Listener => ({ authority, page, listen })
