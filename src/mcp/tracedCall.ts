/** Wraps a tool's call, or a request about a task, in a span of the client's trace (W3C `traceparent` in `_meta`). */
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { Caller } from "../session/Caller.ts"
import { spanned, type Telemetry } from "../Telemetry.ts"
import type { Answer } from "./message.ts"
import type { Reply } from "./render/Reply.ts"

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const parentOf = (traceparent: unknown): Tracer.ExternalSpan | undefined => {
  const [, traceId, spanId, flags] = (typeof traceparent === "string" && form.exec(traceparent)) || []
  if (traceId === undefined || spanId === undefined) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 })
}

interface Traced {
  readonly method: string
  readonly tool?: string
  readonly traceparent: unknown
}

const traced = <A, R>(telemetry: Telemetry | undefined, { method, tool, traceparent }: Traced, work: Effect.Effect<A, never, R>) =>
  Effect.flatMap(Caller, ({ name }) =>
    spanned(telemetry, tool === undefined ? method : `${method} ${tool}`, work, {
      kind: "server",
      parent: parentOf(traceparent),
      root: true,
      attributes: { "mcp.method.name": method, ...(tool !== undefined && { "gen_ai.tool.name": tool }), "k3.caller": name },
    }),
  )

export const tracedCall = <R>(telemetry: Telemetry, tool: string, traceparent: unknown, call: Effect.Effect<Reply, never, R>) => {
  const marked = Effect.tap(call, (reply) =>
    reply.isError === true ? Effect.annotateCurrentSpan("error.type", "tool_error") : Effect.void,
  )
  return traced(telemetry, { method: "tools/call", tool, traceparent }, marked)
}

/** `answer`: of a method of the tasks extension. */
export const tracedTask = <R>(
  telemetry: Telemetry | undefined,
  method: string,
  traceparent: unknown,
  answer: Effect.Effect<Answer, never, R>,
) => {
  const marked = Effect.tap(answer, (answered) =>
    "error" in answered ? Effect.annotateCurrentSpan("error.type", String(answered.error.code)) : Effect.void,
  )
  return traced(telemetry, { method, traceparent }, marked)
}
