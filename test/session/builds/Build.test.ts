/** R1 R2 the build command as a real process: the results of its ends, and that no process is left. */
import { assert, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeMachine from "../../../src/platform/NodeMachine.ts"
import * as NodeProcess from "../../../src/platform/NodeProcess.ts"
import { buildEnvironment, Builder, shellOf } from "../../../src/session/builds/Build.ts"
import { Settings, type SettingValues } from "../../../src/Settings.ts"
import { isAlive } from "../../lib/processes.ts"
import { embeddedProgram, settings } from "../../lib/sessionLayers.ts"
import { scratch } from "../../lib/stateFolder.ts"

const quiet = () => {}

describe.skipIf(process.platform === "win32")("the build command", () => {
  const run = (given: Partial<SettingValues>, heard: (line: string) => void = quiet) =>
    Effect.flatMap(Builder, ({ build }) => build(heard)).pipe(
      Effect.provide(
        Builder.layer.pipe(
          Layer.provide([NodeProcess.layer, NodeMachine.layer({ embeddedProgram }), Layer.succeed(Settings, settings(given))]),
        ),
      ),
    )

  it.live("R1 runs in the working folder, through a shell, and reports the last printed line", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const cwd = yield* scratch
        const heard: string[] = []
        const buildCommand = `printf 'one\\n'; echo "it's $PWD" > 'a b.txt'; echo 'x.cs(1,2): warning CS1: w' >&2`
        const built = yield* run({ buildRoot: cwd, buildCommand }, (line) => heard.push(line))
        assert.strictEqual(built.warningCount, 1)
        assert.strictEqual(heard.at(-1), "x.cs(1,2): warning CS1: w")
        assert.strictEqual(readFileSync(join(cwd, "a b.txt"), "utf8"), `it's ${cwd}\n`)
      }),
    ),
  )

  it.live("R2 a failure has its exit code, the errors as data and the last lines", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(run({ buildCommand: "echo '/p/a.cs(3,4): error CS1002: ; expected [/p/p.csproj]'; exit 5" }))
      assert.deepInclude(failed, { _tag: "BuildFailed", reason: "exit", exit: { code: 5, signal: null }, errorCount: 1 })
      assert.deepStrictEqual(failed.errors, [
        { severity: "error", file: "/p/a.cs", line: 3, column: 4, code: "CS1002", text: "; expected" },
      ])
    }),
  )

  it.live("R2 a missing program is reported as missing", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(run({ buildCommand: "k3-no-such-compiler build" }))
      assert.strictEqual(failed.reason, "missing")
      assert.include(failed.tail.join("\n"), "k3-no-such-compiler")
    }),
  )

  it.live("R2 a missing working folder is reported", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(run({ buildRoot: "/no/such/folder", buildCommand: "true" })), { reason: "spawn" })
    }),
  )

  const forking = "sleep 1000 & sleep 1000 & trap '' TERM INT; echo pids $! $$; wait"
  const pidsOf = (line: string) => line.split(" ").slice(1).map(Number)
  const gone = (pids: readonly number[]) =>
    Effect.gen(function* () {
      while (pids.some(isAlive)) yield* Effect.sleep(2)
    })

  it.live("R1 the deadline ends the whole group", () =>
    Effect.gen(function* () {
      let pids: readonly number[] = []
      const failed = yield* Effect.flip(run({ buildCommand: forking, buildTimeout: 300 }, (line) => (pids = pidsOf(line))))
      assert.deepInclude(failed, { reason: "timeout" })
      assert.lengthOf(pids, 2)
      yield* gone(pids)
    }),
  )

  it.live("R1 a cancel ends the whole group", () =>
    Effect.gen(function* () {
      let pids: readonly number[] = []
      const build = yield* Effect.forkChild(run({ buildCommand: forking }, (line) => (pids = pidsOf(line))))
      while (pids.length === 0) yield* Effect.sleep(2)
      yield* Fiber.interrupt(build)
      assert.lengthOf(pids, 2)
      yield* gone(pids)
    }),
  )
})

describe("the command of a build", () => {
  it("R1 goes through the system's shell, both streams as one", () => {
    expect(shellOf(false, "dotnet build 'a b'")).toEqual({ command: "/bin/sh", args: ["-c", "exec 2>&1\ndotnet build 'a b'"] })
    expect(shellOf(true, "dotnet build a")).toEqual({ command: "cmd.exe", args: ["/d", "/s", "/c", `"dotnet build a 2>&1"`] })
  })

  it("R1 sees only the environment variables that a compiler needs", () => {
    const needed = {
      PATH: "/bin",
      HOME: "/home/k",
      DOTNET_ROOT: "/d",
      NUGET_PACKAGES: "/n",
      https_proxy: "p",
      DOTNET_NOLOGO: "0",
    }
    const seen = buildEnvironment({ ...needed, GITHUB_TOKEN: "secret", K3_BUILD_COMMAND: "x" })
    expect(seen).toMatchObject(needed)
    expect(seen).not.toHaveProperty("GITHUB_TOKEN")
    expect(seen).not.toHaveProperty("K3_BUILD_COMMAND")
  })
})
