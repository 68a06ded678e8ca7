/**
 * The transport sessions of the legacy era over HTTP, each with a server of the SDK.
 *
 * Guarantees: an id that this server signed is accepted for ever, also after a restart, since clients of that era neither initialise again nor
 * announce their end; a session of such an id is revived at its next request. The id names the caller too, and says whether the client shows
 * views; a revived session has no other capability of its client. From `most` sessions on, the least recently used idle one is closed for each
 * new one. A revived session has its subscriptions again before it answers. Does not: keep them (`session/Subscriptions.ts`).
 */
import { type JSONRPCMessage, WebStandardStreamableHTTPServerTransport, type Server } from "@modelcontextprotocol/server"
import type * as Fiber from "effect/Fiber"
import { callerOf } from "../callerOf.ts"
import { cancelledBy, field, type Id, INVALID_REQUEST, LEGACY_VERSION, stillRunning } from "../message.ts"
import type { ToolCall } from "../toolCall.ts"
import { showingViews, showsViews } from "../views.ts"
import { refuse } from "./guards.ts"
import { answerOf, type HttpAnswer, type HttpRequest } from "./Listener.ts"

interface Entry extends SessionParts {
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Resolves when the server is connected, and a revived session is initialised. */
  ready: Promise<unknown>
  /**
   * The number of messages whose answers are not read yet, and of requests without an answer. A stream that only listens does not count: clients open
   * it again.
   */
  unanswered: number
  /** The ids of the running requests: the SDK would leave the first of two requests with the same id unanswered. */
  readonly ids: Set<unknown>
  /** The calls that run without the SDK. */
  readonly running: Map<unknown, Fiber.Fiber<unknown>>
}

/** Gets the fiber of a call that has begun. */
export type OnBegun = (fiber: Fiber.Fiber<unknown>) => void

/** The parts of one session. */
export interface SessionParts {
  readonly server: Server
  readonly close: () => void
  /** Gives a revived session its subscriptions. */
  readonly restore: () => Promise<void>
  /** The client has ended the session. */
  readonly forget: () => void
  readonly run: (call: ToolCall, onBegun: OnBegun) => Promise<HttpAnswer>
}

interface Parts {
  readonly most: number
  readonly sign: (text: string) => string
  /** Makes a server for one session of that caller; `close` is called at the session's end. */
  readonly make: (caller: string, id: string) => SessionParts
}

/** The part of an id between its caller and its signature when the client shows views. */
const VIEWS = "views"

export class TransportSessions {
  private readonly all = new Map<string, Entry>()

  constructor(private readonly parts: Parts) {}

  /** Handles a request of the legacy era. `call`: the plain call in it. */
  async handle(request: HttpRequest, message: JSONRPCMessage | undefined, call?: ToolCall): Promise<HttpAnswer> {
    const id = request.header("mcp-session-id")
    if (id === undefined) return this.begin(request, message)
    const entry = this.all.get(id) ?? (this.isSigned(id) ? this.revive(id, request.toWeb()) : undefined)
    if (entry === undefined)
      return refuse(404, { code: -32001, message: "Session not found: its id is not of this server. Initialise again." })
    this.all.delete(id)
    this.all.set(id, entry)
    if (request.method === "POST") {
      const asked = message !== undefined && "method" in message && "id" in message ? message.id : undefined
      if (asked !== undefined && entry.ids.has(asked)) return refuse(400, { code: INVALID_REQUEST, message: stillRunning(asked) })
      entry.unanswered++
      entry.ids.add(asked)
      request.onOver((isRefused) => {
        entry.unanswered--
        entry.ids.delete(asked)
        if (isRefused && asked !== undefined) this.cancel(entry, asked)
      })
    }
    if (call !== undefined) return entry.ready.then(() => entry.run(call, (fiber) => follow(entry, call, fiber)))
    const answer = await answerOfSdk(entry, request, message)
    this.endCancelled(entry, message)
    return answer
  }

  close(): void {
    for (const id of this.all.keys()) this.drop(id)
  }

  private async begin(request: HttpRequest, message: JSONRPCMessage | undefined): Promise<HttpAnswer> {
    if (field(message, "method") !== "initialize")
      return refuse(400, { code: -32000, message: "Bad request: Mcp-Session-Id is missing. Send initialize first." })
    const params = field(message, "params")
    const caller = callerOf(field(field(params, "clientInfo"), "name"))
    const id = this.newId(showsViews(field(params, "capabilities")) ? `${caller}.${VIEWS}` : caller)
    const answer = await answerOfSdk(this.add(id), request, message)
    // The id of a refused session reached nobody, so it needs no room.
    if (answer.status < 400) this.makeRoom(id)
    else this.drop(id)
    return answer
  }

  /** Makes the session of a signed id again: an earlier server had it, or it was closed to make room. */
  private revive(id: string, request: Request): Entry {
    const entry = this.add(id)
    this.makeRoom(id)
    entry.ready = entry.ready.then(() => initialize(entry.transport, id, request)).then(entry.restore)
    return entry
  }

  private add(id: string): Entry {
    const [unique, caller] = id.split(".")
    const own = this.parts.make(caller!, unique!)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => {
        own.forget()
        this.drop(id)
      },
    })
    const entry = { ...own, transport, ready: own.server.connect(transport), unanswered: 0, ids: new Set(), running: new Map() }
    this.all.set(id, entry)
    return entry
  }

  /** Closes an idle session, the least recently used one, if there are more than `most`. */
  private makeRoom(newest: string): void {
    const idle = [...this.all].find(([id, { unanswered }]) => unanswered === 0 && id !== newest)
    if (this.all.size > this.parts.most && idle !== undefined) this.drop(idle[0])
  }

  private drop(id: string): void {
    const entry = this.all.get(id)
    this.all.delete(id)
    for (const fiber of entry?.running.values() ?? []) fiber.interruptUnsafe()
    entry?.close()
    void entry?.transport.close()
  }

  /** Ends a request as if its client had cancelled it. */
  private cancel(entry: Entry, requestId: Id): void {
    const cancelled = { jsonrpc: "2.0" as const, method: "notifications/cancelled", params: { requestId } }
    entry.transport.onmessage?.(cancelled)
    this.endCancelled(entry, cancelled)
  }

  /** Closes the stream of a cancelled request, which the SDK leaves open. */
  private endCancelled({ transport, running }: Entry, message: JSONRPCMessage | undefined): void {
    const id = cancelledBy(message)
    if (id === undefined) return
    running.get(id)?.interruptUnsafe()
    transport.closeSSEStream(id)
  }

  private newId(client: string): string {
    const name = `${crypto.randomUUID()}.${client}`
    return `${name}.${this.parts.sign(name)}`
  }

  private isSigned(id: string): boolean {
    const [, name, signature] = /^([\w-]{36}\.\w+(?:\.views)?)\.([^.]+)$/.exec(id) ?? []
    return name !== undefined && signature === this.parts.sign(name)
  }
}

const follow = ({ running }: Entry, { id }: ToolCall, fiber: Fiber.Fiber<unknown>): void => {
  running.set(id, fiber)
  fiber.addObserver(() => {
    if (running.get(id) === fiber) running.delete(id)
  })
}

/** Answers a request by the SDK. Until then the session is not idle, so that no other takes its place. */
const answerOfSdk = async (entry: Entry, request: HttpRequest, parsedBody: unknown): Promise<HttpAnswer> => {
  entry.unanswered++
  try {
    await entry.ready
    return answerOf(await entry.transport.handleRequest(request.toWeb(), { parsedBody }))
  } finally {
    entry.unanswered--
  }
}

/** Initialises a revived session in the client's place. */
const initialize = async (
  transport: WebStandardStreamableHTTPServerTransport,
  id: string,
  { url, headers: given }: Request,
): Promise<void> => {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", "mcp-session-id": id }
  const post = (message: object): Promise<Response> =>
    transport.handleRequest(new Request(url, { method: "POST", headers }), { parsedBody: { jsonrpc: "2.0", ...message } })
  const protocolVersion = given.get("mcp-protocol-version") ?? LEGACY_VERSION
  const capabilities = id.split(".")[2] === VIEWS ? showingViews : {}
  const params = { protocolVersion, capabilities, clientInfo: { name: "revived", version: "" } }
  await (await post({ id: "revive", method: "initialize", params })).text()
  await post({ method: "notifications/initialized" })
}
