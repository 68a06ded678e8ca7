/**
 * What is seen of a cluster from outside: which machine answers and which has the session, how many there are, one trace of a call, and what a
 * client is told when a machine is lost before it wrote anything of a session.
 */
import { describe, expect, it } from "vitest"
import { collector, type Span } from "../lib/collector.ts"
import { front, runner } from "./machines.ts"
import { cluster, perTest, postgres } from "./perTest.ts"
import { skipped, why } from "./prerequisites.ts"

perTest()

const wait = 150_000

/** A session on one of two runners, of which the database takes nothing; that runner is killed. */
const losing = async () => {
  const runners = [await runner(cluster), await runner(cluster)]
  const { call } = await front(cluster)
  await postgres.run("ALTER TABLE k3_contents ADD CONSTRAINT nothing CHECK (false) NOT VALID")
  expect((await call("k_eval", { code: "b:42\nb" })).text).toContain("42")
  const { machine }: { machine: string } = (await call("k_status")).structured
  const isOwner = ({ address }: { readonly address: string }): boolean => machine.startsWith(`${address}#`)
  runners.find(isOwner)!.process.kill("SIGKILL")
  /** All replies until an evaluation is done. */
  const untilDone = async (): Promise<string> => {
    const texts: string[] = []
    const isDone = async (): Promise<boolean> => {
      const { text, isError } = await call("k_eval", { code: "2+3" })
      texts.push(text)
      return !isError
    }
    await expect.poll(isDone, { timeout: 100_000 }).toBe(true)
    return texts.join("\n")
  }
  return { call, machine, other: runners.find((each) => !isOwner(each))!, untilDone }
}

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

  it.skipIf(skipped)(
    "a session whose machine is lost before its first write says that it begins anew",
    async () => {
      const { call, machine, untilDone } = await losing()
      expect(await untilDone()).toContain(`the machine that had this session was lost (${machine})`)
      expect((await call("k_eval", { code: "b" })).text).toContain("b has no value")
      expect((await call("k_eval", { code: "2+3" })).text).not.toContain("was lost")
    },
    wait,
  )

  it.skipIf(skipped)(
    "the same when the session moves once more before anybody asks for it",
    async () => {
      const { call, machine, other, untilDone } = await losing()
      // To look is not to ask: the status brings it to the other runner.
      const at = async (): Promise<string> => (await call("k_status")).structured.machine ?? "nowhere"
      await expect.poll(at, { timeout: 60_000 }).toContain(`${other.address}#`)
      const { address } = await runner(cluster)
      other.process.kill("SIGTERM")
      expect((await other.ended).code).toBe(0)
      expect(await untilDone()).toContain(`the machine that had this session was lost (${machine})`)
      expect(await at()).toContain(`${address}#`)
    },
    wait,
  )
})
