/**
 * The sessions of the older era's transport: each a server of its own, for as long as it is used.
 *
 * Guarantees: an id that this server signed is served for ever, also by the server that comes after it: clients of that era neither
 * initialise again nor say that they leave; the id names the caller too. There are no more than `most`; the one that was used longest ago makes room. Does not: bring
 * back what a revived one had subscribed to.
 */
import { WebStandardStreamableHTTPServerTransport, type Server } from "@modelcontextprotocol/server"
import { callerOf } from "../callerOf.ts"
import { INVALID_REQUEST } from "../message.ts"

interface Entry {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly close: () => void
  /** It is connected, and as behind its initialisation when it was revived. */
  ready: Promise<unknown>
  /** Messages whose answers were not read yet. A stream that only listens does not count: it is opened again. */
  open: number
  /** Ids of the requests among them: the SDK would leave the first of two with the same id unanswered. */
  readonly ids: Set<unknown>
}

interface Parts {
  readonly most: number
  readonly sign: (text: string) => string
  /** A server for one session of that caller, by its id, and what is to be done at its end. */
  readonly make: (caller: string, id: string) => { readonly server: Server; readonly close: () => void }
}

const spoken = "2025-11-25"

export class TransportSessions {
  private readonly all = new Map<string, Entry>()

  constructor(private readonly parts: Parts) {}

  /** A request of the older era. */
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

  /** The session that the id was of. */
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

  /** The SDK leaves the stream of a cancelled request open. */
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

/** As if the client had initialised it with that id. */
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
