/**
 * The short way of `tools/call`: from the transport to the tool's fiber and back, past the SDK's own wrapping, which costs more than the
 * evaluation. Guarantees: the reply is what the SDK would have sent; anything that is not plainly a call of a known tool in the era that
 * the connection already speaks is left to the SDK, its errors included; a cancelled call is interrupted and never answered.
 */
import type { CallToolResult, JSONRPCMessage } from "@modelcontextprotocol/server"
import type * as Effect from "effect/Effect"
import type * as Bridge from "./bridge.ts"
import type { Sessions } from "../session/Sessions.ts"
import { visible } from "../visible.ts"
import type { Settings } from "../Settings.ts"
import type { OnProgress } from "./callTool.ts"
import { CAPABILITIES_KEY, type Era, INVALID_REQUEST, isObject, type Id, MODERN_VERSION, SERVER_KEY, VERSION_KEY } from "./message.ts"
import type { Identity } from "./Opening.ts"
import type { Reply } from "./Reply.ts"
import type { StdioTransport } from "./StdioTransport.ts"
import type { Given, Tool } from "./Tool.ts"

/** A call as an effect; see `callTool.ts`. */
type Call = (tool: Tool, given: Given | undefined, onProgress: OnProgress | undefined) => Effect.Effect<Reply, never, Sessions | Settings>

/** Hears of a call that is over, behind its reply. */
export type Called = (tool: Tool, given: Given | undefined) => void

interface Request {
  readonly id: Id
  readonly tool: Tool
  readonly given: Given | undefined
  readonly progressToken: Id | undefined
}

export class QuickCalls {
  private era: Era | undefined
  private readonly interrupts = new Map<Id, () => void>()
  /** What the modern era adds to every result. */
  private readonly modernFields: object

  constructor(
    private readonly bridge: Bridge.Bridge<Sessions | Settings>,
    private readonly transport: StdioTransport,
    identity: Identity,
    private readonly find: (name: string) => Tool | undefined,
    private readonly call: Call,
    private readonly called: Called,
  ) {
    this.modernFields = { resultType: "complete", _meta: { [SERVER_KEY]: identity } }
    transport.intercept = (message) => this.take(message)
  }

  /** The SDK has served a call in this era: from now on the short way is open. */
  open(era: Era): void {
    this.era = era
  }

  private take(message: JSONRPCMessage): boolean {
    if (!("method" in message)) return false
    if (message.method === "tools/call" && "id" in message && this.era !== undefined) {
      const request = this.understand(message.id, message.params)
      if (request === undefined) return false
      this.run(request, this.era)
      return true
    }
    if (message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"] as Id
      this.transport.forget(id)
      const interrupt = this.interrupts.get(id)
      interrupt?.()
      return interrupt !== undefined
    }
    return false
  }

  /** `undefined` for whatever the SDK should judge. */
  private understand(id: Id, params: { readonly [key: string]: unknown } | undefined): Request | undefined {
    if (params === undefined) return undefined
    const { name, arguments: given, _meta: meta, ...rest } = params
    const tool = this.find(name as string)
    if (tool === undefined || !(given === undefined || isObject(given)) || Object.keys(rest).length > 0) return undefined
    const claims = meta as { readonly [key: string]: unknown } | undefined
    const inEra =
      this.era === "modern"
        ? claims?.[VERSION_KEY] === MODERN_VERSION && isObject(claims[CAPABILITIES_KEY])
        : claims === undefined || !(VERSION_KEY in claims)
    return inEra ? { id, tool, given, progressToken: claims?.["progressToken"] as Id | undefined } : undefined
  }

  private run({ id, tool, given, progressToken }: Request, era: Era): void {
    if (this.interrupts.has(id)) {
      const message = `Invalid request: a request with id ${JSON.stringify(id)} is still running`
      void this.transport.send({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } })
      return
    }
    let over = false
    const interrupt = this.bridge.start(this.call(tool, given, progressOf(this.transport, id, progressToken)), (exit) => {
      over = true
      this.interrupts.delete(id)
      if (exit._tag === "Success") {
        const result = resultOf(exit.value)
        void this.transport.send({ jsonrpc: "2.0", id, result: era === "modern" ? { ...result, ...this.modernFields } : result })
      }
      this.called(tool, given)
    })
    if (!over) this.interrupts.set(id, interrupt)
  }
}

/** A reply as MCP's result. */
export const resultOf = ({ text, structured, isError }: Reply): CallToolResult => ({
  content: [{ type: "text", text: visible(text) }],
  structuredContent: { ...structured },
  ...(isError === true && { isError }),
})

/** Progress of the request `id`, if it gave a token. In seconds, and growing. */
export const progressOf = (transport: StdioTransport, id: Id, progressToken: Id | undefined): OnProgress | undefined =>
  progressToken === undefined
    ? undefined
    : (elapsedMs, message) =>
        void transport.send(
          {
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: { progressToken, progress: Math.round(elapsedMs / 1000), message: visible(message) },
          },
          { relatedRequestId: id },
        )
