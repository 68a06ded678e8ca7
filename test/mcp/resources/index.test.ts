/** Resources, templates, subscriptions and completions through real clients of both eras, over fake sessions. */
import { Client } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "vitest"
import { TooManySessions } from "../../../src/session/SessionError.ts"
import { limits } from "../../../src/limits.ts"
import { compared, fakeLayer, fakeSession, idle } from "../fakeSessions.ts"
import { PipeClientTransport, startServer } from "../pipe.ts"

const entry = (name: string) => ({ name, type: 1, kind: "integer", shape: "", preview: "1" })

const connect = async (era: "legacy" | "modern", overrides: Parameters<typeof fakeLayer>[0] = {}) => {
  const { pipe } = startServer(
    fakeLayer({
      session: {
        inspect: (path) => Effect.succeed({ path, entries: [entry("apple"), entry("pear")], generation: 1, ageMs: 0, omitted: 0 }),
      },
      ...overrides,
    }),
  )
  const client = new Client(
    { name: "test", version: "1" },
    { ...(era === "modern" && { versionNegotiation: { mode: { pin: "2026-07-28" } } }) },
  )
  const transport = new PipeClientTransport(pipe)
  await client.connect(transport)
  return { client, transport }
}

describe.each(["legacy", "modern"] as const)("%s era", (era) => {
  it("M13: lists the resources with their fields, and the patterns", async () => {
    const { client } = await connect(era)
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(["k3://status", "k3://sessions", "k3://sessions/main/state"]))
    for (const each of resources) expect(each).toMatchObject({ description: expect.any(String), mimeType: expect.any(String) })
    // Each page of the documentation says what it is about.
    expect(resources.find(({ uri }) => uri === "k3://docs/traps")?.description).toBe("What bites newcomers. Tool: k_help.")
    expect(resources.find(({ uri }) => uri === "k3://sessions/main/state")?.annotations?.lastModified).toBeDefined()
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("k3://sessions/{session}/state/{path}")
  })

  it("M13: all 64 plots that are kept are listed, also those of a session before many of another", async () => {
    const one = { title: "line", at: 0, summary: [], svg: new Uint8Array(), data: new Uint8Array() }
    const kept = Array.from({ length: 64 }, (_, n) => ({ ...one, session: n < 60 ? "main" : "side", n: 64 - n }))
    const { client } = await connect(era, { plots: { kept: () => kept } as never })
    const { resources } = await client.listResources()
    expect(resources.filter(({ uri }) => uri.includes("/plots/")).map(({ uri }) => uri)).toContain("k3://sessions/side/plots/1")
  })

  it("M13: each listed resource can be read, and has the text of its tool", async () => {
    const { client } = await connect(era)
    const { resources } = await client.listResources()
    for (const { uri, mimeType } of resources) {
      const [content] = (await client.readResource({ uri })).contents
      expect(content).toMatchObject({ uri, mimeType, text: expect.stringMatching(/\S/) })
    }
    const { contents } = await client.readResource({ uri: "k3://sessions/main/state" })
    expect(contents).toMatchObject([{ text: "apple  integer  1\npear  integer  1" }])
  })

  it("M13: the status is that of k_status, with the number under which k_history has the last crash", async () => {
    const { client } = await connect(era)
    const [read] = (await client.readResource({ uri: "k3://status" })).contents
    const { content } = await client.callTool({ name: "k_status" })
    const lastCrash = expect.stringMatching(/^Last crash: 3, .* in session main: the interpreter ended /m)
    expect(content).toMatchObject([{ text: lastCrash }])
    expect(read).toMatchObject({ text: lastCrash })
  })

  it("M13: a missing resource is an error that names the address, and reading makes no session", async () => {
    const get = vi.fn(() => Effect.fail(new TooManySessions({ limit: 1, idle: [], busy: ["main"] })))
    const { client } = await connect(era, { get })
    for (const uri of ["k3://nothing", "k3://sessions/other/state", "k3://sessions/%ff/state"])
      await expect(client.readResource({ uri })).rejects.toThrow(uri)
    expect(get).not.toHaveBeenCalled()
  })

  it("M13: a subscriber gets one notification for many changes, and none for other resources", async () => {
    let looks = 0
    const { client, transport } = await connect(era, {
      session: {
        inspect: (path) =>
          Effect.sync(() => ({ path, entries: [{ ...entry("a"), preview: String(++looks) }], generation: 1, ageMs: 0, omitted: 0 })),
      },
    })
    const uri = "k3://sessions/main/state"
    await client.callTool({ name: "k_eval", arguments: { code: "1+1" } })
    if (era === "legacy") await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [uri] })
    const updates = () => transport.received.filter(({ method }) => method === "notifications/resources/updated")
    for (let n = 0; n < 5; n++) await client.callTool({ name: "k_eval", arguments: { code: "1+1" } })
    await client.callTool({ name: "k_eval", arguments: { code: "1+1", session: "other" } })
    await vi.waitFor(() => expect(updates().length).toBeGreaterThan(0), 5000)
    expect(updates().map(({ params }) => params.uri)).toEqual(updates().map(() => uri))
    expect(updates().length).toBeLessThanOrEqual(2)
  })

  it("M13: a subscriber to a variable is notified when its content changes, and when it is removed", async () => {
    let apple = "1"
    let open = [idle]
    const { client, transport } = await connect(era, {
      list: Effect.sync(() => open),
      session: {
        inspect: (path) =>
          Effect.sync(() => ({
            path,
            entries: [{ ...entry(path), preview: path === "apple" ? apple : "1" }],
            generation: 1,
            ageMs: 0,
            omitted: 0,
          })),
      },
    })
    const uris = ["apple", "pear"].map((name) => `k3://sessions/main/state/${name}`)
    const all = "k3://sessions/main/history"
    await client.callTool({ name: "k_inspect", arguments: {} })
    if (era === "legacy") for (const uri of [all, ...uris]) await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [all, ...uris] })
    const updates = () =>
      transport.received.filter(({ method }) => method === "notifications/resources/updated").map(({ params }) => params.uri)
    const lists = () => transport.received.filter(({ method }) => method === "notifications/resources/list_changed").length
    const afterACall = async (): Promise<readonly string[]> => {
      const before = updates().length
      await client.callTool({ name: "k_eval", arguments: { code: "1+1" } })
      await vi.waitFor(() => expect(updates().slice(before)).toContain(all), 5000)
      await client.listPrompts()
      return updates().slice(before)
    }
    expect(await afterACall()).toEqual([all])
    apple = "2"
    expect(await afterACall()).toEqual([all, uris[0]])
    expect(await afterACall()).toEqual([all])
    open = []
    const before = lists()
    expect(await afterACall()).toEqual([all, ...uris])
    if (era === "legacy") expect(lists()).toBe(before + 1)
  })

  it("M13: a change is told although another request to watch the resource follows it at once", async () => {
    let apple = "1"
    const { client, transport } = await connect(era, {
      session: {
        inspect: (path) =>
          Effect.sync(() => ({ path, entries: [{ ...entry(path), preview: apple }], generation: 1, ageMs: 0, omitted: 0 })),
      },
    })
    const uri = "k3://sessions/main/state/apple"
    const watch = () => (era === "legacy" ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] }))
    const updates = () => transport.received.filter(({ method }) => method === "notifications/resources/updated").length
    await watch()
    await client.callTool({ name: "k_eval", arguments: { code: "1+1" } })
    apple = "2"
    await watch()
    await vi.waitFor(() => expect(updates()).toBeGreaterThan(0), 5000)
  })

  it("M13: all of many watched variables that change are told, each once", async () => {
    let apple = "1"
    const { client, transport } = await connect(era, {
      session: {
        inspect: (path) =>
          Effect.sync(() => ({ path, entries: [{ ...entry(path), preview: apple }], generation: 1, ageMs: 0, omitted: 0 })),
      },
    })
    const uris = Array.from({ length: 120 }, (_, n) => `k3://sessions/main/state/x${n}`)
    if (era === "legacy") for (const uri of uris) await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: uris })
    const updates = () =>
      transport.received.filter(({ method }) => method === "notifications/resources/updated").map(({ params }) => params.uri)
    await client.callTool({ name: "k_eval", arguments: { code: "1+1" } })
    apple = "2"
    await vi.waitFor(() => expect(updates().length).toBe(120), 8000)
    expect(new Set(updates())).toEqual(new Set(uris))
  })

  it("M13: a subscriber to a session's variables is notified when others are merged into it", async () => {
    let preview = "1"
    const { client, transport } = await connect(era, {
      list: Effect.succeed([idle, { ...idle, name: "other" }]),
      session: {
        inspect: (path) => Effect.sync(() => ({ path, entries: [{ ...entry("a"), preview }], generation: 1, ageMs: 0, omitted: 0 })),
      },
    })
    const uri = "k3://sessions/other/state"
    if (era === "legacy") await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [uri] })
    const updates = () => transport.received.filter(({ method }) => method === "notifications/resources/updated").length
    // Both sessions are known from now on.
    await Effect.runPromise(Effect.sleep(1500))
    const before = updates()
    preview = "2"
    await client.callTool({ name: "k_session", arguments: { action: "merge", session: "main", name: "other", names: ["a"] } })
    await vi.waitFor(() => expect(updates()).toBe(before + 1), 5000)
  })

  it("M15: a subscriber to a defined tool is notified of a new version, and when it is removed", async () => {
    const version = (n: number) => ({
      name: "f",
      description: "adds",
      code: "{[v] v+1}",
      parameters: [],
      session: "main",
      version: n,
      at: n,
      touches: [],
      assigns: [],
      unknown: [],
    })
    let versions = [version(1)]
    const { client, transport } = await connect(era, {
      definitions: {
        all: Effect.sync(() => versions.slice(-1)),
        known: () => versions.slice(-1),
        versions: () => Effect.sync(() => versions),
        add: () => Effect.undefined,
        remove: () => Effect.succeed(true),
        listen: () => {},
      },
    })
    const uri = "k3://tools/kf_f"
    if (era === "legacy") await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [uri] })
    const updates = () =>
      transport.received.filter(({ method }) => method === "notifications/resources/updated").map(({ params }) => params.uri)
    versions = [version(1), version(2)]
    await vi.waitFor(() => expect(updates()).toEqual([uri]), 5000)
    versions = []
    await vi.waitFor(() => expect(updates()).toEqual([uri, uri]), 5000)
  })

  it("M15: a subscription to a missing resource is refused with the next call, and the others go on", async () => {
    const { client, transport } = await connect(era)
    const ask = (uri: string) =>
      era === "legacy" ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: ["k3://status", uri] })
    for (const uri of [
      "k3://sessions/other/state",
      "k3://sessions/other/snapshots/baseline",
      "k3://sessions/other/history",
      "k3://tools/kf_no",
    ])
      await expect(ask(uri)).rejects.toThrow(`There is no ${uri} now`)
    await expect(ask("k3://nothing")).rejects.toThrow("k3://nothing")
    await ask("k3://sessions/main/state")
    expect(transport.received.filter(({ method }) => method === "notifications/resources/updated")).toEqual([])
  })

  it("M15: a change of phase, generation, build or staleness notifies of the status without a call; nothing else does", async () => {
    const now = { ...idle }
    const { client, transport } = await connect(era, { status: () => Effect.sync(() => ({ ...now })), list: Effect.succeed([]) })
    const updates = () => transport.received.filter(({ method }) => method === "notifications/resources/updated").length
    if (era === "legacy") await client.subscribeResource({ uri: "k3://status" })
    else await client.listen({ resourceSubscriptions: ["k3://status", "k3://sessions"] })
    const changes = [{ phase: "failed" }, { generation: 2 }, { buildHash: "00" }, { stale: true }] as const
    for (const [n, change] of changes.entries()) {
      Object.assign(now, change)
      await vi.waitFor(() => expect(updates()).toBe(n + 1), 5000)
      Object.assign(now, { evaluations: now.evaluations + 1, idleMs: now.idleMs + 1000 })
    }
    await client.callTool({ name: "k_status", arguments: {} })
    expect(updates()).toBe(4)
  })

  it("M15: a subscriber to a snapshot is notified when the changes since it differ", async () => {
    const value = (image: string) => ({ path: ".k.a", type: 1, shape: "", bytes: 4, text: "1", image })
    let differences: readonly { path: string; before: undefined; after: ReturnType<typeof value> }[] = []
    const { client, transport } = await connect(era, {
      session: {
        snapshots: { ...fakeSession().snapshots, diff: () => Effect.sync(() => ({ ...compared, differences })) },
      },
    })
    const updates = () =>
      transport.received.filter(({ method }) => method === "notifications/resources/updated").map(({ params }) => params.uri)
    const [snapshot, marker] = ["k3://sessions/main/snapshots/baseline", "k3://sessions/main/history"]
    if (era === "legacy") for (const uri of [snapshot, marker]) await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [snapshot, marker] })
    const afterACall = async (): Promise<readonly string[]> => {
      const before = updates().length
      await client.callTool({ name: "k_eval", arguments: { code: "1+1" } })
      await vi.waitFor(() => expect(updates().slice(before)).toContain(marker), 5000)
      await client.listPrompts()
      return updates().slice(before)
    }
    expect(await afterACall()).toEqual([marker])
    differences = [{ path: ".k.a", before: undefined, after: value("1") }]
    expect(await afterACall()).toEqual([marker, snapshot])
    expect(await afterACall()).toEqual([marker])
  })

  it("M13: completes sessions and names below a path", async () => {
    const { client } = await connect(era)
    const complete = async (argument: { name: string; value: string }, given: Record<string, string> = {}) =>
      (
        await client.complete({
          ref: { type: "ref/resource", uri: "k3://sessions/{session}/state/{path}" },
          argument,
          context: { arguments: given },
        })
      ).completion
    expect(await complete({ name: "session", value: "m" })).toMatchObject({ values: ["main"], total: 1 })
    expect(await complete({ name: "path", value: ".k.p" }, { session: "main" })).toMatchObject({ values: [".k.pear"] })
    expect(await complete({ name: "path", value: "" }, { session: "main" })).toMatchObject({ values: ["apple", "pear"] })
    expect(await complete({ name: "path", value: "" }, { session: "none" })).toMatchObject({ values: [] })
    // An inherited property is no argument.
    expect(await complete({ name: "constructor", value: "" })).toMatchObject({ values: [] })
    const snapshots = { type: "ref/resource", uri: "k3://sessions/{session}/snapshots/{name}" } as const
    const named = async (session: string) =>
      (await client.complete({ ref: snapshots, argument: { name: "name", value: "b" }, context: { arguments: { session } } })).completion
        .values
    expect([await named("main"), await named("none")]).toEqual([["baseline"], []])
    const plots = { type: "ref/resource", uri: "k3://sessions/{session}/plots/{n}" } as const
    const numbered = async (given: Record<string, string>) =>
      (await client.complete({ ref: plots, argument: { name: "n", value: "" }, context: { arguments: given } })).completion.values
    expect([await numbered({ session: "main" }), await numbered({ session: "none" }), await numbered({})]).toEqual([["1"], [], ["1"]])
    const docs = { type: "ref/resource", uri: "k3://docs/{topic}" } as const
    for (const value of ["_ss", "+", "traps"])
      expect((await client.complete({ ref: docs, argument: { name: "topic", value } })).completion.values).toContain(value)
    const prompt = { type: "ref/prompt", name: "k-for-array-people" } as const
    expect((await client.complete({ ref: prompt, argument: { name: "language", value: "n" } })).completion.values).toEqual(["NumPy"])
  })
})

it(`M13, G9: ${limits.watched} subscriptions are accepted, and another one after an unsubscribe`, async () => {
  const { client } = await connect("legacy")
  const uri = (n: number) => `k3://sessions/main/state/x${n}`
  await Promise.all(Array.from({ length: limits.watched }, (_, n) => client.subscribeResource({ uri: uri(n) })))
  await client.subscribeResource({ uri: uri(0) })
  await expect(client.subscribeResource({ uri: uri(limits.watched) })).rejects.toThrow("resources/unsubscribe")
  await client.unsubscribeResource({ uri: uri(0) })
  await client.subscribeResource({ uri: uri(limits.watched) })
})
