/**
 * MCP over HTTP for one principal, both eras, through the same servers and the same answers to calls as stdio. Guarantees: everything it
 * answers comes from the space that it is given; a transport session of another principal is none of its own; a call goes on sending
 * comments while it runs. Does not: judge heads, or know of other principals.
 */
import { createMcpHandler, isLegacyRequest, type Server } from "@modelcontextprotocol/server"
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import { type Asking, Caller } from "../../session/Caller.ts"
import type { Sessions } from "../../session/Sessions.ts"
import type { SettingValues, Settings } from "../../Settings.ts"
import type { Telemetry } from "../../Telemetry.ts"
import type { Audience } from "../Audience.ts"
import type { Bridge } from "../bridge.ts"
import { callerOf, readerIn } from "../callerOf.ts"
import { type Id, INVALID_PARAMS, MODERN_VERSION } from "../message.ts"
import type { Identity } from "../Opening.ts"
import type { Registry } from "../Registry.ts"
import { makeServer, type Parts as ServerParts, type Request as Asked } from "../server.ts"
import { Spoken, type Versions } from "../Spoken.ts"
import { answerCall } from "../ToolCalls.ts"
import type { Given } from "../Tool.ts"
import { notThere, type Speaker, Updates } from "../Updates.ts"
import { begunWithin } from "./begunWithin.ts"
import { refusalBody } from "./guards.ts"
import { TransportSessions } from "./TransportSessions.ts"

/** No client waits longer for the beginning of an answer, ms. */
const BEGUN = 1000

/** What a principal can reach: its sessions, its tools, and those who are told of changes. */
export interface Space {
  readonly bridge: Bridge<Sessions | Settings>
  readonly registry: Registry
  readonly audience: Audience
  readonly telemetry: Telemetry | undefined
}

export interface FaceParts {
  readonly space: Space
  /** What the history calls it; undefined: what the client says it is. */
  readonly name: string | undefined
  /** What was shown: clients with another one are other clients. */
  readonly credential: string
  readonly isReadOnly: boolean
  readonly identity: Identity
  readonly versions: Versions
  readonly settings: Pick<SettingValues, "httpSessions">
  readonly sign: (text: string) => string
  readonly mount: ServerParts["mount"]
}

export interface PrincipalFace {
  /** A message that is in order. */
  readonly post: (request: Request, message: JSONRPCMessage) => Promise<Response>
  /** A request without a message: of the older era, to listen or to end. */
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
  const modern = createMcpHandler(() => makeServer({ ...parts, updates, answer: modernAnswer }, "modern"), {
    legacy: "reject",
    maxSubscriptions: settings.httpSessions,
    onerror: log,
  })
  updates.attach(speakerOf(modern.notify), "modern")
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

  /** A listener's addresses are known here alone: the SDK keeps its request from the server. One that is not there is told. */
  const listen = async (request: Request, id: Id, params: Given | undefined): Promise<Response | undefined> => {
    const addresses = updates.addressesIn(params)
    if (addresses.length === 0) return undefined
    const missing = await bridge.promise(updates.missing(addresses), request)
    if (missing !== undefined) return refuse(200, INVALID_PARAMS, notThere(missing), id)
    const own = `listen ${++listened}`
    updates.beginListening(own, addresses)
    request.signal.addEventListener("abort", () => updates.endListening(own))
    return undefined
  }

  return {
    post: async (request, message) => {
      if (await isLegacyRequest(request, message)) return sessions.handle(request, message)
      const listens = isListen(message)
      const refused = listens ? await listen(request, message.id, message.params) : undefined
      return refused ?? begunWithin(BEGUN, modern.fetch(request, { parsedBody: message }))
    },
    other: (request) => sessions.handle(request, undefined),
    close: async () => {
      sessions.close()
      audience.leave(updates)
      await modern.close()
    },
  }
}

/** A request that stays open. */
export const isListen = (message: JSONRPCMessage): message is JSONRPCMessage & { readonly id: Id; readonly params?: Given } =>
  "method" in message && "id" in message && message.method === "subscriptions/listen"

const speakerOf = (notify: ReturnType<typeof createMcpHandler>["notify"]): Speaker => ({
  sendToolListChanged: async () => notify.toolsChanged(),
  sendResourceListChanged: async () => notify.resourcesChanged(),
  sendResourceUpdated: async ({ uri }) => notify.resourceUpdated(uri),
})

export const refuse = (status: number, code: number, message: string, id?: string | number): Response =>
  new Response(refusalBody({ status, message }, code, id), { status, headers: { "content-type": "application/json" } })
