/**
 * The MCP endpoint for one credential of a principal, in both eras, with the same servers and the same answers to calls as stdio. Plain calls of tools
 * are answered here, as on stdio: the SDK's wrapping costs more than the evaluation.
 *
 * Guarantees: every answer comes from the principal's space; a transport session of another credential does not exist here; a long answer begins
 * within `BEGUN` and is kept alive by comments. Does not: check heads, or know other credentials.
 */
import {
  createMcpHandler,
  InMemoryServerEventBus,
  isLegacyRequest,
  type JSONRPCMessage,
  type Server,
  type ServerEventBus,
} from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { type CallerInfo, Caller } from "../../session/Caller.ts"
import { readOnly } from "../../session/readOnly.ts"
import { Sessions } from "../../session/Sessions.ts"
import type { SettingValues } from "../../Settings.ts"
import { callerOf, readerIn } from "../callerOf.ts"
import {
  jsonOf,
  type Answer,
  CLIENT_KEY,
  type Era,
  type Id,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isLegacyVersion,
  MISSING_CAPABILITY,
  MODERN_VERSION,
  type RpcError,
} from "../message.ts"
import type { Identity } from "../Opening.ts"
import type { Space } from "../Space.ts"
import { makeServer, type ServerParts, type McpRequest } from "../server.ts"
import { ConnectionFacts } from "../ConnectionFacts.ts"
import { isListen, type Listen, streamAsTasks } from "../taskListening.ts"
import { eraOf, metaOf, plainCall, type ToolCall } from "../toolCall.ts"
import { answerCall, replyTo, type SendProgress } from "../ToolCalls.ts"
import { type Speaker, Updates } from "../Updates.ts"
import { begunWithin, silence } from "./begunWithin.ts"
import { refuse } from "./guards.ts"
import { answerOf, type HttpAnswer, type HttpRequest } from "./Listener.ts"
import { type OnBegun, type SessionParts, TransportSessions } from "./TransportSessions.ts"

/** The longest wait for the beginning of an answer, ms. */
const BEGUN = 1000
const CLOSED = "The call was ended: the server ends, or the limits of this principal were changed."

interface Parts {
  readonly space: Space
  /** The caller's name in the history; undefined for the client's own name. */
  readonly name: string | undefined
  /** The credential that was shown. Clients with different credentials are different clients. */
  readonly credential: string
  readonly isReadOnly: boolean
  readonly identity: Identity
  readonly facts: ConnectionFacts
  readonly settings: Pick<SettingValues, "httpSessions">
  readonly sign: (text: string) => string
  readonly mount: ServerParts["mount"]
}

/** The client of a request. */
interface RequestClient extends CallerInfo {
  readonly isPage: boolean
}

/** How a call is run, beside the call itself. */
interface Run {
  readonly era: Era
  readonly client: RequestClient
  readonly protocol: string | undefined
  readonly onBegun: OnBegun
}

export class McpEndpoint {
  /** The number of requests to listen so far, and of those that are open. */
  private listenCount = 0
  private openListens = 0
  private isClosed = false
  private readonly running = new Set<Fiber.Fiber<Answer>>()
  private readonly updates: Updates
  /** The SDK's handler of the modern era. */
  private readonly modern: ReturnType<typeof createMcpHandler>
  private readonly sessions: TransportSessions

  constructor(private readonly parts: Parts) {
    const { space, settings, sign } = parts
    const log = (error: Error): void => void space.bridge.fork(Effect.logDebug(`http: ${error.message}`))
    const bus = new InMemoryServerEventBus(log)
    this.updates = new Updates(space.bridge)
    this.modern = createMcpHandler(() => this.makeServer("modern", this.updates, this.modernClient), {
      bus,
      legacy: "reject",
      // `listen` counts them, and names the limit.
      maxSubscriptions: Infinity,
      onerror: log,
    })
    this.updates.attach(speakerOn(bus), "modern")
    space.audience.join(this.updates)
    this.sessions = new TransportSessions({ most: settings.httpSessions, sign, make: this.makeSession })
  }

  /** Answers a request with a valid message. */
  async post(request: HttpRequest, message: JSONRPCMessage): Promise<HttpAnswer> {
    const call = plainCallOf(request, message)
    // The SDK handles the others: fixtures of the conformance suite, and defined tools that are not read from disk yet.
    if (call !== undefined && this.parts.space.registry.find(call.name) !== undefined) {
      if (eraOf(message) === "legacy") return this.sessions.handle(request, message, call)
      const meta = metaOf(message)
      const info = meta?.[CLIENT_KEY] as { readonly name: string } | undefined
      const onBegun: OnBegun = (fiber) => request.onOver(() => fiber.interruptUnsafe())
      return this.run(call, { era: "modern", client: this.clientOf(info?.name, meta), protocol: MODERN_VERSION, onBegun })
    }
    const web = request.toWeb()
    if (await isLegacyRequest(web, message)) return this.sessions.handle(request, message)
    return begunWithin(BEGUN, () => (isListen(message) ? this.listen(request, web, message) : this.answerBySdk(web, message)))
  }

  /** Answers a request without a message: in the legacy era, GET to listen and DELETE to end a transport session. */
  other(request: HttpRequest): Promise<HttpAnswer> {
    return this.sessions.handle(request, undefined)
  }

  async close(): Promise<void> {
    this.isClosed = true
    for (const fiber of this.running) fiber.interruptUnsafe()
    this.sessions.close()
    this.parts.space.audience.leave(this.updates)
    await this.modern.close()
  }

  private readonly makeServer = (era: Era, updates: Updates, clientOf: (server: Server, request: McpRequest) => RequestClient): Server => {
    const { space, identity, mount } = this.parts
    /** Answers the calls that the SDK passes on. */
    const answer: ServerParts["answer"] = (call, request, server) =>
      this.answer(
        call,
        (notification) => void request.notify(notification).catch(() => {}),
        clientOf(server, request),
        server.getNegotiatedProtocolVersion(),
      )
    return makeServer({ ...space, identity, mount, caller: this.modernClient, updates, answer }, era)
  }

  private readonly modernClient = (server: Server, { _meta: meta }: McpRequest): RequestClient =>
    this.clientOf(server.getClientVersion()?.name, meta)

  /** The client of a request of the modern era. `name`: the client's own. */
  private readonly clientOf = (name: string | undefined, meta: object | undefined): RequestClient => ({
    name: this.parts.name ?? callerOf(name),
    reader: `${this.parts.credential} ${readerIn(name, meta)}`,
    isPage: callerOf(name) === "page",
  })

  private readonly answer = (call: ToolCall, send: SendProgress, { isPage, ...caller }: RequestClient, protocol = MODERN_VERSION) => {
    const { space, facts, isReadOnly } = this.parts
    const isLook = isPage && space.registry.find(call.name)?.isReadOnlyCall(call.given ?? {}) === true
    return answerCall(space, call, send).pipe(
      // A look of a person makes no session.
      Effect.updateService(Sessions, (sessions) => (isLook ? readOnly(sessions) : sessions)),
      Effect.provideService(ConnectionFacts, { ...facts, protocol, isReadOnly, isPage }),
      Effect.provideService(Caller, caller),
    )
  }

  /** Answers a plain call; `onBegun` gets its fiber, which a cancel interrupts. */
  private readonly run = (call: ToolCall, { era, client, protocol, onBegun }: Run): Promise<HttpAnswer> =>
    begunWithin(
      BEGUN,
      (tell) =>
        new Promise((resolve) => {
          const answering = this.answer(call, (notification) => tell({ jsonrpc: "2.0", ...notification }), client, protocol)
          const fiber = this.parts.space.bridge.fork(answering)
          this.running.add(fiber)
          onBegun(fiber)
          fiber.addObserver((exit) => {
            this.running.delete(fiber)
            resolve(this.answerToEnded(call, era, exit))
          })
        }),
    )

  /** The answer to a call that has ended. A client that has cancelled its call gets no message. */
  private readonly answerToEnded = (call: ToolCall, era: Era, exit: Exit.Exit<Answer>): HttpAnswer => {
    const jsonAnswer = (status: number, answer: Answer): HttpAnswer => ({
      status,
      type: "application/json",
      body: jsonOf(replyTo(call, answer, era, this.parts.identity)),
    })
    if (exit._tag === "Success") return jsonAnswer(200, exit.value)
    return this.isClosed ? jsonAnswer(503, { error: { code: INTERNAL_ERROR, message: CLOSED } }) : silence
  }

  /** Makes the parts of a transport session of the legacy era. */
  private readonly makeSession = (caller: string, id: string): SessionParts => {
    const { bridge, audience } = this.parts.space
    const keep = (addresses: readonly string[]) => Effect.flatMap(Sessions, ({ subscriptions }) => subscriptions.keep(id, addresses))
    const kept = Effect.flatMap(Sessions, ({ subscriptions }) => subscriptions.revive(id))
    const own = new Updates(bridge, undefined, keep)
    const client: RequestClient = { name: this.parts.name ?? caller, reader: id, isPage: caller === "page" }
    const server = this.makeServer("legacy", own, () => client)
    own.attach(server, "legacy")
    audience.join(own)
    return {
      server,
      close: () => audience.leave(own),
      restore: async () => own.restore(await bridge.promise(kept)),
      forget: () => void bridge.fork(keep([])),
      run: (call, onBegun) => this.run(call, { era: "legacy", client, protocol: server.getNegotiatedProtocolVersion(), onBegun }),
    }
  }

  private readonly answerBySdk = async (request: Request, message: JSONRPCMessage): Promise<HttpAnswer> =>
    answerOf(await this.modern.fetch(request, { parsedBody: message }))

  /** Handles a request to listen, which the SDK does not pass on to the server. */
  private readonly listen = async ({ onOver }: HttpRequest, request: Request, message: Listen): Promise<HttpAnswer> => {
    const { space, settings } = this.parts
    if (this.openListens >= settings.httpSessions) return refuseListening(tooManyStreams(settings.httpSessions), message.id)
    this.openListens++
    onOver(() => this.openListens--)
    if (!this.updates.asksFor(message.params)) return this.answerBySdk(request, message)
    const listener = `listen ${++this.listenCount}`
    const preparing = space.bridge.promise(this.updates.prepare(message, listener), request)
    // After the check began: a request that is over already would leave its counts in the check.
    onOver(() => this.updates.endListening(listener))
    const prepared = await preparing
    if ("fault" in prepared) return refuseListening(prepared.fault, message.id)
    const response = await this.modern.fetch(request, { parsedBody: prepared.message })
    prepared.begin()
    return answerOf(prepared.message === message ? response : streamAsTasks(response))
  }
}

/** The call in a request whose headers agree with its message; `undefined` for any other, which the SDK answers. */
const plainCallOf = ({ header }: HttpRequest, message: JSONRPCMessage): ToolCall | undefined => {
  const version = header("mcp-protocol-version")
  if (eraOf(message) === "modern") {
    const call = version === MODERN_VERSION && header("mcp-method") === "tools/call" ? plainCall(message, "modern") : undefined
    return call?.name === header("mcp-name") ? call : undefined
  }
  const accepted = header("accept") ?? ""
  const isTaken = accepted.includes("application/json") && accepted.includes("text/event-stream")
  return isTaken && (version === undefined || isLegacyVersion(version)) ? plainCall(message, "legacy") : undefined
}

const speakerOn = (bus: ServerEventBus): Speaker => ({
  sendToolListChanged: async () => bus.publish({ kind: "tools_list_changed" }),
  sendResourceListChanged: async () => bus.publish({ kind: "resources_list_changed" }),
  sendResourceUpdated: async ({ uri, ...params }) => bus.publish({ kind: "resource_updated", uri, params }),
})

const tooManyStreams = (most: number): RpcError => ({
  code: INVALID_REQUEST,
  message: `${most} requests to listen are open, which is the limit (K3_HTTP_SESSIONS): end one of them first`,
})

const refuseListening = (error: RpcError, id: Id): HttpAnswer => refuse(error.code === MISSING_CAPABILITY ? 400 : 200, { ...error, id })
