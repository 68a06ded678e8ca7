/**
 * MCP over HTTP for one principal, in both eras, with the same servers and the same answers to calls as stdio. Guarantees: every answer comes
 * from the principal's space; a transport session of another principal does not exist here; a long answer begins within `BEGUN` and is kept alive by
 * comments. Does not: judge heads, or know other principals.
 */
import { createMcpHandler, InMemoryServerEventBus, isLegacyRequest, type Server, type ServerEventBus } from "@modelcontextprotocol/server"
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import { type Asking, Caller } from "../../session/Caller.ts"
import type { Sessions } from "../../session/Sessions.ts"
import type { SettingValues, Settings } from "../../Settings.ts"
import type { Telemetry } from "../../Telemetry.ts"
import type { Audience } from "../Audience.ts"
import type { Bridge } from "../bridge.ts"
import { callerOf, readerIn } from "../callerOf.ts"
import { type Id, MISSING_CAPABILITY, MODERN_VERSION } from "../message.ts"
import type { Identity } from "../Opening.ts"
import type { Registry } from "../Registry.ts"
import { makeServer, type Parts as ServerParts, type Request as Asked } from "../server.ts"
import { Spoken, type Versions } from "../Spoken.ts"
import { streamAsTasks } from "../taskListening.ts"
import { answerCall } from "../ToolCalls.ts"
import { type ListenFault, type Speaker, Updates } from "../Updates.ts"
import { begunWithin } from "./begunWithin.ts"
import { refusalBody } from "./guards.ts"
import { TransportSessions } from "./TransportSessions.ts"

/** The longest wait for the beginning of an answer, ms. */
const BEGUN = 1000

/** A principal's space: its sessions and settings (behind `bridge`), its tools, and the clients that are told of changes. */
export interface Space {
  readonly bridge: Bridge<Sessions | Settings>
  readonly registry: Registry
  readonly audience: Audience
  readonly telemetry: Telemetry | undefined
}

export interface FaceParts {
  readonly space: Space
  /** The caller's name in the history; undefined for the client's own name. */
  readonly name: string | undefined
  /** The credential that was shown. Clients with different credentials are different clients. */
  readonly credential: string
  readonly isReadOnly: boolean
  readonly identity: Identity
  readonly versions: Versions
  readonly settings: Pick<SettingValues, "httpSessions">
  readonly sign: (text: string) => string
  readonly mount: ServerParts["mount"]
}

export interface PrincipalFace {
  /** Answers a request with a valid message. */
  readonly post: (request: Request, message: JSONRPCMessage) => Promise<Response>
  /** Answers a request without a message: in the legacy era, GET to listen and DELETE to end a transport session. */
  readonly other: (request: Request) => Promise<Response>
  readonly close: () => Promise<void>
}

export const makePrincipalFace = ({
  space,
  name,
  credential,
  isReadOnly,
  identity,
  versions,
  settings,
  sign,
  mount,
}: FaceParts): PrincipalFace => {
  const { bridge, registry, audience, telemetry } = space
  let listened = 0

  const answerAs =
    (asking: (server: Server, request: Asked) => Asking): ServerParts["answer"] =>
    (call, request, server) => {
      const protocol = server.getNegotiatedProtocolVersion() ?? MODERN_VERSION
      return answerCall(
        { registry, telemetry, called: audience.called },
        call,
        (notification) => void request.notify(notification).catch(() => {}),
      ).pipe(Effect.provideService(Spoken, { ...versions, protocol, isReadOnly }), Effect.provideService(Caller, asking(server, request)))
    }

  const updates = new Updates(bridge)
  const parts = { bridge, registry, identity, mount }
  const modernAnswer = answerAs((server, { _meta: meta }) => {
    const client = server.getClientVersion()?.name
    return { name: name ?? callerOf(client), reader: `${credential} ${readerIn(client, meta)}` }
  })
  const log = (error: Error): void => void bridge.fork(Effect.logDebug(`http: ${error.message}`))
  const bus = new InMemoryServerEventBus(log)
  const modern = createMcpHandler(() => makeServer({ ...parts, updates, answer: modernAnswer }, "modern"), {
    bus,
    legacy: "reject",
    maxSubscriptions: settings.httpSessions,
    onerror: log,
  })
  updates.attach(speakerOn(bus), "modern")
  audience.join(updates)

  const sessions = new TransportSessions({
    most: settings.httpSessions,
    sign,
    make: (caller, id) => {
      const own = new Updates(bridge)
      const server: Server = makeServer(
        { ...parts, updates: own, answer: answerAs(() => ({ name: name ?? caller, reader: id })) },
        "legacy",
      )
      own.attach(server, "legacy")
      audience.join(own)
      return { server, close: () => audience.leave(own) }
    },
  })

  /** Handles a request to listen, which the SDK does not pass on to the server. */
  const listen = async (request: Request, message: Listen): Promise<Response> => {
    if (!updates.asksFor(message.params)) return modern.fetch(request, { parsedBody: message })
    const own = `listen ${++listened}`
    const prepared = await bridge.promise(updates.prepare(message, own), request)
    if ("fault" in prepared) return refuseListening(prepared.fault, message.id)
    const response = await modern.fetch(request, { parsedBody: prepared.message })
    prepared.begin()
    request.signal.addEventListener("abort", () => updates.endListening(own))
    if (request.signal.aborted) updates.endListening(own)
    return prepared.message === message ? response : streamAsTasks(response)
  }

  return {
    post: async (request, message) => {
      if (await isLegacyRequest(request, message)) return sessions.handle(request, message)
      return begunWithin(BEGUN, isListen(message) ? listen(request, message) : modern.fetch(request, { parsedBody: message }))
    },
    other: (request) => sessions.handle(request, undefined),
    close: async () => {
      sessions.close()
      audience.leave(updates)
      await modern.close()
    },
  }
}

type Listen = Extract<JSONRPCMessage, { readonly method: string; readonly id: unknown }>

/** Is it a request to listen, whose response stays open? */
export const isListen = (message: JSONRPCMessage): message is Listen =>
  "method" in message && "id" in message && message.method === "subscriptions/listen"

const speakerOn = (bus: ServerEventBus): Speaker => ({
  sendToolListChanged: async () => bus.publish({ kind: "tools_list_changed" }),
  sendResourceListChanged: async () => bus.publish({ kind: "resources_list_changed" }),
  sendResourceUpdated: async ({ uri, ...params }) => bus.publish({ kind: "resource_updated", uri, params }),
})

const refuseListening = (error: ListenFault, id: Id): Response =>
  Response.json({ jsonrpc: "2.0", error, id }, { status: error.code === MISSING_CAPABILITY ? 400 : 200 })

export const refuse = (status: number, code: number, message: string, id?: string | number): Response =>
  new Response(refusalBody({ status, message }, code, id), { status, headers: { "content-type": "application/json" } })
