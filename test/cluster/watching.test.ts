/** What is seen of a cluster from outside: which machine answers and which has the session, how many there are, one trace of a call. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../e2e/server.ts"
import { collector, type Span } from "../lib/collector.ts"
import { Postgres } from "../lib/postgres.ts"
import { type Cluster, front, runner } from "./machines.ts"
import { node, skipped, why } from "./prerequisites.ts"

let postgres: Postgres
let cluster: Cluster
beforeEach(async () => {
  if (skipped) return
  postgres = await Postgres.start()
  cluster = { node: node!, database: postgres.url, shared: scratchFolder() }
}, 60_000)
afterEach(async () => {
  if (!skipped) await postgres.remove()
}, 60_000)

const wait = 150_000

describe(`a cluster seen from outside${why}`, () => {
  it.skipIf(skipped)(
    "k_status and /readyz name the machine that has the session, the one that answers, and how many there are",
    async () => {
      const one = await runner(cluster)
      const { url, call } = await front(cluster)
      const { text, structured } = await call("k_status")
      expect(structured).toMatchObject({ machine: expect.stringMatching(`^${one.address}#`), epoch: 1 })
      expect(structured.answered_by).toMatch(/^[^:]+#\d+$/)
      expect(text).toContain(`Cluster: on machine ${structured.machine}, epoch 1; ${structured.answered_by} answers`)
      const ready = async (): Promise<string> => (await fetch(new URL("/readyz", url))).text()
      expect(await ready()).toBe(`ready\nmachine: ${structured.answered_by}\nrunners: 1\n`)
      await runner(cluster)
      await expect.poll(ready).toContain("runners: 2\n")
      await postgres.end("immediate")
      await expect.poll(ready).toContain("runners: unknown, the database does not answer\n")
      await postgres.begin()
      await expect.poll(ready).toContain("runners: 2\n")
    },
    wait,
  )

  it.skipIf(skipped)(
    "a call is one trace: what the front end does and what the machine of the session does, in the client's",
    async () => {
      const to = await collector()
      const sending = {
        OTEL_EXPORTER_OTLP_ENDPOINT: to.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_BSP_SCHEDULE_DELAY: "100",
      }
      await runner({ ...cluster, env: { ...sending, OTEL_SERVICE_NAME: "the runner" } })
      const { client } = await front({ ...cluster, env: { ...sending, OTEL_SERVICE_NAME: "the front end" } })
      const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
      await client.callTool({
        name: "k_eval",
        arguments: { code: "b:1" },
        _meta: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      })
      const named = (name: string) => to.spans().find((span) => span.traceId === traceId && span.name === name)
      await expect.poll(() => named("tools/call k_eval")?.parentSpanId).toBe("00f067aa0ba902b7")
      await expect.poll(() => named("evaluate")).toBeDefined()
      const upwards = (span: Span | undefined): readonly string[] =>
        span === undefined ? [] : [span.name, ...upwards(to.spans().find(({ spanId }) => spanId === span.parentSpanId))]
      await expect.poll(() => upwards(named("evaluate")).at(-1)).toBe("tools/call k_eval")
      const senders = to.requests
        .filter(({ path, text }) => path === "/v1/traces" && text.includes(traceId))
        .map(({ text }) => /the runner|the front end/.exec(text)?.[0])
      expect(new Set(senders)).toEqual(new Set(["the runner", "the front end"]))
    },
    wait,
  )
})
