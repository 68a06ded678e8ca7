import { delimiter } from "node:path"
import { describe, expect, it } from "vitest"
import { helpText, readCommandLine, type CommandLine } from "../../src/repl/commandLine.ts"

const read = (...argv: string[]): CommandLine => {
  const options = readCommandLine(argv, "/work")
  if ("problem" in options) throw new Error(options.problem)
  return options
}
const problem = (...argv: string[]): unknown => (readCommandLine(argv, "/work") as { problem?: string }).problem

describe("the command line of k3", () => {
  it("has defaults: the working folder, no shell, 1 GiB", () =>
    expect(read()).toEqual({
      mode: "run",
      session: "main",
      sources: [],
      roots: ["/work"],
      closed: [],
      shell: "deny",
      memory: 1024 ** 3,
      args: [],
    }))

  it("takes values after a flag or attached to it", () => {
    expect(read("--memory", "64MiB").memory).toBe(64 * 1024 ** 2)
    expect(read("--memory=40000000").memory).toBe(40_000_000)
    expect(read("--shell=allow").shell).toBe("allow")
    expect(read("-e1+1").sources).toEqual([{ kind: "code", code: "1+1" }])
    expect(read("--roots", `/a${delimiter}/b`, "--roots=/c").roots).toEqual(["/a", "/b", "/c"])
    expect(read("--root", `/a${delimiter}b`, "--root=/c").roots).toEqual([`/a${delimiter}b`, "/c"])
  })

  it("--attach takes one address or folder, and a session", () => {
    expect(read("--attach")).toMatchObject({ mode: "attach", session: "main", args: [] })
    expect(read("--attach", "--session", "other", "http://127.0.0.1:1/mcp")).toMatchObject({
      mode: "attach",
      session: "other",
      args: ["http://127.0.0.1:1/mcp"],
    })
    expect(problem("--attach", "a", "b")).toContain('"b"')
    expect(problem("--attach", "-e", "1")).toContain('"1"')
    expect(problem("--session", "x")).toContain("--attach")
  })

  it("runs the script first, then each -e; the arguments are _a, and -- ends the flags", () => {
    const { sources, args } = read("s.k", "-e", "1", "x", "-e", "2", "--", "-y")
    expect(sources).toEqual([
      { kind: "file", path: "s.k" },
      { kind: "code", code: "1" },
      { kind: "code", code: "2" },
    ])
    expect(args).toEqual(["s.k", "x", "-y"])
  })

  it("passes flags after the script to the script, but for -e", () => {
    const { mode, sources, args } = read(
      "--memory",
      "64MiB",
      "s.k",
      "-v",
      "--help",
      "-e",
      "1",
      "-ve",
      "--memory=x",
      "--shell",
      "y",
      "--",
      "-e",
      "-",
    )
    expect(mode).toBe("run")
    expect(sources).toEqual([
      { kind: "file", path: "s.k" },
      { kind: "code", code: "1" },
    ])
    expect(args).toEqual(["s.k", "-v", "--help", "-ve", "--memory=x", "--shell", "y", "-e", "-"])
  })

  it("takes - as standard input", () => expect(read("-").sources).toEqual([{ kind: "file", path: "-" }]))

  it.each([
    [["--memory", "1GB"], /--memory is "1GB"/],
    [["--memory", ""], /--memory/],
    [["--memory", "1"], /--memory is "1"; .* at least 32MiB/],
    [["--memory", "32767KiB"], /at least 32MiB/],
    [["--roots"], /--roots needs a value/],
    [["--mcp=1"], /--mcp takes no value/],
    [["--mcp", "-e", "1"], /--mcp takes no code/],
    [["-x"], /no such flag: -x/],
    [["--e", "1"], /no such flag: --e;/],
    [["--close", "1"], /no such flag: --close \(did you mean --closed\?\);/],
  ] as const)("refuses %j", (argv, why) => expect(problem(...argv)).toMatch(why))

  it("documents each flag, and no other", () => {
    const flags = [...helpText.matchAll(/^ {2}(?:(-\w), )?(--?\w+)/gm)].flatMap(([, short, long]) => [short, long])
    const named = flags.filter((flag) => flag !== undefined)
    expect(named.length).toBeGreaterThan(7)
    for (const flag of named) expect(String(problem(flag)), flag).not.toMatch(/no such flag/)
  })
})
