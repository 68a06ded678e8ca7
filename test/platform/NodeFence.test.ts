/** The trial of the fence, and a launch behind it, when the system lacks something or ends a process of it. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { FenceTools } from "../../src/child/fence/FencePlan.ts"
import { isPassing, refusalOf } from "../../src/child/fence/refusals.ts"
import { FenceSystem } from "../../src/child/Fence.ts"
import { Process } from "../../src/child/Process.ts"
import * as NodeFence from "../../src/platform/NodeFence.ts"
import * as NodeMachine from "../../src/platform/NodeMachine.ts"
import * as NodeProcess from "../../src/platform/NodeProcess.ts"
import { withFallback } from "../../src/repl/withFallback.ts"
import { isAlive } from "../lib/processes.ts"

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

const attempt = (fence: FenceTools, args: readonly string[]) =>
  FenceSystem.use((system) => system.attempt(fence, args)).pipe(
    Effect.provide(Layer.provide(NodeFence.layer, NodeMachine.layer({ embeddedProgram: "/k3.js" }))),
  )

/** A program in the place of bubblewrap that writes the pid of a process to the file `pid`. */
const standIn = (script: string) => {
  const folder = mkdtempSync(join(tmpdir(), "k3-fence-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(folder, "bwrap")
  writeFileSync(program, `#!/bin/sh\n${script}`, { mode: 0o700 })
  const pid = (): number => Number(readFileSync(join(folder, "pid"), "utf8"))
  return { fence: { ...tools, program, filter: undefined }, args: [folder], pid }
}

describe.skipIf(!canLimit)(`G13 without a free descriptor${canLimit ? "" : ": skipped, there is no prlimit here"}`, () => {
  it("the trial of the fence says so", async () => {
    const trial = await withoutDescriptors(() => Effect.runPromise(attempt(tools, [])))
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
  const trial = await Effect.runPromise(attempt(tools, Array(40_000).fill("x".repeat(100))))
  expect(trial).toEqual({ error: "E2BIG", stderr: "" })
  for (const each of [trial!, { error: undefined, stderr: "bwrap: Exceeded maximum number of arguments 9000\n" }])
    expect(refusalOf(each)).toMatch(/^K3_ROOTS holds more files that have to be read-only inside/)
})

describe.skipIf(process.platform !== "linux")("G13 a trial is answered, tells nothing of the fence, and leaves no process", () => {
  it("when a signal ends the outer process while the inner one is stopped", async () => {
    const inner = `sh -c 'echo $$ >"$1/pid"; kill -STOP $$' sh "$1" &`
    const { fence, args, pid } = standIn(`${inner}\nuntil grep -qs "^State:.T" /proc/$!/status; do sleep 0.01; done\nkill -KILL $$`)
    const trial = await Effect.runPromise(attempt(fence, args))
    expect(trial).toEqual({ error: "SIGKILL", stderr: "" })
    expect(isPassing(trial!)).toBe(true)
    await vi.waitUntil(() => !isAlive(pid()))
  })

  it("when the outer process is stopped and the inner one goes on", async () => {
    const { fence, args, pid } = standIn(`sleep 600 &\necho $! >"$1/pid"\nkill -STOP $$`)
    const trial = await Effect.gen(function* () {
      const trying = yield* Effect.forkChild(attempt(fence, args))
      yield* Effect.promise(() => vi.waitUntil(() => withFallback(pid, 0) > 0))
      yield* TestClock.adjust("5 seconds")
      return yield* Fiber.join(trying)
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
    expect(isPassing(trial!)).toBe(true)
    await vi.waitUntil(() => !isAlive(pid()))
  })
})
