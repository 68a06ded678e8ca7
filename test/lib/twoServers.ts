/**
 * Starts, stops, kills, freezes and thaws two servers on one state folder at random, each on a random version of Node. Checks that data that a
 * server acknowledged as stored is in the next server that has the folder, and that two servers never have it at the same time. A server
 * takes a free folder over at a moment of its own; the other server's version of the same session is then under another name.
 */
import { once } from "node:events"
import { expect } from "vitest"
import { evaluate, type RawServer, serverFile, start, statusOf } from "../e2e/server.ts"
import { randomFrom } from "./random.ts"

interface Slot {
  server: RawServer | undefined
  holds: boolean
  frozen: boolean
}

export interface Told {
  starts: number
  kills: number
  ends: number
  freezes: number
  writes: number
}

const isHolder = (notice = ""): boolean => !notice.includes("Another k3-mcp server")

export const twoServers = async (state: string, nodes: readonly string[], ms: number, seed: number): Promise<Told> => {
  const random = randomFrom(seed)
  const pick = <A>(all: readonly A[]): A => all[Math.floor(random() * all.length)]!
  const told: Told = { starts: 0, kills: 0, ends: 0, freezes: 0, writes: 0 }
  const slots: readonly [Slot, Slot] = [0, 1].map((): Slot => ({ server: undefined, holds: false, frozen: false })) as never
  /** The last written number, the last one acknowledged as stored in a tool, and the last one stored as a variable at a shutdown. */
  let tried = 0
  let kept = 0
  let saved = 0

  const otherOf = (slot: Slot): Slot => slots.find((each) => each !== slot)!

  const open = async (slot: Slot): Promise<void> => {
    const server = start(["--engine", "embedded", "--state-dir", state, "--persist-every", "1"], {}, [pick(nodes), serverFile])
    await server.initialize()
    const a = await evaluate(server, "a")
    const { notice = "" } = await statusOf(server)
    Object.assign(slot, { server, holds: isHolder(notice), frozen: false })
    told.starts++
    const other = otherOf(slot)
    // The server may have taken the folder over without having reported it.
    if (other.server !== undefined && !other.frozen) other.holds = isHolder((await statusOf(other.server)).notice)
    else if (other.frozen) other.holds ||= !slot.holds
    expect([slot.holds, other.holds], `holders, seed ${seed}: ${notice}`).toEqual([!other.holds, other.holds])
    if (!slot.holds) return
    const held = a.ok === true ? Number(a.output) : 0
    expect(held, `a variable, seed ${seed}`).toBeGreaterThanOrEqual(saved)
    expect(held).toBeLessThanOrEqual(tried)
    const source: any = await server.call("k_define", { action: "source", name: "d" })
    const defined = Number(/\{\[x\] (\d+)\}/.exec(source.content[0].text)?.[1] ?? 0)
    expect(defined, `a tool, seed ${seed}`).toBeGreaterThanOrEqual(kept)
    expect(defined).toBeLessThanOrEqual(tried)
    saved = kept = Math.max(0, Math.min(held, defined))
  }

  const write = async (slot: Slot): Promise<void> => {
    const { server } = slot
    const n = ++tried
    await evaluate(server!, `a:${n}`)
    const reply: any = await server!.call("k_define", { action: "define", name: "d", code: `{[x] ${n}}` })
    expect(reply.isError, `seed ${seed}`).toBeUndefined()
    const isKept = !reply.content[0].text.includes("in memory only")
    if (slot.holds || otherOf(slot).holds) expect(isKept, `seed ${seed}`).toBe(slot.holds)
    slot.holds = isKept
    if (isKept) kept = n
    told.writes++
  }

  const close = async (slot: Slot, how: "kill" | "end"): Promise<void> => {
    const { server, holds } = slot
    const exited = once(server!.process, "close")
    if (how === "kill") server!.process.kill("SIGKILL")
    else server!.process.stdin!.end()
    await exited
    if (how === "end" && holds) saved = kept
    if (holds && otherOf(slot).server !== undefined) saved = 0
    Object.assign(slot, { server: undefined, holds: false, frozen: false })
    told[how === "kill" ? "kills" : "ends"]++
  }

  const step = async (slot: Slot): Promise<void> => {
    if (slot.server === undefined) return open(slot)
    const what = pick(slot.frozen ? (["kill", "thaw", "thaw"] as const) : (["write", "write", "write", "kill", "end", "freeze"] as const))
    if (what === "write") return write(slot)
    if (what === "kill" || what === "end") return close(slot, what)
    slot.server.process.kill(what === "freeze" ? "SIGSTOP" : "SIGCONT")
    slot.frozen = what === "freeze"
    if (slot.frozen) told.freezes++
  }

  for (const until = performance.now() + ms; performance.now() < until;) await step(pick(slots))
  for (const slot of slots) if (slot.server !== undefined) await close(slot, "kill")
  await open(slots[0])
  await close(slots[0], "end")
  return told
}
