/** Answers a tool's call, or a request about a task, in a span of the client's trace (W3C `traceparent` in `_meta`). */
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { Caller } from "../session/Caller.ts"
import { spanned, type Telemetry } from "../Telemetry.ts"
import type { Answer } from "./message.ts"

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const parentOf = (traceparent: unknown): Tracer.ExternalSpan | undefined => {
  const [, traceId, spanId, flags] = (typeof traceparent === "string" && form.exec(traceparent)) || []
  if (traceId === undefined || spanId === undefined) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 })
}

interface Asked {
  readonly method: string
  /** Of `tools/call`. */
  readonly tool?: string
  readonly traceparent: unknown
}

const errorTypeOf = (answer: Answer): string | undefined => {
  if ("error" in answer) return String(answer.error.code)
  return answer.result["isError"] === true ? "tool_error" : undefined
}

export const tracedAnswer = <R>(
  telemetry: Telemetry | undefined,
  { method, tool, traceparent }: Asked,
  answer: Effect.Effect<Answer, never, R>,
) => {
  const marked = Effect.tap(answer, (answered) => {
    const errorType = errorTypeOf(answered)
    return errorType === undefined ? Effect.void : Effect.annotateCurrentSpan("error.type", errorType)
  })
  return Effect.flatMap(Caller, ({ name }) =>
    spanned(telemetry, tool === undefined ? method : `${method} ${tool}`, marked, {
      kind: "server",
      parent: parentOf(traceparent),
      root: true,
      attributes: { "mcp.method.name": method, ...(tool !== undefined && { "gen_ai.tool.name": tool }), "k3.caller": name },
    }),
  )
}
