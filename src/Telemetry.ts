/**
 * The server's spans and metrics for an operator; `platform/otlp.ts` sends them to a collector.
 *
 * Guarantees: without a collector the reference is undefined, and its users work without spans. A span that ends in an error holds only the error's
 * tag, since the message may quote K code. Does not: send anything.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"

/** Interpreters that were launched, ended by the server, or ended by themselves. */
export type Counted = "launches" | "kills" | "crashes"

/** The facts of a session that are sampled. */
export interface Watched {
  readonly pid: () => number | undefined
  /** The number of waiting evaluations. */
  readonly waiting: () => number
}

export interface Telemetry {
  /** May K code be sent? */
  readonly code: boolean
  readonly count: (what: Counted) => void
  /** Called when an evaluation has ended; `outcome`: `ok`, or the tag of its failure. */
  readonly evaluated: (outcome: string, ms: number) => void
  /** Adds a session to the sampled ones, until the returned function is called. */
  readonly watch: (session: Watched) => () => void
}

export const Telemetry = Context.Reference<Telemetry | undefined>("k3-mcp/Telemetry", { defaultValue: () => undefined })

type Options = Omit<Tracer.SpanOptions, "captureStackTrace">

/** The tag of the failure, `cancelled` or `defect`; undefined for a success. Holds no text of the failure. */
export const reasonOf = <A, E>(exit: Exit.Exit<A, E>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  if (Exit.hasDies(exit)) return "defect"
  const [reason] = exit.cause.reasons
  if (reason?._tag !== "Fail") return "cancelled"
  const { error } = reason
  return typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "error"
}

const withoutText = <A, E>(exit: Exit.Exit<A, E>): Exit.Exit<unknown, unknown> => {
  const reason = reasonOf(exit)
  if (reason === undefined) return Exit.void
  return reason === "cancelled" ? Exit.interrupt() : Exit.fail(Object.assign(new Error(reason), { name: reason, stack: reason }))
}

/** Opens a span; `end` closes it with an exit, once. */
const open = (name: string, options: Options) =>
  Effect.zipWith(Effect.makeSpan(name, { ...options }), Clock.Clock, (span, clock) => {
    let isOpen = true
    const end = (exit: Exit.Exit<unknown, unknown> = Exit.void): void => {
      if (!isOpen) return
      isOpen = false
      span.end(clock.currentTimeNanosUnsafe(), withoutText(exit))
    }
    return { span, end }
  })

/** Runs the effect in a span, or unchanged if there is no collector. */
export const spanned = <A, E, R>(
  telemetry: Telemetry | undefined,
  name: string,
  effect: Effect.Effect<A, E, R>,
  options: Options = {},
): Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>> =>
  telemetry === undefined
    ? (effect as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>)
    : Effect.flatMap(open(name, options), ({ span, end }) =>
        Effect.onExit(Effect.withParentSpan(effect, span, { captureStackTrace: false }), (exit) => Effect.sync(() => end(exit))),
      )

/** Runs the work with a span that lasts until the work calls `over` or ends. */
export const spannedUntil = <A, E, R>(name: string, work: (over: () => void) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(open(name, {}), ({ end }) =>
    Effect.onExit(
      work(() => end()),
      (exit) => Effect.sync(() => end(exit)),
    ),
  )

/** Do the variables of OpenTelemetry name a collector? */
export const isWanted = (environment: NodeJS.ProcessEnv): boolean => {
  const { OTEL_SDK_DISABLED: disabled = "" } = environment
  const places = ["", "TRACES_", "METRICS_", "LOGS_"].map((signal) => environment[`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`])
  return disabled.toLowerCase() !== "true" && places.some((place = "") => place !== "")
}
