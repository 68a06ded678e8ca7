/** An OTLP collector for tests: stores the requests it gets, and decodes their JSON. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyMap<string, unknown>
  readonly status: { readonly code: number; readonly message?: string }
}

interface Point {
  readonly name: string
  readonly unit: string
  readonly attributes: ReadonlyMap<string, unknown>
  /** The value; for a histogram, the number of measurements. */
  readonly value: number
}

type Value = { readonly [kind: string]: unknown }

const valueOf = (value: Value): unknown => Object.values(value)[0]
const attributesOf = (list: readonly { readonly key: string; readonly value: Value }[] = []): ReadonlyMap<string, unknown> =>
  new Map(list.map(({ key, value }) => [key, valueOf(value)]))

export interface Collector {
  readonly url: string
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string; readonly bytes: Buffer }[]
  readonly spans: () => readonly Span[]
  /** The points of the latest export. */
  readonly points: () => readonly Point[]
  readonly logs: () => readonly string[]
  readonly resource: () => ReadonlyMap<string, unknown>
}

/** `answers`: false for a collector that accepts requests and never answers. */
export const collector = async (answers = true): Promise<Collector> => {
  const requests: Collector["requests"] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const bytes = Buffer.concat(chunks)
      requests.push({ path: request.url!, headers: request.headers, text: bytes.toString(), bytes })
      if (answers) response.setHeader("content-type", "application/json").end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const sent = (path: string): readonly any[] => requests.filter((each) => each.path === path).map(({ text }) => JSON.parse(text))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () =>
      sent("/v1/traces")
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span) => Object.assign(span, { attributes: attributesOf(span.attributes) })),
    points: () =>
      (sent("/v1/metrics").at(-1)?.resourceMetrics ?? [])
        .flatMap(({ scopeMetrics }: any) => scopeMetrics)
        .flatMap(({ metrics }: any) => metrics)
        .flatMap(({ name, unit, sum, gauge, histogram }: any) =>
          (sum ?? gauge ?? histogram).dataPoints.map((point: any) => ({
            name,
            unit,
            attributes: attributesOf(point.attributes),
            value: Number(point.asInt ?? point.asDouble ?? point.count),
          })),
        ),
    logs: () =>
      sent("/v1/logs")
        .flatMap(({ resourceLogs }) => resourceLogs)
        .flatMap(({ scopeLogs }) => scopeLogs)
        .flatMap(({ logRecords }) => logRecords)
        .map(({ body }) => String(valueOf(body))),
    resource: () => attributesOf(sent("/v1/traces")[0]?.resourceSpans[0].resource.attributes),
  }
}
