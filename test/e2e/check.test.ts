/** `k3-mcp --check`: every failure of a launch is reported with a sentence and exit code 1, and leaves no process. */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { describe, expect, it } from "vitest"
import { writeStandIn } from "../lib/standIn.ts"
import { writeBuild } from "../lib/toyBuild.ts"
import { begin, evaluate, scratchFolder, serverFile } from "./server.ts"

const check = (flags: readonly string[], environment: NodeJS.ProcessEnv = {}, node: readonly string[] = []) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...node, serverFile, "--check", ...flags], {
    encoding: "utf8",
    cwd: scratchFolder(),
    env: { ...process.env, K3_STATE_DIR: "none", ...environment },
  })
  return { status, stdout, stderr }
}

const program = (text: string) => (build: string) => {
  writeFileSync(join(build, "K3CSharp"), text)
  chmodSync(join(build, "K3CSharp"), 0o755)
}

describe.skipIf(process.platform === "win32")("L --check, of a build that", () => {
  it.each<readonly [string, (build: string) => void, RegExp]>([
    ["is not there", (build) => rmSync(build, { recursive: true }), /No K3CSharp build in .*: the folder is missing[^]*dotnet build/],
    ["is a file", (build) => (rmSync(build, { recursive: true }), writeFileSync(build, "")), /K3CSharp build in .*k_reload/s],
    ["has no main file", (build) => rmSync(join(build, "K3CSharp.dll")), /K3CSharp\.dll is missing/],
    ["has an empty main file", (build) => truncateSync(join(build, "K3CSharp.dll")), /its main file is empty/],
    ["is not executable", (build) => chmodSync(join(build, "K3CSharp"), 0o644), /permission denied|EACCES/i],
    [
      "is half written",
      (build) => truncateSync(join(build, "K3CSharp"), Math.floor(readFileSync(join(build, "K3CSharp")).length / 2)),
      /exit code 1 before it was ready[^]*Error: /,
    ],
    ["is no program", program("neither a script nor a program"), /could not be started[^]*(?:ENOEXEC|EACCES)|before it was ready/],
    ["needs a program that is not there", program("#!/nonexistent/node\n"), /could not be started[^]*ENOENT|before it was ready/],
    [
      "wants another runtime",
      program("#!/bin/sh\necho 'You must install or update .NET to run this application.' >&2\nexit 150\n"),
      /exit code 150[^]*You must install or update \.NET/,
    ],
    ["exits at once", program("#!/bin/sh\nexit 0\n"), /ended with exit code 0 before it was ready/],
    ["dies by a signal", program("#!/bin/sh\nkill -SEGV $$\n"), /by signal SIGSEGV before it was ready/],
    ["is never ready", program("#!/bin/sh\nexec sleep 60\n"), /was not ready within 2000 ms \(K3_LAUNCH_TIMEOUT\)/],
    ["is half ready", program("#!/bin/sh\nprintf '\\001'; exec sleep 60\n"), /was not ready within 2000 ms/],
    ["says something else", program("#!/bin/sh\necho hello; exec sleep 60\n"), /was not ready within 2000 ms/],
    ["counts otherwise", (build) => writeFileSync(join(build, "K3CSharp.dll"), "sum 1"), /1\+1 +3/],
  ])("%s", (_, spoil, said) => {
    const build = join(scratchFolder(), "build")
    writeBuild(build, "times 0")
    spoil(build)
    const { status, stdout, stderr } = check(["--engine", "k3csharp", "--build-dir", build, "--launch-timeout", "2s"])
    expect(stdout).toMatch(said)
    expect(stdout).toContain("engine                   k3csharp")
    expect(stderr).not.toMatch(/at .*\.js:\d+/)
    expect(status).toBe(1)
  })

  it("lies in a folder with blanks, quotes and letters of other alphabets: well", () => {
    const build = join(scratchFolder(), `a b 'c' "d" $e é 日本 ; #`)
    mkdirSync(build)
    writeBuild(build, "times 0")
    const { status, stdout } = check(["--engine", "k3csharp", "--build-dir", build])
    expect(stdout).toMatch(/1\+1 +2\n/)
    expect(stdout).toContain(build)
    expect(status).toBe(0)
  })

  it("cannot be copied, since the temporary folder cannot be written: reported with the folder", () => {
    const { status, stdout } = check(["--engine", "k3csharp", "--build-dir", writeStandIn()], { TMPDIR: "/sys/kernel" })
    expect(stdout).toMatch(/cannot be used: (?:not permitted|permission denied).*\/sys\/kernel/)
    expect(status).toBe(1)
  })

  it("cannot be started, since the machine has no processes left: reported with the system's error", () => {
    const fate = join(scratchFolder(), "fate")
    writeFileSync(fate, "spawn EAGAIN")
    const hook = ["--no-deprecation", "--require", join(import.meta.dirname, "../lib/fateful.cjs")]
    const { status, stdout } = check(["--engine", "k3csharp", "--build-dir", writeStandIn(), "--fence", "off"], { FATE: fate }, hook)
    expect(stdout).toMatch(/could not be started[^]*EAGAIN/)
    expect(status).toBe(1)
  })
})

describe("L --check and the rest of the command line", () => {
  it("the embedded interpreter works, and the choice is reported with its reason", () => {
    const { status, stdout } = check([], { K3_BUILD_DIR: undefined })
    expect(stdout).toMatch(/^engine +embedded \(.*no .*build.*\)$/im)
    expect(stdout).toMatch(/^1\+1 +2$/m)
    expect(status).toBe(0)
  })

  it("a root that is not there is named: a slip in K3_ROOTS was seen only when K could not reach its files", () => {
    const folder = scratchFolder()
    const { status, stdout } = check(["--engine", "embedded"], { K3_ROOTS: [folder, join(folder, "none")].join(delimiter) })
    expect(stdout).toContain(`${folder}, ${join(folder, "none")} (not there)`)
    expect(status).toBe(0)
  })

  it("a given folder without a build is an error, and the embedded interpreter is tried nevertheless", () => {
    const { status, stdout } = check(["--build-dir", join(scratchFolder(), "none")])
    expect(stdout).toMatch(/^engine +embedded \(.*no .*build.*\)$/im)
    expect(stdout).toMatch(/^1\+1 +2$/m)
    expect(status).toBe(1)
  })
})

it("L --check of a folder without a build that was asked for is an error; the first reply tells it too, once", async () => {
  const folder = join(scratchFolder(), "nothing")
  const { status, stdout } = check([], { K3_BUILD_DIR: folder })
  expect(stdout).toMatch(/^error +There is no K3CSharp build in .*nothing \(set by K3_BUILD_DIR\)/m)
  expect(status).toBe(1)
  const server = await begin(["--state-dir", "none"], { K3_BUILD_DIR: folder })
  expect((await evaluate(server, "1+1")).notice).toMatch(
    /There is no K3CSharp build in .*nothing \(set by K3_BUILD_DIR\): the embedded engine answers/,
  )
  expect((await evaluate(server, "1+1")).notice).toBeUndefined()
})

it("L --check leaves nothing in the state folder", () => {
  const state = join(scratchFolder(), "state")
  const { status, stdout } = check(["--engine", "embedded"], { K3_STATE_DIR: state })
  expect(stdout).toContain(state)
  expect(stdout).toMatch(/embedded[^]*1\+1[^]*2/)
  expect(status).toBe(0)
  expect(existsSync(state)).toBe(false)
})

it("an error at the start shows control characters of flags and files, and sends none to the terminal", () => {
  const file = join(scratchFolder(), "settings.json")
  writeFileSync(file, "\u001b[31mred")
  for (const flags of [["--config", file], ["--\u001b[31mred"]]) {
    const { status, stderr } = check(flags)
    expect([status, stderr]).toEqual([2, expect.stringContaining("\\033[31m")])
    expect(stderr).not.toContain("\u001b")
  }
})
