/**
 * The HTTP listener of `mcp/http` on Node's sockets.
 *
 * Guarantees: a head is checked before the body is read; a body is read up to its limit, and within a minute, and kept only when the request has a
 * token; the bodies of open requests are limited in sum, of one principal and of all; an answer's head is written at once, its body no faster than
 * the client reads it; a client that reads nothing for too long loses its connection; the request's signal aborts when the client leaves;
 * connections and requests above the limits are refused with a sentence.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Admission, Bounds, Head, HttpAnswer, HttpRequest, Listener, Site } from "../mcp/http/Listener.ts"
import { Connections } from "./connections.ts"

const bodyWithin = 60_000
/** A connection without a complete head after this time, ms, is closed. */
const headWithin = 5000
/** The time that a refused or replaced connection has to read the reason, ms. */
const toldWithin = 1000
/** The time between two checks that an open request would still be admitted, ms. */
const admittedFor = 1000
/** The number of pieces of a body that are joined into one: a piece of a byte takes hundreds of bytes. */
const joinedAt = 1000

/** One error for all requests, since each new error costs a stack trace. */
const over = new DOMException("The request is over.", "AbortError")

const headOf = ({ method = "", url = "", headers }: IncomingMessage): Head => ({
  method,
  path: url.split("?")[0]!,
  header: (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  },
})

/** The body, or the refusal that `count` gives to one of its pieces. Rejects when the client is gone. */
const bodyOf = (message: IncomingMessage, count: (bytes: number) => HttpAnswer | undefined): Promise<string | HttpAnswer> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let joined = 0
    const hold = (chunk: Uint8Array): void => {
      chunks.push(chunk)
      if (chunks.length - joined === joinedAt) chunks.push(Buffer.concat(chunks.splice(joined++)))
      const refusal = count(chunk.length)
      if (refusal === undefined) return
      // The rest is read, since a client that still sends may not read the refusal, and is not held.
      chunks.length = 0
      message.off("data", hold).resume()
      resolve(refusal)
    }
    message.on("data", hold)
    message.once("end", () => resolve(Buffer.concat(chunks.splice(0)).toString("utf8"))).once("close", reject)
  })

const webOf = ({ headers: given, url, method = "" }: IncomingMessage, onOver: HttpRequest["onOver"]): Request => {
  const gone = new AbortController()
  onOver(() => gone.abort(over))
  const headers = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  )
  return new Request(`http://${given.host}${url}`, { method, headers, signal: gone.signal })
}

/**
 * Sends everything that is written before the event loop continues in one system call. The socket is corked and not the response: Node 22.23 mixes
 * up the pieces of a response that ends while it is corked.
 */
const together = ({ socket }: ServerResponse): void => {
  socket?.cork()
  process.nextTick(() => socket?.uncork())
}

const send = async ({ status, type, headers = [], body }: HttpAnswer, to: ServerResponse): Promise<void> => {
  const head = { ...Object.fromEntries(headers), ...(type !== undefined && { "content-type": type }) }
  if (!(body instanceof ReadableStream)) {
    to.writeHead(status, { "content-length": body === undefined ? 0 : Buffer.byteLength(body), ...head })
    return void to.end(body)
  }
  // The client left before the stream began: a reader that is never cancelled would count as open for ever.
  if (to.destroyed) return body.cancel()
  to.writeHead(status, head)
  together(to)
  to.flushHeaders()
  const reader = body.getReader()
  /** Set while the client reads late. One listener of each kind serves all waits of the stream. */
  let goOn = (): void => {}
  to.on("drain", () => goOn()).once("close", () => {
    goOn()
    reader.cancel().catch(() => {})
  })
  for (;;) {
    const { done, value } = await reader.read()
    if (done || to.destroyed) break
    together(to)
    if (!to.write(value)) await new Promise<void>((resolve) => (goOn = resolve))
  }
  to.end()
}

const refuse = (refusal: HttpAnswer, to: ServerResponse): Promise<void> =>
  send({ ...refusal, headers: [...(refusal.headers ?? []), ["connection", "close"]] }, to)

/** The requests of all connections. */
class Requests {
  /** The requests that are not answered. */
  private readonly open = new Set<ServerResponse>()
  /** The bytes of the bodies of open requests, by space, and of all. */
  private readonly received = new Map<string, number>()
  private receivedByAll = 0
  /** The open requests, each with the check that it would still be admitted. */
  private readonly heard = new Map<ServerResponse, Admission["isStill"]>()
  /** The requests that were closed because they would no longer be admitted. */
  private readonly refused = new WeakSet<ServerResponse>()
  /** The responses of each connection that are not over. */
  private readonly unfinished = new WeakMap<Socket, Set<ServerResponse>>()

  constructor(
    private readonly site: Site,
    private readonly bounds: Bounds,
    private readonly connections: Connections<Socket>,
  ) {}

  readonly begin = (message: IncomingMessage, to: ServerResponse): void => {
    // The connection was refused or replaced, and is about to close.
    if (!this.connections.has(message.socket)) return void message.resume()
    this.open.add(to)
    const end = (): boolean => this.open.delete(to)
    const listeners: ((isRefused: boolean) => void)[] = [end]
    let isOver = false
    const beside = this.unfinished.get(message.socket) ?? new Set()
    this.unfinished.set(message.socket, beside.add(to))
    to.once("close", () => {
      beside.delete(to)
      isOver = true
      for (const listener of listeners) listener(this.refused.has(to))
    })
    const onOver: HttpRequest["onOver"] = (listener) => (isOver ? listener(this.refused.has(to)) : void listeners.push(listener))
    void this.answer(message, to, onOver)
      // The client left, or the answer failed half-way: nothing more can be sent.
      .catch(() => to.destroy())
      // A whole answer may wait behind another one that its client does not read: it is under way no longer.
      .finally(end)
  }

  /** Closes the responses of a lost connection. Node closes the first of them, and not those behind it, as of requests sent without waiting. */
  lost(connection: Socket): void {
    for (const to of this.unfinished.get(connection) ?? []) to.destroy().emit("close")
  }

  readonly look = (): void => [...this.heard].forEach((request) => void this.lookAt(request))

  /** Closes the connection of a request that would no longer be admitted. */
  private async lookAt([to, isStill]: readonly [ServerResponse, Admission["isStill"]]): Promise<void> {
    if (await isStill()) return
    this.refused.add(to)
    to.destroy()
  }

  private readonly answer = async (message: IncomingMessage, to: ServerResponse, onOver: HttpRequest["onOver"]): Promise<void> => {
    const { site, bounds, connections } = this
    const head = headOf(message)
    const admission = await site.admit(head)
    if ("isStill" in admission && admission.principal !== undefined) connections.shown(message.socket, admission.principal.space)
    if ("status" in admission || this.open.size > bounds.requests) {
      message.resume()
      return refuse("status" in admission ? admission : site.tooMany, to)
    }
    // From the head on: a body may take a minute, in which the token may be removed.
    this.heard.set(to, admission.isStill)
    onOver(() => this.heard.delete(to))
    if (to.destroyed) return
    if (message.headers.expect !== undefined && message.httpVersion === "1.1") to.writeContinue()
    // A request that needs no token needs no body, and anybody could send one.
    const body = admission.principal === undefined ? "" : await bodyOf(message, this.counting(admission.principal.space, onOver))
    if (typeof body !== "string") return refuse(body, to)
    // The connection counts as busy only after the whole body: a connection with half a body must not keep its place.
    connections.begin(message.socket)
    onOver(() => connections.end(message.socket))
    if (to.destroyed) return
    // The copy comes last, as in `callOf`.
    const request = { target: message.url ?? "", body, onOver, toWeb: () => webOf(message, onOver), ...head }
    await send(await site.answer(request, admission), to)
  }

  /** Counts a body towards its space while its request is open. The function that counts a piece gives the refusal of a piece too many. */
  private counting(space: string, onOver: HttpRequest["onOver"]): (bytes: number) => HttpAnswer | undefined {
    const { site, bounds, received } = this
    let own = 0
    onOver(() => {
      this.receivedByAll -= own
      const left = (received.get(space) ?? 0) - own
      if (left === 0) received.delete(space)
      else received.set(space, left)
    })
    return (bytes) => {
      own += bytes
      this.receivedByAll += bytes
      const all = (received.get(space) ?? 0) + bytes
      received.set(space, all)
      if (own > bounds.body) return site.tooLarge
      if (this.receivedByAll > bounds.allBodies && all > bounds.smallBodies) return site.tooMuch
      // A body alone is limited by its own limit, which may be the larger one.
      return all > bounds.bodies && all > own ? site.tooMuch : undefined
    }
  }
}

/** The response to a refused or replaced connection that has sent nothing yet. */
const tooManyConnections = (most: number): string => {
  const words = `${most} connections are open, which is the limit (K3_HTTP_CONNECTIONS).\n`
  const head = ["HTTP/1.1 503 Service Unavailable", "content-type: text/plain", "connection: close", `content-length: ${words.length}`]
  return `${head.join("\r\n")}\r\n\r\n${words}`
}

export const listen: Listener = async ({ host, port }, site, bounds) => {
  // Loading `node:http` takes 10 ms and more, and most servers never listen.
  const { createServer } = await import("node:http")
  const connections = new Connections<Socket>(bounds.connections)
  const within = { headersTimeout: headWithin, requestTimeout: bodyWithin, keepAliveTimeout: bodyWithin, connectionsCheckingInterval: 1000 }
  const requests = new Requests(site, bounds, connections)
  // Without a listener of its own, Node tells a client that asks before it sends the body to go on, whatever its head.
  const server = createServer(within, requests.begin).on("checkContinue", requests.begin)
  // A socket that moves bytes in either direction within this time is not closed.
  server.timeout = bounds.unread
  const looking = setInterval(requests.look, admittedFor).unref()
  server.on("connection", (socket) => {
    socket.once("close", () => {
      connections.remove(socket)
      requests.lost(socket)
    })
    const loser = connections.add(socket, socket.remoteAddress ?? "")
    if (loser === undefined) return
    loser.end(loser.bytesRead === 0 ? tooManyConnections(bounds.connections) : "")
    setTimeout(() => loser.destroy(), toldWithin).unref()
  })
  const close = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const idle = setInterval(() => server.closeIdleConnections(), 20)
      const late = setTimeout(() => server.closeAllConnections(), ms)
      server.close(() => {
        clearInterval(idle)
        clearInterval(looking)
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
