/** The page's signals over a server that answers late, refuses, or tells of other sessions. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Follower } from "../../../src/page/Follower.ts"
import type { PageLink } from "../../../src/page/PageLink.ts"
import { hashOf, routeOf } from "../../../src/page/route.ts"
import { Shown } from "../../../src/page/Shown.ts"
import { recalled, type HistoryReplyEntry } from "../../../src/page/transcript.ts"

const at = (n: number): string => new Date(Date.UTC(2030, 0, 1) + 1000 * n).toISOString()
const entries = (session: string, from: number, to: number): readonly HistoryReplyEntry[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ n: from + i, at: at(from + i), code: `${session}${from + i}`, ok: true }))

/** A server with sessions whose histories the test fills; `held`: waits before a reply to this tool and session. */
class Server {
  histories = new Map<string, readonly HistoryReplyEntry[]>([["main", []]])
  drawn: readonly number[] = []
  isWatchable = true
  sessions: readonly object[] | undefined
  readonly gates: { readonly tool: string; readonly args: any; readonly open: () => void }[] = []
  isHeld: (tool: string, args: any) => boolean = () => false

  call = async (tool: string, args: any): Promise<any> => {
    const structured = this.answer(tool, args)
    if (this.isHeld(tool, args)) await new Promise<void>((open) => void this.gates.push({ tool, args, open }))
    return { structured, text: "", images: [] }
  }
  watch = async () => this.isWatchable
  ask = (question: (client: object) => Promise<unknown>) => question(this.client)

  private readonly client = {
    complete: async () => ({ completion: { values: this.drawn.map(String) } }),
    listResources: async () => ({
      resources: this.drawn.toReversed().flatMap((n) =>
        [...this.histories.keys()].map((name) => ({
          uri: `k3://sessions/${name}/plots/${n}`,
          title: `plot ${n}`,
          annotations: { lastModified: at(n) },
        })),
      ),
    }),
  }

  private answer(tool: string, { action, session, limit, from = 1, cursor = Infinity }: any): object {
    const names = [...this.histories.keys()]
    const row = { engine: "embedded", phase: "ready", generation: 1, idle_ms: 5, evaluations: 1, variables: 0 }
    if (session !== undefined && /[^\w.-]/.test(session))
      return { ok: false, error: { name: "arguments", text: "a name is 1 to 64 letters" } }
    if (tool === "k_session") return { ok: true, sessions: this.sessions ?? names.map((name) => ({ name, ...row })) }
    if (tool === "k_status") return { ok: true, session, pid: 1, generation: 1, sessions: names.map((name) => ({ name, phase: "ready" })) }
    if (tool === "k_inspect") return { ok: true, path: ".k", entries: [], generation: 1 }
    expect([tool, action]).toEqual(["k_history", "list"])
    const found = (this.histories.get(session) ?? []).filter(({ n }) => n >= from && n < cursor)
    const shown = found.slice(-limit)
    return { ok: true, entries: shown, ...(shown.length < found.length && { cursor: shown[0]!.n }) }
  }
}

const make = () => {
  const server = new Server()
  const shown = new Shown()
  const follower = new Follower(shown, server as unknown as PageLink)
  const go = (session: string): void => {
    shown.route.value = routeOf(hashOf(session, "transcript"))
    follower.begin()
  }
  const codes = (): readonly string[] => shown.transcript.value.rows.flatMap((row) => (row.kind === "entry" ? [row.entry.code] : []))
  return { server, shown, follower, go, codes }
}

const ms = (time: number) => vi.advanceTimersByTimeAsync(time)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe("J1 the page follows a session", () => {
  it("shows each entry once when a reading of it is late, and the person went to another session and back meanwhile", async () => {
    const { server, shown, follower, go, codes } = make()
    server.histories = new Map([
      ["main", entries("a", 1, 2)],
      ["side", entries("b", 1, 1)],
    ])
    go("main")
    follower.linked("here")
    await ms(1000)
    expect(codes()).toEqual(["a1", "a2"])
    server.histories.set("main", entries("a", 1, 3))
    const mixed: string[] = []
    shown.transcript.subscribe(() => {
      const all = codes().join()
      if (all.includes("a") && all.includes("b")) mixed.push(all)
    })
    server.isHeld = (tool, { session }) => tool === "k_history" && session === "main" && server.gates.length === 0
    const late = follower.catchUp()
    await ms(0)
    expect(server.gates.length).toBe(1)
    go("side")
    await ms(1000)
    go("main")
    await ms(1000)
    server.gates[0]!.open()
    await late
    await ms(1000)
    expect(codes()).toEqual(["a1", "a2", "a3"])
    expect(mixed).toEqual([])
  })

  it("goes to another session at once, also when subscriptions were refused for long", async () => {
    const { server, follower, go, codes } = make()
    server.histories = new Map([
      ["main", entries("a", 1, 1)],
      ["side", entries("b", 1, 1)],
    ])
    server.isWatchable = false
    go("main")
    follower.linked("here")
    await ms(65_000)
    expect(codes()).toEqual(["a1"])
    go("side")
    await ms(1000)
    expect(codes()).toEqual(["b1"])
    await ms(65_000)
    server.isWatchable = true
    server.histories.set("side", entries("b", 1, 2))
    follower.linked("gone")
    follower.linked("here")
    await ms(1000)
    expect(codes()).toEqual(["b1", "b2"])
  })

  it("draws the plots of older entries once these are fetched", async () => {
    const { server, shown, follower, go } = make()
    server.histories.set("main", entries("a", 1, 150))
    server.drawn = [10, 140]
    go("main")
    follower.linked("here")
    await ms(1000)
    const plots = () => shown.transcript.value.rows.flatMap((row) => (row.kind === "plot" ? [row.plot.title] : []))
    expect(plots()).toEqual(["plot 140"])
    shown.transcript.value = recalled(shown.transcript.value, entries("a", 1, 50), undefined)
    follower.lookForPlots()
    await ms(1000)
    expect(plots()).toEqual(["plot 10", "plot 140"])
  })

  it("begins with the session that was used last, and not with the copy of a table that another page made", async () => {
    const { server, shown, follower } = make()
    const row = { engine: "embedded", phase: "ready", generation: 1, evaluations: 1, variables: 0 }
    server.sessions = [
      { name: "main", idle_ms: 5000, ...row },
      { name: "page-0123abcd", idle_ms: 5, ephemeral: true, ...row },
      { name: "side", idle_ms: 500, ...row },
    ]
    follower.linked("here")
    await ms(1000)
    expect(shown.session.value).toBe("side")
  })

  it("stays with the session whose entries it shows when another one is used before the first list with sessions", async () => {
    const { server, shown, follower, codes } = make()
    server.sessions = []
    server.histories.set("main", entries("a", 1, 1))
    follower.linked("here")
    await ms(1000)
    expect(codes()).toEqual(["a1"])
    server.histories.set("second", entries("b", 1, 1))
    server.sessions = [
      { name: "main", idle_ms: 9 },
      { name: "second", idle_ms: 1 },
    ]
    follower.refresh("status", "history")
    await ms(1000)
    expect([shown.session.value, codes()]).toEqual(["main", ["a1"]])
  })

  it("does not offer to stop in one session what runs in another", async () => {
    const { server, shown, follower, go } = make()
    server.histories.set("side", [])
    go("main")
    follower.linked("here")
    await ms(1000)
    expect(shown.current.value?.session).toBe("main")
    server.isHeld = () => true
    go("side")
    await ms(1000)
    expect(shown.current.value).toBeUndefined()
    server.isHeld = () => false
    for (const { open } of server.gates) open()
    await ms(1000)
    expect(shown.current.value?.session).toBe("side")
  })

  it("says why a session of the address is none", async () => {
    const { shown, follower, go } = make()
    go("a b")
    follower.linked("here")
    await ms(1000)
    expect(shown.message.value).toBe("a name is 1 to 64 letters")
  })
})

describe("J8 the announcements", () => {
  it("are new for an entry that is like the one before", () => {
    const shown = new Shown()
    const [first, second] = [1, 2].map((n) => ({ n, at: at(n), code: "1+1", ok: true, output: "2\n" }))
    const heard: unknown[] = []
    shown.announcement.subscribe((each) => void heard.push(each))
    shown.hear([first!])
    shown.hear([second!])
    expect(heard.length).toBe(3)
  })
})
