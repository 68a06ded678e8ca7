/** The fence when the process has no file descriptors left. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawnSync } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { FenceTools } from "../../src/child/fence/FencePlan.ts"
import { refusalOf } from "../../src/child/fence/refusals.ts"
import { FenceSystem } from "../../src/child/Fence.ts"
import { Process } from "../../src/child/Process.ts"
import * as NodeFence from "../../src/platform/NodeFence.ts"
import * as NodeMachine from "../../src/platform/NodeMachine.ts"
import * as NodeProcess from "../../src/platform/NodeProcess.ts"

const ROOM = 200
const setLimit = (limit: string): boolean => spawnSync("prlimit", [`--pid=${process.pid}`, `--nofile=${limit}`]).status === 0
const limit = /^Max open files\s+(\d+)/m
const canLimit = process.platform === "linux" && spawnSync("prlimit", ["--version"]).status === 0

/** Runs an effect while this process can open no more files. */
const withoutDescriptors = async <A>(run: () => Promise<A>): Promise<A> => {
  const before = limit.exec(spawnSync("cat", [`/proc/${process.pid}/limits`], { encoding: "utf8" }).stdout)![1]!
  const first = openSync("/dev/null", "r")
  const open = [first]
  expect(setLimit(`${first + ROOM}:`)).toBe(true)
  try {
    try {
      for (;;) open.push(openSync("/dev/null", "r"))
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("EMFILE")
    }
    return await run()
  } finally {
    for (const each of open) closeSync(each)
    expect(setLimit(`${before}:`)).toBe(true)
  }
}

const filter = new Uint8Array(8)
const tools: FenceTools = { by: "bubblewrap", program: "/usr/bin/bwrap", runtimes: [], folders: [], filter }

describe.skipIf(!canLimit)(`G13 without a free descriptor${canLimit ? "" : ": skipped, there is no prlimit here"}`, () => {
  it("the trial of the fence says so", async () => {
    const attempt = Effect.flatMap(FenceSystem, (system) => system.attempt(tools, []))
    const layer = Layer.provide(NodeFence.layer, NodeMachine.layer({ embeddedProgram: "/k3.js" }))
    const trial = await withoutDescriptors(() => Effect.runPromise(Effect.provide(attempt, layer)))
    expect(trial).toEqual({ error: "EMFILE", stderr: "" })
  })

  it("so does a launch", async () => {
    const spec = { command: "true", args: [], cwd: "/", env: {}, endsWithStdin: true, fence: { ...tools, args: [] } }
    const launch = Effect.flip(Effect.scoped(Effect.flatMap(Process, ({ spawn }) => spawn(spec))))
    const failure = await withoutDescriptors(() => Effect.runPromise(Effect.provide(launch, NodeProcess.layer)))
    expect(failure.reason).toContain("EMFILE")
  })
})

it.skipIf(process.platform !== "linux")("G13 a trial with more places than the system or bubblewrap takes says so", async () => {
  const attempt = Effect.flatMap(FenceSystem, (system) => system.attempt(tools, Array(40_000).fill("x".repeat(100))))
  const layer = Layer.provide(NodeFence.layer, NodeMachine.layer({ embeddedProgram: "/k3.js" }))
  const trial = await Effect.runPromise(Effect.provide(attempt, layer))
  expect(trial).toEqual({ error: "E2BIG", stderr: "" })
  for (const each of [trial!, { error: undefined, stderr: "bwrap: Exceeded maximum number of arguments 9000\n" }])
    expect(refusalOf(each)).toMatch(/^K3_ROOTS holds more files that have to be read-only inside/)
})
