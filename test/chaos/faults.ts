/** The faults of the chaos run: operations that disturb its machines and its database. */
import { setTimeout as pause } from "node:timers/promises"
import type { LocalCluster, Machine } from "../lib/localCluster.ts"

/** The time that a machine has to end after SIGTERM, ms. A later one is killed, which is a complaint. */
const longestEnd = 240_000

export interface Faults {
  /** The faults by name. */
  readonly kinds: { readonly [name: string]: () => Promise<void> }
  /** Replaces every machine by a new one, one after the other. */
  readonly roll: () => Promise<void>
  /** The addresses of front ends that are not stopped, killed or told to end. */
  readonly urls: () => readonly string[]
  readonly complaints: string[]
}

export const makeFaults = (cluster: LocalCluster, random: () => number): Faults => {
  const complaints: string[] = []
  const leaving = new Set<Machine>()
  const below = (n: number): number => Math.floor(random() * n)
  const all = (role: Machine["role"]): readonly Machine[] =>
    [...cluster.machines].filter((machine) => machine.role === role && !leaving.has(machine))
  const some = (role: Machine["role"]): Machine => {
    const machines = all(role)
    return machines[below(machines.length)]!
  }
  const start = (role: Machine["role"]) => (role === "runner" ? cluster.runner() : cluster.front())

  const kill = async (machine: Machine): Promise<void> => {
    leaving.add(machine)
    machine.process.kill("SIGKILL")
    await machine.ended
    await pause(below(4000))
    await start(machine.role)
  }
  const tell = async (machine: Machine): Promise<void> => {
    leaving.add(machine)
    machine.process.kill("SIGTERM")
    const ended = await Promise.race([machine.ended, pause(longestEnd, undefined, { ref: false })])
    if (ended === undefined) machine.process.kill("SIGKILL")
    const [code, signal] = await machine.ended
    if (code !== 0) complaints.push(`${machine.name} ended with ${code ?? signal} after SIGTERM:\n${machine.log().slice(-2000)}`)
  }
  const stop = async (machine: Machine, ms: number): Promise<void> => {
    if (machine.role === "front") leaving.add(machine)
    machine.process.kill("SIGSTOP")
    await pause(ms)
    machine.process.kill("SIGCONT")
    leaving.delete(machine)
  }
  const outage = async (how: "fast" | "immediate", ms: number): Promise<void> => {
    await cluster.postgres.end(how)
    await pause(ms)
    await cluster.postgres.begin()
  }

  return {
    complaints,
    urls: () => all("front").map(({ address }) => address),
    kinds: {
      "runners killed": () => kill(some("runner")),
      "runners stopped for 1 s": () => stop(some("runner"), 1000),
      "runners stopped for 12 s": () => stop(some("runner"), 12_000),
      "runners ended and replaced": async () => {
        await tell(some("runner"))
        await start("runner")
      },
      "runners joined and left": async () => {
        const joined = await cluster.runner()
        await pause(1000 + below(3000))
        await tell(joined)
      },
      "front ends killed": () => kill(some("front")),
      "front ends stopped for 3 s": () => stop(some("front"), 3000),
      "database restarted": () => outage("fast", below(2000)),
      "database crashed": () => outage("immediate", below(3000)),
    },
    roll: async () => {
      for (const machine of [...all("runner"), ...all("front")]) {
        await start(machine.role)
        await tell(machine)
      }
    },
  }
}
