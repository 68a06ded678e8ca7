/**
 * Answers every `tools/call`, over stdio and HTTP. On stdio the SDK passes on the calls that arrive before the era is known; after that the
 * transport passes calls on directly, since the SDK's wrapping costs more than an evaluation. Guarantees: one function (`answerCall`) makes every
 * answer; a message that is not plainly a call in the connection's era is left to the SDK; a cancelled call is interrupted and never answered.
 * Does not: judge arguments, or turn a defect into a reply (`Tool.ts`).
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { atEnd } from "../atEnd.ts"
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import { visible } from "../visible.ts"
import type { Connection } from "./connection.ts"
import { type Answer, cancelledBy, type Era, type Id, INVALID_PARAMS, INVALID_REQUEST, SERVER_KEY, stillRunning } from "./message.ts"
import type { Identity } from "./Opening.ts"
import { resultOf } from "./render/Reply.ts"
import type { Space } from "./Space.ts"
import { created } from "./tasks.ts"
import { tracedAnswer } from "./tracedAnswer.ts"
import { plainCall, type ToolCall } from "./toolCall.ts"
import { callTool, type OnProgress, type Tool } from "./Tool.ts"

type Parts = Space & Pick<Connection, "transport" | "identity">

export type SendProgress = (notification: {
  readonly method: "notifications/progress"
  readonly params: { readonly progressToken: Id; readonly progress: number; readonly message: string }
}) => void

/** Runs a call and makes its answer, for every transport. `send` gets its progress, if the call has a progress token. */
export const answerCall = (
  { registry, telemetry, audience }: Space,
  { name, given, progressToken, traceparent, takesTasks: isTask }: ToolCall,
  send: SendProgress,
): Effect.Effect<Answer, never, Sessions | Settings> => {
  const answerOf = (tool: Tool): Effect.Effect<Answer, never, Sessions | Settings> => {
    const answer = Effect.map(callTool(tool, given, progressOf(send, progressToken)), (reply) => ({
      result: isTask && reply.begun !== undefined ? created(reply.begun, reply.text) : resultOf(reply),
    }))
    return atEnd(
      telemetry === undefined ? answer : tracedAnswer(telemetry, { method: "tools/call", tool: name, traceparent }, answer),
      () => audience.called(tool, given),
    )
  }
  const found = registry.find(name)
  if (found !== undefined) return answerOf(found)
  return Effect.flatMap(registry.all, (all) => {
    const defined = all.find((each) => each.name === name)
    return defined === undefined
      ? Effect.succeed<Answer>({ error: { code: INVALID_PARAMS, message: unknownTool(name, all) } })
      : answerOf(defined)
  })
}

/** The JSON-RPC response to a call. */
export const replyTo = ({ id }: Pick<ToolCall, "id">, answer: Answer, era: Era, identity: Identity) => {
  // The modern era adds these fields to every result.
  const modern = { resultType: "complete", _meta: { [SERVER_KEY]: identity } }
  return { jsonrpc: "2.0" as const, id, ...("result" in answer && era === "modern" ? { result: { ...modern, ...answer.result } } : answer) }
}

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
    const call = this.era && plainCall(message, this.era)
    if (call !== undefined) {
      this.run(call, this.era!)
      return true
    }
    const cancelled = cancelledBy(message)
    if (cancelled === undefined) return false
    this.parts.transport.forget(cancelled)
    const fiber = this.running.get(cancelled)
    fiber?.interruptUnsafe()
    return fiber !== undefined
  }

  private run(call: ToolCall, era: Era): void {
    const { id } = call
    const { bridge, transport, identity } = this.parts
    // A cancelled call has left the unanswered requests, and may not have ended yet.
    if (this.running.has(id)) {
      void transport.send({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: stillRunning(id) } })
      return
    }
    const fiber = bridge.fork(this.answer(call))
    this.running.set(id, fiber)
    fiber.addObserver((exit) => {
      this.running.delete(id)
      if (exit._tag === "Success") void transport.send(replyTo(call, exit.value, era, identity))
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
