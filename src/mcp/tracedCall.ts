/** Wraps a tool's call in a span of the client's trace (W3C `traceparent` in `_meta`). */
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { Caller } from "../session/Caller.ts"
import { spanned, type Telemetry } from "../Telemetry.ts"
import type { Reply } from "./Reply.ts"

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const parentOf = (traceparent: unknown): Tracer.ExternalSpan | undefined => {
  const [, traceId, spanId, flags] = (typeof traceparent === "string" && form.exec(traceparent)) || []
  if (traceId === undefined || spanId === undefined) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 })
}

export const tracedCall = <R>(telemetry: Telemetry, tool: string, traceparent: unknown, call: Effect.Effect<Reply, never, R>) => {
  const marked = Effect.flatMap(call, (reply) =>
    reply.isError === true ? Effect.as(Effect.annotateCurrentSpan("error.type", "tool_error"), reply) : Effect.succeed(reply),
  )
  return Effect.flatMap(Caller, ({ name }) =>
    spanned(telemetry, `tools/call ${tool}`, marked, {
      kind: "server",
      parent: parentOf(traceparent),
      root: true,
      attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": tool, "k3.caller": name },
    }),
  )
}
