/**
 * MCP over HTTP, both eras at one place, through the same servers and the same answers to calls as stdio.
 *
 * Guarantees: a message that stdio would refuse is refused in the same words; a call goes on sending comments while it runs; when the face
 * closes, no new call is heard, those that run may end within the grace, and whoever listens is let go. Does not: open sockets, or judge
 * heads (`guards.ts`).
 */
import { createMcpHandler, isJsonContentType, isLegacyRequest, type Server } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import { Caller } from "../../session/Caller.ts"
import type { Sessions } from "../../session/Sessions.ts"
import type { SettingValues, Settings } from "../../Settings.ts"
import type { Audience } from "../Audience.ts"
import type { Bridge } from "../bridge.ts"
import { callerOf } from "../callerOf.ts"
import { type Id, INVALID_PARAMS, INVALID_REQUEST, judge as judgeMessage, MODERN_VERSION, PARSE_ERROR } from "../message.ts"
import type { Identity } from "../Opening.ts"
import type { Registry } from "../Registry.ts"
import { makeServer, type Parts as ServerParts } from "../server.ts"
import { Spoken, type Versions } from "../Spoken.ts"
import { answerCall } from "../ToolCalls.ts"
import type { Given } from "../Tool.ts"
import { notThere, type Speaker, Updates } from "../Updates.ts"
import { healthPlaces, judge, refusalBody, tooLarge } from "./guards.ts"
import type { Site, Token } from "./Listener.ts"
import { TransportSessions } from "./TransportSessions.ts"

interface Parts {
  readonly bridge: Bridge<Sessions | Settings>
  readonly registry: Registry
  readonly audience: Audience
  readonly identity: Identity
  readonly versions: Versions
  readonly settings: SettingValues
  readonly token: Token
}

export interface HttpFace extends Site {
  /** Nothing new is heard from now on; waits until what was asked is answered, no longer than that. */
  readonly drain: (ms: number) => Promise<void>
  /** Whoever still listens is let go. */
  readonly close: () => Promise<void>
}

export const makeHttpFace = ({ bridge, registry, audience, identity, versions, settings, token }: Parts): HttpFace => {
  let ending = false
  let underWay = 0
  let onIdle: () => void = () => {}
  let listened = 0

  const answerAs =
    (caller: (server: Server) => string): ServerParts["answer"] =>
    (call, request, server) => {
      const protocol = server.getNegotiatedProtocolVersion() ?? MODERN_VERSION
      return answerCall(
        { registry, called: audience.called },
        call,
        (notification) => void request.notify(notification).catch(() => {}),
      ).pipe(Effect.provideService(Spoken, { ...versions, protocol }), Effect.provideService(Caller, caller(server)))
    }

  const updates = new Updates(bridge)
  const parts = { bridge, registry, identity }
  const modernAnswer = answerAs((server) => callerOf(server.getClientVersion()?.name))
  const log = (error: Error): void => void bridge.fork(Effect.logDebug(`http: ${error.message}`))
  const modern = createMcpHandler(() => makeServer({ ...parts, updates, answer: modernAnswer }, "modern"), {
    legacy: "reject",
    // Headers at once, and comments while a call runs.
    responseMode: "sse",
    maxSubscriptions: settings.httpSessions,
    onerror: log,
  })
  updates.attach(speakerOf(modern.notify), "modern")
  audience.join(updates)

  const sessions = new TransportSessions({
    most: settings.httpSessions,
    sign: token.sign,
    make: (caller) => {
      const own = new Updates(bridge)
      const server: Server = makeServer({ ...parts, updates: own, answer: answerAs(() => caller) }, "legacy")
      own.attach(server, "legacy")
      audience.join(own)
      return { server, close: () => audience.leave(own) }
    },
  })

  /** It is under way until its answer has been read. */
  const count = (request: Request): void => {
    underWay++
    request.signal.addEventListener("abort", () => {
      if (--underWay === 0) onIdle()
    })
  }

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

  const post = async (request: Request, text: string): Promise<Response> => {
    if (!isJsonContentType(request.headers.get("content-type"))) return refuse(415, INVALID_REQUEST, "Send application/json.")
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch (error) {
      return refuse(400, PARSE_ERROR, `Parse error: ${(error as Error).message.slice(0, 200)}`)
    }
    if (Array.isArray(body)) return refuse(400, INVALID_REQUEST, "Invalid request: batches are not supported; send one message at a time")
    const judged = judgeMessage(body)
    if (judged.kind === "fault") return refuse(400, judged.fault.code, judged.fault.message, judged.fault.id)
    if (judged.kind === "ignored") return new Response(null, { status: 202 })
    const { message } = judged
    const listens = "method" in message && "id" in message && message.method === "subscriptions/listen"
    if (!listens) count(request)
    if (await isLegacyRequest(request, body)) return sessions.handle(request, body)
    const refused = listens ? await listen(request, message.id, message.params) : undefined
    return refused ?? modern.fetch(request, { parsedBody: body })
  }

  const health = (path: string): Response =>
    path === "/readyz" && ending ? new Response("ending\n", { status: 503 }) : new Response(path === "/readyz" ? "ready\n" : "ok\n")

  return {
    judge: (head) => judge(head, { isToken: token.is, body: settings.httpBody, ending: () => ending }),
    bodyOf: (refusal) => refusalBody(refusal),
    tooLarge: tooLarge(settings.httpBody),
    tooMany: { status: 503, message: `${settings.httpRequests} requests are under way, which is the limit (K3_HTTP_REQUESTS).` },
    answer: (request, body) => {
      const { pathname } = new URL(request.url)
      if (healthPlaces.has(pathname)) return Promise.resolve(health(pathname))
      return request.method === "POST" ? post(request, body) : sessions.handle(request, undefined)
    },
    drain: (ms) => {
      ending = true
      if (underWay === 0) return Promise.resolve()
      return new Promise((resolve) => {
        const late = setTimeout(resolve, ms)
        onIdle = () => {
          clearTimeout(late)
          resolve()
        }
      })
    },
    close: async () => {
      sessions.close()
      await modern.close()
    },
  }
}

const speakerOf = (notify: ReturnType<typeof createMcpHandler>["notify"]): Speaker => ({
  sendToolListChanged: async () => notify.toolsChanged(),
  sendResourceListChanged: async () => notify.resourcesChanged(),
  sendResourceUpdated: async ({ uri }) => notify.resourceUpdated(uri),
})

const refuse = (status: number, code: number, message: string, id?: string | number): Response =>
  new Response(refusalBody({ status, message }, code, id), { status, headers: { "content-type": "application/json" } })
