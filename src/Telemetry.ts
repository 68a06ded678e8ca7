/**
 * What a server tells an operator of its work: spans and metrics, where somebody collects them (`platform/otlp.ts`).
 *
 * Guarantees: without a collector the reference is undefined, and its users do what they would do without it. An error that ends a span is
 * told by its tag alone, since its message may quote K code. Does not: send anything itself.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"

/** Interpreters that were launched, ended by the server, or ended by themselves. */
export type Counted = "launches" | "kills" | "crashes"

/** What a session shows whenever it is looked at. */
export interface Watched {
  readonly pid: () => number | undefined
  /** Evaluations that wait for their turn. */
  readonly waiting: () => number
}

export interface Telemetry {
  /** K code may be told. */
  readonly code: boolean
  readonly count: (what: Counted) => void
  /** An evaluation is over; `outcome`: `ok`, or what kept it from that. */
  readonly evaluated: (outcome: string, ms: number) => void
  /** A session is there, until the function that it gives is called. */
  readonly watch: (session: Watched) => () => void
}

export const Telemetry = Context.Reference<Telemetry | undefined>("k3-mcp/Telemetry", { defaultValue: () => undefined })

type Options = Omit<Tracer.SpanOptions, "captureStackTrace">

/** The tag of what ended it, for whoever may not see the rest. */
export const reasonOf = <A, E>(exit: Exit.Exit<A, E>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  if (Exit.hasDies(exit)) return "defect"
  const [reason] = exit.cause.reasons
  if (reason?._tag !== "Fail") return "cancelled"
  const { error } = reason
  return typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "error"
}

const told = <A, E>(exit: Exit.Exit<A, E>): Exit.Exit<unknown, unknown> => {
  const reason = reasonOf(exit)
  if (reason === undefined) return Exit.void
  return reason === "cancelled" ? Exit.interrupt() : Exit.fail(Object.assign(new Error(reason), { name: reason, stack: reason }))
}

/** A span that is open, until it is given what came of it. */
const open = (name: string, options: Options) =>
  Effect.zipWith(Effect.makeSpan(name, { ...options }), Clock.Clock, (span, clock) => {
    let isOpen = true
    const end = (exit: Exit.Exit<unknown, unknown> = Exit.void): void => {
      if (!isOpen) return
      isOpen = false
      span.end(clock.currentTimeNanosUnsafe(), told(exit))
    }
    return { span, end }
  })

/** As it is without a collector; else in a span. */
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

/** A span from now until the work says so, or is over. */
export const spannedUntil = <A, E, R>(name: string, work: (over: () => void) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(open(name, {}), ({ end }) =>
    Effect.onExit(
      work(() => end()),
      (exit) => Effect.sync(() => end(exit)),
    ),
  )

/** The variables of OpenTelemetry name a collector. */
export const isWanted = (environment: NodeJS.ProcessEnv): boolean => {
  const { OTEL_SDK_DISABLED: disabled = "" } = environment
  const places = ["", "TRACES_", "METRICS_", "LOGS_"].map((signal) => environment[`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`])
  return disabled.toLowerCase() !== "true" && places.some((place = "") => place !== "")
}
