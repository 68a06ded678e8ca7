/** S12 `k_status` on processes, versions and builds, and the server's traces, on the built server. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { version } from "../../package.json" with { type: "json" }
import { tools } from "../../src/mcp/tools/index.ts"
import { writeBuild } from "../lib/toyBuild.ts"
import { begin, engines, evaluate, k3csharpBuild, scratchFolder, serverFile, start, statusOf } from "./server.ts"

const text = async (server: ReturnType<typeof start>): Promise<string> => (await server.call("k_status")).content[0].text

/** Starts a server in that folder. */
const startIn = (folder: string, args: readonly string[] = []) =>
  start(args, { K3_STATE_DIR: "none", K3_BUILD_DIR: "" }, ["/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, process.execPath, serverFile])

describe.each(engines)("k_status of %s", (engine, args) => {
  it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)("tells process, uptimes and versions", async () => {
    const server = await begin([...args], { K3_STATE_DIR: "none" })
    const before = await statusOf(server)
    expect(before).toMatchObject({ process_running: false, stale: false, build_hash: expect.stringMatching(/^[0-9a-f]{32}$/) })
    expect(before).not.toHaveProperty("child_uptime_ms")
    expect(await text(server)).toContain("no process runs")
    await evaluate(server, "1+1")
    await evaluate(server, "_exit 3")
    await evaluate(server, "1+1")
    const after = await statusOf(server)
    expect(after).toMatchObject({
      process_running: true,
      versions: { server: version, protocol: "2025-06-18", engine: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    })
    expect(after.uptime_ms).toBeGreaterThan(after.child_uptime_ms)
    expect(await text(server)).toContain(`Server: k3-mcp ${version}, MCP 2025-06-18`)
  })

  it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)(
    "L2 is traced with MCP_DEBUG: statements and what is printed",
    async () => {
      const server = await begin([...args], { K3_STATE_DIR: "none", MCP_DEBUG: "1" })
      await evaluate(server, "f:{a::x;x+41}\nf 1")
      const { pid } = await statusOf(server)
      expect(server.log()).toContain(`message="${pid} > f 1"`)
      expect(server.log()).toContain(`message="${pid} < 42"`)
      const calls = [`message="${pid} ! k3:   f[1]"`, `message="${pid} ! k3:     a: 1"`]
      for (const each of calls) expect(server.log().includes(each)).toBe(engine === "embedded")
    },
  )
})

describe.skipIf(process.platform === "win32")("the build folder", () => {
  it("is searched upwards to the repository's root, and the reason is reported", async () => {
    const repository = join(scratchFolder(), "repo")
    const below = join(repository, "TestFiles/deep")
    mkdirSync(join(repository, ".git"), { recursive: true })
    mkdirSync(below, { recursive: true })
    writeBuild(join(repository, "K3CSharp/bin/Debug/net8.0"), "times 0")
    const server = startIn(below)
    await server.initialize()
    expect((await evaluate(server, "1+1")).output).toBe("2")
    expect(await statusOf(server)).toMatchObject({
      engine: "k3csharp",
      build_folder: join(repository, "K3CSharp/bin/Debug/net8.0"),
      build_folder_why: `found above the working folder, in ${repository}: a build is there`,
    })
    rmSync(join(repository, "K3CSharp/bin"), { recursive: true })
    expect(await statusOf(server)).toMatchObject({ build_hash: null, stale: null, process_running: true })
    expect(await text(server)).toMatch(/No build is on disk in .*; the process goes on with the one it was launched with\. Build it/)
  })

  it("is not searched beyond the repository's root, and the build command runs in the found folder", async () => {
    const outside = scratchFolder()
    const repository = join(outside, "repo")
    mkdirSync(join(repository, ".git"), { recursive: true })
    writeBuild(join(outside, "K3CSharp/bin/Debug/net8.0"), "times 0")
    const server = startIn(repository)
    await server.initialize()
    const { engine, engine_why } = await statusOf(server)
    expect([engine, engine_why]).toEqual(["embedded", expect.stringContaining("the default; no build or sources were found in")])

    const below = join(repository, "TestFiles")
    mkdirSync(join(repository, "K3CSharp"))
    mkdirSync(below)
    writeFileSync(join(repository, "K3CSharp/K3CSharp.csproj"), "")
    const other = startIn(below, ["--engine", "k3csharp", "--build-command", "pwd && exit 1"])
    await other.initialize()
    expect((await other.call("k_reload", { build: true })).content[0].text).toContain(repository)
    expect(await statusOf(other)).toMatchObject({ build_folder_why: expect.stringContaining("its sources are there") })
  })
})

it("M7 every optional argument has a default or describes it", () => {
  // These have no default, or the tool's description states it.
  const none = new Set(
    ["name", "to", "code", "text", "file", "check", "check_file", "into", "cursor", "expect_generation"].concat([
      "description",
      "parameters",
      "arguments",
      "result",
      "query",
      "slice",
      "find",
      "wait_ms",
      "args",
      "names",
      "between",
      "examples",
      "x",
      "y",
      "color",
      "title",
      "spec",
    ]),
  )
  const wanting = tools.flatMap((tool) => {
    const { properties, required = [] } = tool.describe().inputSchema as {
      readonly properties: Record<string, { readonly default?: unknown; readonly description?: string }>
      readonly required?: readonly string[]
    }
    return Object.entries(properties)
      .filter(
        ([name, { default: usual, description }]) =>
          !required.includes(name) && usual === undefined && !/default/.test(description ?? "") && !none.has(name),
      )
      .map(([name]) => `${tool.name} ${name}`)
  })
  expect(wanting).toEqual([])
})
