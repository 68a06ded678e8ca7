/** Machines of a cluster on real processes: runners, front ends, their clients over HTTP, on a Node that they can run on. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect, onTestFinished } from "vitest"
import { addressOf, headersOf, saidBy } from "../e2e/listening.ts"
import { type RawServer, serverFile, start } from "../e2e/server.ts"
import { asFront, asRunner, machineFlags, saidByRunner } from "../lib/localCluster.ts"
import { freePort } from "../lib/postgres.ts"

export interface Cluster {
  readonly node: string
  readonly database: string
  /** What every machine has at the same place. */
  readonly shared: string
  readonly env?: NodeJS.ProcessEnv
}

const begin = ({ node, database, shared, env }: Cluster, more: NodeJS.ProcessEnv, ...args: readonly string[]): RawServer =>
  start([...machineFlags(shared), "--fence", "off", ...args], { K3_CLUSTER: database, ...env, ...more }, [node, serverFile])

/** A machine that holds sessions; comes back when the others can reach it. */
export const runner = async (cluster: Cluster): Promise<RawServer & { readonly address: string }> => {
  const address = `127.0.0.1:${await freePort()}`
  const own = begin(cluster, asRunner(address))
  await saidBy(own, (log) => log.includes(saidByRunner(address)) || undefined)
  return { ...own, address }
}

export interface Asked {
  readonly text: string
  readonly isError: boolean
  readonly structured: any
}

/** A client as agents have one. */
export const clientOf = async (url: URL, token: string) => {
  const client = new Client({ name: "test", version: "1" })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: headersOf({ token }) } }))
  onTestFinished(() => client.close())
  const call = async (name: string, given: object = {}): Promise<Asked> => {
    const reply = await client.callTool({ name, arguments: { ...given } }, { timeout: 80_000 })
    return {
      text: (reply.content as readonly { readonly text: string }[])[0]!.text,
      isError: reply.isError === true,
      structured: reply.structuredContent,
    }
  }
  return { call, client }
}

/** The status of the session `main`, launched before, from its machine. On a busy computer that machine may answer later than one call waits. */
export const statusOf = async (call: (name: string) => Promise<Asked>): Promise<Asked["structured"]> => {
  let status: Asked["structured"]
  await expect.poll(async () => (status = (await call("k_status")).structured).generation).toBeGreaterThan(0)
  return status
}

/** A machine that answers clients, and a client of it. */
export const front = async (cluster: Cluster) => {
  const own = begin(cluster, asFront("127.0.0.1:0"))
  const url = new URL(await addressOf(own))
  const token = readFileSync(join(cluster.shared, "state", "token"), "utf8").trim()
  return { own, url, ...(await clientOf(url, token)) }
}
