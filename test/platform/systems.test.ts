/** The commands and options of each operating system, tested on every system. */
import { describe, expect, it } from "vitest"
import { guardOf, startOf, treeKillOf } from "../../src/platform/systems.ts"
import { shellOf } from "../../src/session/builds/Build.ts"

const program = { command: "/a b/K3CSharp", args: ["--mcp"], endsWithStdin: false }
const yes = (): boolean => true
const never = (): boolean => {
  throw new Error("asked for nothing")
}

describe("S8 a program that would outlive its server", () => {
  it("is ended by the kernel on Linux, and leads a group of its own", () => {
    expect(startOf("linux", program, yes)).toEqual({
      command: "setpriv",
      args: ["--pdeathsig", "KILL", "/a b/K3CSharp", "--mcp"],
      options: { detached: true },
      endedBy: "kernel",
    })
  })

  it.each<readonly [string, NodeJS.Platform, object, () => boolean]>([
    ["on Linux without setpriv", "linux", {}, () => false],
    ["when it starts programs of its own", "linux", { forks: true }, never],
    ["on macOS", "darwin", {}, never],
    ["on FreeBSD", "freebsd", {}, never],
  ])("is ended by a guard %s", (_, system, more, canPdeathsig) => {
    expect(startOf(system, { ...program, ...more }, canPdeathsig)).toEqual({
      command: program.command,
      args: program.args,
      options: { detached: true },
      endedBy: "guard",
    })
  })

  it("is not ended on Windows, which has no groups: no detached console, no window", () => {
    const { options, endedBy } = startOf("win32", program, never)
    expect(options).toEqual({ detached: false, windowsHide: true, windowsVerbatimArguments: false })
    expect(endedBy).toBe("nobody")
  })

  it.each<NodeJS.Platform>(["linux", "darwin", "win32"])("needs nobody when it ends with its input: %s", (system) => {
    expect(startOf(system, { ...program, endsWithStdin: true }, never)).toMatchObject({ command: program.command, endedBy: "itself" })
  })

  it("its guard kills the group of that pid when the guard's input ends", () => {
    expect(guardOf(42)).toEqual({ command: "/bin/sh", args: ["-c", expect.stringContaining('kill -9 "-$1"'), "k3-mcp-guard", "42"] })
  })
})

it("S3 a tree is ended by taskkill on Windows, by a signal to the group elsewhere", () => {
  expect(treeKillOf("win32", 42)).toEqual({ command: "taskkill", args: ["/PID", "42", "/T", "/F"] })
  expect(treeKillOf("linux", 42)).toBeUndefined()
  expect(treeKillOf("darwin", 42)).toBeUndefined()
})

it("R1 the build command reaches cmd.exe as it was written, quotes too", () => {
  const shell = shellOf(true, `dotnet build "C:\\a b\\K3.csproj"`)
  expect(shell).toEqual({ command: "cmd.exe", args: ["/d", "/s", "/c", `"dotnet build "C:\\a b\\K3.csproj" 2>&1"`] })
  expect(startOf("win32", { ...shell, endsWithStdin: false }, never).options.windowsVerbatimArguments).toBe(true)
  expect(shellOf(false, "make")).toEqual({ command: "/bin/sh", args: ["-c", "exec 2>&1\nmake"] })
})
