/** M15 watching resources over raw pipes on the built server: notifications and refusals, on both engines. */
import { cpSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { engines, k3csharpBuild, scratchFolder, start, type RawServer } from "./server.ts"

const told = (server: RawServer): readonly string[] =>
  server.messages.filter(({ method }) => method === "notifications/resources/updated").map(({ params }) => (params as { uri: string }).uri)
const count = (server: RawServer, uri: string): number => told(server).filter((each) => each === uri).length
const heard = (server: RawServer, uri: string, times: number) => server.message(() => count(server, uri) >= times)
const subscribe = (server: RawServer, uri: string) => server.request("resources/subscribe", { uri })

describe.each(engines)("on %s", (engine, args) => {
  const when = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)

  when("M15 changes of state, snapshot and status are notified, and a missing resource is refused", async () => {
    const server = start([...args])
    await server.initialize()
    const [state, snapshot, status] = ["k3://sessions/main/state", "k3://sessions/main/snapshots/s", "k3://status"] as const
    expect((await subscribe(server, state)).error!.message).toContain("its session is not open")
    await server.call("k_eval", { code: "a:1" })
    expect((await subscribe(server, snapshot)).error!.message).toContain("has nothing of that name")
    await server.call("k_snapshot", { action: "save", name: "s" })
    for (const uri of [state, snapshot, status]) expect((await subscribe(server, uri)).error).toBeUndefined()
    await server.call("k_eval", { code: "b:2" })
    await Promise.all([heard(server, state, 1), heard(server, snapshot, 1)])
    await server.call("k_eval", { code: "1+1" })
    await server.call("k_reload")
    await heard(server, status, 1)
    expect([count(server, state), count(server, snapshot)]).toEqual([1, 1])
    await server.call("k_snapshot", { action: "delete", name: "s" })
    await heard(server, snapshot, 2)
    await server.call("k_session", { action: "close", name: "main" })
    await Promise.all([heard(server, state, 2), heard(server, status, 2)])
    expect((await subscribe(server, state)).error!.message).toContain("k_session list")
  })
})

it("M15 a read-only call notifies no client, so that a client that reads after each notification comes to rest", async () => {
  const server = start(["--engine", "embedded"])
  await server.initialize()
  const [main, other] = ["k3://sessions/main/history", "k3://sessions/other/history"]
  await server.call("k_eval", { code: "a:1" })
  await server.call("k_eval", { code: "a:1", session: "other" })
  for (const uri of [main, other]) expect((await subscribe(server, uri)).error).toBeUndefined()
  await server.call("k_eval", { code: "b:2" })
  await heard(server, main, 1)
  for (const tool of ["k_session", "k_history", "k_snapshot", "k_define"]) await server.call(tool, { action: "list" })
  await server.call("k_eval", { code: "b:2", session: "other" })
  // Calls are reported in order.
  await heard(server, other, 1)
  expect(count(server, main)).toBe(1)
})

it.skipIf(k3csharpBuild === undefined)("M15 a new build on disk is notified without a call", async () => {
  const folder = scratchFolder()
  cpSync(k3csharpBuild!, folder, { recursive: true })
  const server = start(["--engine", "k3csharp", "--state-dir", "none", "--build-dir", folder])
  await server.initialize()
  await server.call("k_eval", { code: "1+1" })
  expect((await subscribe(server, "k3://status")).error).toBeUndefined()
  await writeFile(join(folder, "new.dll"), "another build")
  await heard(server, "k3://status", 1)
  expect((await server.request("resources/read", { uri: "k3://status" })).result.contents[0].text).toMatch(/stale|newer/)
})
