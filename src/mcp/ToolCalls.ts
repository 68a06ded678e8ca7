/**
 * Answers every `tools/call`, over stdio and HTTP. On stdio the SDK passes on the calls that arrive before the era is known; after that the
 * transport passes calls on directly, since the SDK's wrapping costs more than an evaluation. Guarantees: one function (`answerCall`) makes every
 * answer; a message that is not plainly a call in the connection's era is left to the SDK; a cancelled call is interrupted and never answered.
 * Does not: judge arguments, or turn a defect into a reply (`Tool.ts`).
 */
import type { CallToolResult, JSONRPCMessage } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { atEnd } from "../atEnd.ts"
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import type { Telemetry } from "../Telemetry.ts"
import { visible } from "../visible.ts"
import type { Bridge } from "./bridge.ts"
import {
  CAPABILITIES_KEY,
  type Era,
  type Id,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  MODERN_VERSION,
  SERVER_KEY,
  VERSION_KEY,
} from "./message.ts"
import type { Identity } from "./Opening.ts"
import type { Registry } from "./Registry.ts"
import { resultOf } from "./Reply.ts"
import type { StdioTransport } from "./StdioTransport.ts"
import { created, takesTasks } from "./tasks.ts"
import { tracedCall } from "./tracedCall.ts"
import { callTool, type Given, type OnProgress, type Tool } from "./Tool.ts"

/** One call: the parameters of its request. */
export interface ToolCall {
  readonly id: Id
  readonly name: string
  readonly given: Given | undefined
  readonly progressToken: Id | undefined
  /** The client's trace (W3C `traceparent`), not validated. */
  readonly traceparent?: unknown
  /** Is a background evaluation answered as a task? */
  readonly takesTasks: boolean
}

/** The call in a request. `capabilities`: those that the request itself declares; a request of the legacy era declares none. */
export const callOf = (id: Id, name: string, given: Given | undefined, meta: Given | undefined, capabilities: unknown): ToolCall => ({
  id,
  name,
  given,
  progressToken: meta?.["progressToken"] as Id | undefined,
  traceparent: meta?.["traceparent"],
  takesTasks: takesTasks(capabilities),
})

/** The result or error of a JSON-RPC response. */
export type Answer =
  | { readonly result: CallToolResult | ReturnType<typeof created> }
  | { readonly error: { readonly code: number; readonly message: string } }

interface Parts {
  readonly bridge: Bridge<Sessions | Settings>
  readonly registry: Registry
  readonly transport: StdioTransport
  readonly identity: Identity
  readonly telemetry: Telemetry | undefined
  /** Called when a call has ended. */
  readonly called: (tool: Tool, given: Given | undefined) => void
}

type SendProgress = (notification: {
  readonly method: "notifications/progress"
  readonly params: { readonly progressToken: Id; readonly progress: number; readonly message: string }
}) => void

/** Runs a call and makes its answer, for every transport. `send` gets its progress, if the call has a progress token. */
export const answerCall = (
  { registry, telemetry, called }: Pick<Parts, "registry" | "telemetry" | "called">,
  { name, given, progressToken, traceparent, takesTasks: isTask }: ToolCall,
  send: SendProgress,
): Effect.Effect<Answer, never, Sessions | Settings> => {
  const answerOf = (tool: Tool): Effect.Effect<Answer, never, Sessions | Settings> => {
    const reply = callTool(tool, given, progressOf(send, progressToken))
    const traced = telemetry === undefined ? reply : tracedCall(telemetry, name, traceparent, reply)
    return atEnd(
      Effect.map(traced, (reply) => ({
        result: isTask && reply.begun !== undefined ? created(reply.begun, reply.text) : resultOf(reply),
      })),
      () => called(tool, given),
    )
  }
  const found = registry.find(name)
  if (found !== undefined) return answerOf(found)
  return Effect.flatMap(registry.all, (all) => {
    const defined = all.find((each) => each.name === name)
    return defined === undefined ? Effect.succeed({ error: { code: INVALID_PARAMS, message: unknownTool(name, all) } }) : answerOf(defined)
  })
}

const callKeys: ReadonlySet<string> = new Set(["name", "arguments", "_meta"])

export class ToolCalls {
  private era: Era | undefined
  private readonly running = new Map<Id, Fiber.Fiber<Answer>>()

  constructor(private readonly parts: Parts) {}

  /** Called when the connection's era is known: from now on `take` answers calls. */
  open(era: Era): void {
    this.era = era
  }

  /** Answers a call that the SDK passes on. */
  answer(call: ToolCall): Effect.Effect<Answer, never, Sessions | Settings> {
    const { transport } = this.parts
    const send: SendProgress = (notification) => void transport.send({ jsonrpc: "2.0", ...notification }, { relatedRequestId: call.id })
    return answerCall(this.parts, call, send)
  }

  /** Gets each message of the client before the SDK does; true when the message is handled. */
  take(message: JSONRPCMessage): boolean {
    if (!("method" in message)) return false
    if (message.method === "tools/call" && "id" in message && this.era !== undefined) {
      const call = this.understand(message.id, message.params)
      if (call === undefined) return false
      this.run(call, this.era)
      return true
    }
    if (message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"] as Id
      this.parts.transport.forget(id)
      const fiber = this.running.get(id)
      fiber?.interruptUnsafe()
      return fiber !== undefined
    }
    return false
  }

  /** The call in the parameters; `undefined` if they are unusual, and the SDK should judge them. */
  private understand(id: Id, params: { readonly [key: string]: unknown } | undefined): ToolCall | undefined {
    if (params === undefined) return undefined
    const { name, arguments: given, _meta: meta } = params
    if (typeof name !== "string" || !(given === undefined || isObject(given))) return undefined
    for (const key in params) if (!callKeys.has(key)) return undefined
    const claims = meta as { readonly [key: string]: unknown } | undefined
    const isModern = this.era === "modern"
    const inEra = isModern
      ? claims?.[VERSION_KEY] === MODERN_VERSION && isObject(claims[CAPABILITIES_KEY])
      : claims === undefined || !(VERSION_KEY in claims)
    return inEra ? callOf(id, name, given, claims, isModern ? claims?.[CAPABILITIES_KEY] : undefined) : undefined
  }

  private run(call: ToolCall, era: Era): void {
    const { id } = call
    const { bridge, transport, identity } = this.parts
    if (this.running.has(id)) {
      const message = `Invalid request: a request with id ${JSON.stringify(id)} is still running`
      void transport.send({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } })
      return
    }
    const fiber = bridge.fork(this.answer(call))
    this.running.set(id, fiber)
    fiber.addObserver((exit) => {
      this.running.delete(id)
      if (exit._tag === "Failure") return
      const answer = exit.value
      // The modern era adds these fields to every result.
      const modern = { resultType: "complete", _meta: { [SERVER_KEY]: identity } }
      const whole = "result" in answer && era === "modern" ? { result: { ...modern, ...answer.result } } : answer
      void transport.send({ jsonrpc: "2.0", id, ...whole })
    })
  }
}

const unknownTool = (name: string, all: readonly Tool[]): string =>
  `Unknown tool: ${visible(name)}. There are: ${all.map((tool) => tool.name).join(", ")}`

/** The progress listener of a call with a progress token; `progress` is in seconds, and grows. */
const progressOf = (send: SendProgress, progressToken: Id | undefined): OnProgress | undefined =>
  progressToken === undefined
    ? undefined
    : (elapsedMs, message) =>
        send({
          method: "notifications/progress",
          params: { progressToken, progress: Math.round(elapsedMs / 1000), message: visible(message) },
        })
