/**
 * Sends traces, metrics and logs to a collector, by Effect's exporters for OTLP over HTTP. Loaded only if the variables of OpenTelemetry name a
 * collector.
 *
 * Guarantees: only the end of the server waits for the collector, at most `lastWait` for each of the three; variables that cannot be used are
 * reported on standard error, and nothing is sent. Does not: send values, output or errors of K; send K code, unless `K3_TELEMETRY_CODE` allows
 * it; speak gRPC.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Otlp from "effect/observability/Otlp"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { makeResidentBytes } from "../child/residentBytes.ts"
import { type Counted, Telemetry, type Watched } from "../Telemetry.ts"

/** The longest wait for the collector, ms. */
const lastWait = 500
const sampled = "1 second"

const nowhere = Context.empty()

const metric = (unit: string) => ({ attributes: { unit } })
const counter = (name: string, description: string, unit: string): Metric.Counter<number> =>
  Metric.counter(name, { description, incremental: true, ...metric(unit) })
const counters: { readonly [What in Counted]: Metric.Counter<number> } = {
  launches: counter("k3.launches", "interpreters launched", "{interpreter}"),
  kills: counter("k3.kills", "interpreters ended by the server", "{interpreter}"),
  crashes: counter("k3.crashes", "interpreters that ended by themselves", "{interpreter}"),
}

const evaluations = counter("k3.evaluations", "evaluations that ended", "{evaluation}")
const durations = Metric.histogram("k3.evaluation.duration", {
  description: "from the request to its end, waiting included",
  boundaries: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3600],
  ...metric("s"),
})
const sessions = Metric.gauge("k3.sessions", { description: "open sessions", ...metric("{session}") })
const queued = Metric.gauge("k3.queue.length", { description: "evaluations that wait for their turn", ...metric("{evaluation}") })
const memory = Metric.gauge("k3.children.memory", { description: "resident memory of all sessions' interpreters", ...metric("By") })
const ownMemory = Metric.gauge("process.memory.usage", { description: "resident memory of the server", ...metric("By") })

/** The variables by OpenTelemetry's rules that Effect does not follow: an empty variable is absent, and an address alone turns on all three. */
const environmentOf = (given: NodeJS.ProcessEnv): ReadonlyMap<string, string> => {
  const present = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "")
  const usual = {
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_LOGS_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_TIMEOUT: String(lastWait),
    OTEL_METRIC_EXPORT_INTERVAL: "60000",
  }
  const all = new Map([...Object.entries(usual), ...present])
  const isNamed = all.has("OTEL_SERVICE_NAME") || /(^|,)\s*service\.name=/.test(all.get("OTEL_RESOURCE_ATTRIBUTES") ?? "")
  return isNamed ? all : all.set("OTEL_SERVICE_NAME", "k3-mcp")
}

const makeTelemetry = (code: boolean) =>
  Effect.gen(function* () {
    const residentBytes = yield* makeResidentBytes
    const all = new Set<Watched>()
    const sample = Effect.gen(function* () {
      const pids = [...all].flatMap(({ pid }) => pid() ?? [])
      const bytes = yield* Effect.forEach(pids, residentBytes)
      sessions.updateUnsafe(all.size, nowhere)
      queued.updateUnsafe(
        [...all].reduce((sum, { waiting }) => sum + waiting(), 0),
        nowhere,
      )
      memory.updateUnsafe(
        bytes.reduce<number>((sum, each) => sum + (each ?? 0), 0),
        nowhere,
      )
      ownMemory.updateUnsafe(process.memoryUsage.rss(), nowhere)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(sample, Effect.sleep(sampled))))
    return {
      code,
      count: (what) => counters[what].updateUnsafe(1, nowhere),
      evaluated: (outcome, ms) => {
        const attributes = { "k3.outcome": outcome }
        Metric.withAttributes(evaluations, attributes).updateUnsafe(1, nowhere)
        Metric.withAttributes(durations, attributes).updateUnsafe(ms / 1000, nowhere)
      },
      watch: (session) => {
        all.add(session)
        return () => all.delete(session)
      },
    } satisfies Telemetry
  })

interface Given {
  readonly environment: NodeJS.ProcessEnv
  readonly version: string
  /** May K code be sent? */
  readonly code: boolean
}

export const layer = ({ environment, version, code }: Given) => {
  const variables = environmentOf(environment)
  const protocol = variables.get("OTEL_EXPORTER_OTLP_PROTOCOL")
  if (protocol === "grpc")
    return Layer.effectDiscard(
      Effect.logError("telemetry is not sent: OTEL_EXPORTER_OTLP_PROTOCOL grpc is not spoken; http/protobuf and http/json are"),
    )
  const exporters = Otlp.layerFromConfig({ resource: { serviceVersion: version } }).pipe(
    Layer.provide([protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf, FetchHttpClient.layer]),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: Object.fromEntries(variables) }))),
  )
  const all = Layer.provideMerge(Layer.effect(Telemetry, makeTelemetry(code)), exporters)
  // The server runs without telemetry rather than not at all.
  return Layer.catchCause(all, (cause) =>
    Layer.effectDiscard(Effect.logError("telemetry is not sent: the OTEL_ variables cannot be used", cause)),
  )
}
