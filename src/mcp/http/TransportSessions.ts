/**
 * The transport sessions of the legacy era over HTTP, each with a server of the SDK.
 *
 * Guarantees: an id that this server signed is accepted for ever, also after a restart, since clients of that era neither initialise again nor
 * announce their end; a session of such an id is revived at its next request. The id names the caller too. From `most` sessions on, the
 * least recently used idle one is closed for each new one. Does not: restore the subscriptions of a revived session.
 */
import { WebStandardStreamableHTTPServerTransport, type Server } from "@modelcontextprotocol/server"
import { callerOf } from "../callerOf.ts"
import { INVALID_REQUEST } from "../message.ts"

interface Entry {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly close: () => void
  /** Resolves when the server is connected, and a revived session is initialised. */
  ready: Promise<unknown>
  /** The number of messages whose answers are not read yet. A stream that only listens does not count: clients open it again. */
  open: number
  /** The ids of the running requests: the SDK would leave the first of two requests with the same id unanswered. */
  readonly ids: Set<unknown>
}

interface Parts {
  readonly most: number
  readonly sign: (text: string) => string
  /** Makes a server for one session of that caller; `close` is called at the session's end. */
  readonly make: (caller: string, id: string) => { readonly server: Server; readonly close: () => void }
}

const spoken = "2025-11-25"

export class TransportSessions {
  private readonly all = new Map<string, Entry>()

  constructor(private readonly parts: Parts) {}

  /** Handles a request of the legacy era. */
  async handle(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id")
    if (id === null) return this.begin(request, parsedBody)
    const entry = this.all.get(id) ?? (this.isSigned(id) ? this.revive(id, request) : undefined)
    if (entry === undefined) return refuse(404, -32001, "Session not found: its id is not of this server. Initialise again.")
    this.all.delete(id)
    this.all.set(id, entry)
    if (request.method === "POST") {
      const asked = requestId(parsedBody)
      if (asked !== undefined && entry.ids.has(asked))
        return refuse(400, INVALID_REQUEST, `Invalid request: a request with id ${JSON.stringify(asked)} is still running`)
      entry.open++
      entry.ids.add(asked)
      request.signal.addEventListener("abort", () => {
        entry.open--
        entry.ids.delete(asked)
      })
    }
    await entry.ready
    const response = await entry.transport.handleRequest(request, { parsedBody })
    this.endCancelled(entry, parsedBody)
    return response
  }

  close(): void {
    for (const id of this.all.keys()) this.drop(id)
  }

  private async begin(request: Request, parsedBody: unknown): Promise<Response> {
    const { method, params } = (parsedBody ?? {}) as { readonly method?: unknown; readonly params?: Fields }
    if (method !== "initialize") return refuse(400, -32000, "Bad request: Mcp-Session-Id is missing. Send initialize first.")
    const { transport, ready } = this.add(this.newId(callerOf(nameOf(params))))
    await ready
    return transport.handleRequest(request, { parsedBody })
  }

  /** Makes a session for a signed id that is not held: of an earlier server, or closed to make room. */
  private revive(id: string, request: Request): Entry {
    const entry = this.add(id)
    entry.ready = entry.ready.then(() => initialize(entry.transport, id, request))
    return entry
  }

  private add(id: string): Entry {
    const idle = [...this.all].find(([, { open }]) => open === 0)
    if (this.all.size >= this.parts.most && idle !== undefined) this.drop(idle[0])
    const [unique, caller] = id.split(".")
    const { server, close } = this.parts.make(caller!, unique!)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.drop(id),
    })
    const entry = { transport, close, ready: server.connect(transport), open: 0, ids: new Set() }
    this.all.set(id, entry)
    return entry
  }

  private drop(id: string): void {
    const entry = this.all.get(id)
    this.all.delete(id)
    entry?.close()
    void entry?.transport.close()
  }

  /** Closes the stream of a cancelled request, which the SDK leaves open. */
  private endCancelled({ transport }: Entry, body: unknown): void {
    const { method, params } = (body ?? {}) as { readonly method?: unknown; readonly params?: { readonly requestId?: string | number } }
    if (method === "notifications/cancelled" && params?.requestId !== undefined) transport.closeSSEStream(params.requestId)
  }

  private newId(caller: string): string {
    const name = `${crypto.randomUUID()}.${caller}`
    return `${name}.${this.parts.sign(name)}`
  }

  private isSigned(id: string): boolean {
    const [, name, signature] = /^([\w-]{36}\.\w+)\.([^.]+)$/.exec(id) ?? []
    return name !== undefined && signature === this.parts.sign(name)
  }
}

const requestId = (body: unknown): unknown => {
  const { method, id } = (body ?? {}) as { readonly method?: unknown; readonly id?: unknown }
  return method === undefined ? undefined : id
}

type Fields = { readonly clientInfo?: { readonly name?: unknown } }

const nameOf = (params: Fields | undefined): string | undefined => {
  const name = params?.clientInfo?.name
  return typeof name === "string" ? name : undefined
}

/** Initialises a revived session in the client's place. */
const initialize = async (
  transport: WebStandardStreamableHTTPServerTransport,
  id: string,
  { url, headers: given }: Request,
): Promise<void> => {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const params = {
    protocolVersion: given.get("mcp-protocol-version") ?? spoken,
    capabilities: {},
    clientInfo: { name: "revived", version: "" },
  }
  const opening = await transport.handleRequest(new Request(url, { method: "POST", headers }), {
    parsedBody: { jsonrpc: "2.0", id: "revive", method: "initialize", params },
  })
  await opening.text()
  await transport.handleRequest(new Request(url, { method: "POST", headers: { ...headers, "mcp-session-id": id } }), {
    parsedBody: { jsonrpc: "2.0", method: "notifications/initialized" },
  })
}

const refuse = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })
