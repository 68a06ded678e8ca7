/** The arguments of bubblewrap for a launch on Linux. No process is started. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { Fence } from "../../src/child/Fence.ts"
import type { SettingValues } from "../../src/Settings.ts"
import { fenceLayer, type Given, launched, linux, program, rootFolder } from "./fence/launches.ts"

let root: string
beforeEach(() => {
  root = rootFolder()
})

/** The paths after this option of bubblewrap. */
const after = (args: readonly string[], option: string): readonly string[] =>
  args.flatMap((arg, i) => (arg === option ? [args[i + 1]!] : []))

const argsOf = async (values: Partial<SettingValues> = {}, given: Given = {}): Promise<readonly string[]> =>
  Result.getOrThrow((await launched(root, values, given)).spec).fence!.args

describe("G13 the fence of a launch", () => {
  it("is the one that was tried, and surrounds the program with a private folder for temporary files", async () => {
    const tried: (readonly string[])[] = []
    const { state, spec } = await launched(root, {}, { tried: (args) => tried.push(args) })
    expect(state).toEqual({ _tag: "Fenced", by: "bubblewrap" })
    const { fence, env, command } = Result.getOrThrow(spec)
    expect([command, fence!.program, env["TMPDIR"]]).toEqual(["/engine/K3CSharp", "/usr/bin/bwrap", "/tmp"])
    expect(fence!.args.filter((arg) => arg !== "/engine" && !tried[0]!.includes(arg))).toEqual([])
    expect(after(fence!.args, "--bind-try")).toEqual([root])
    expect(after(fence!.args, "--ro-bind")).toContain("/engine")
    expect(fence!.args).toEqual(
      expect.arrayContaining(["--unshare-net", "--unshare-pid", "--die-with-parent", "--disable-userns", "--cap-drop"]),
    )
    expect(fence!.args.slice(fence!.args.indexOf("--") + 1)).toEqual([
      "/usr/bin/prlimit",
      expect.stringMatching(/^--data=\d+$/),
      "--stack=8388608",
      "--nproc=256",
      "--core=0",
      "--",
    ])
  })

  it("sets no limit that counts for the whole user, and none without prlimit", async () => {
    expect(await argsOf({}, { tools: { ...linux, countsProcesses: false } })).not.toContain("--nproc=256")
    expect((await argsOf({}, { tools: { ...linux, prlimit: undefined } })).at(-1)).toBe("--")
  })

  it("mounts no file of the system in a root, which would cover it: the check of a launch would miss it there", async () => {
    expect(after(await argsOf(), "--ro-bind-try")).toContain("/etc/localtime")
    expect(after(await argsOf({ roots: ["/etc"] }), "--ro-bind-try")).not.toContain("/etc/localtime")
  })

  it("makes files that may run outside later read-only, at any depth, and programs in a root, too", async () => {
    for (const folder of [".git", "a/b/.vscode", "node_modules/.bin", "node_modules/k3-mcp/dist", "data"])
      mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, ".mcp.json"), "{}")
    writeFileSync(join(root, "app.csproj"), "")
    const there = [".git", ".mcp.json", "a/b/.vscode", "node_modules/.bin", "node_modules/k3-mcp/dist"]
    expect([...after(await argsOf(), "--ro-bind-try")].filter((path) => path.startsWith(root)).toSorted()).toEqual(
      there.map((name) => join(root, name)),
    )
  })

  it("fixes the folders around programs and the server's own places, so that no other folder can be put in their place", async () => {
    for (const folder of ["node_modules/.bin", "node_modules/k3-mcp/dist", "own/deep/state"])
      mkdirSync(join(root, folder), { recursive: true })
    const args = await argsOf({ stateDir: join(root, "own/deep/state") })
    const fixed = ["", "own", "node_modules", "own/deep", "node_modules/k3-mcp"].map((name) => join(root, name))
    expect(after(args, "--bind-try").toSorted()).toEqual(fixed.toSorted())
    // An outer folder comes before its inner ones, and covers none of them.
    expect(args.indexOf(join(root, "own"))).toBeLessThan(args.indexOf(join(root, "own/deep")))
  })

  it("makes a build's projects and sources read-only when the build lies in the root", async () => {
    mkdirSync(join(root, "K3CSharp/bin"), { recursive: true })
    for (const file of ["K3CSharp/K3CSharp.csproj", "all.sln", "Directory.Build.props", "Own.cs", "data.k"])
      writeFileSync(join(root, file), "")
    const paths = after(await argsOf({ buildDir: join(root, "K3CSharp/bin") }), "--ro-bind-try").filter((path) => path.startsWith(root))
    const names = ["Directory.Build.props", "K3CSharp", "K3CSharp/bin", "Own.cs", "all.sln"]
    expect([...paths].toSorted()).toEqual(names.map((name) => join(root, name)))
  })

  it("does not follow a link with such a name, whose target would be inside", async () => {
    symlinkSync("/etc", join(root, ".vscode"))
    mkdirSync(join(root, "a"))
    symlinkSync("/etc/shadow", join(root, "a/.mcp.json"))
    expect(await argsOf()).not.toContain(join(root, ".vscode"))
    expect(await argsOf()).not.toContain(join(root, "a/.mcp.json"))
  })

  it("hides the state folder, or the server's files in one that contains the root", async () => {
    mkdirSync(join(root, "state"))
    const args = await argsOf({ stateDir: join(root, "state") })
    expect(after(args, "--tmpfs")).toContain(join(root, "state"))
    expect(after(args, "--remount-ro")).toContain(join(root, "state"))
    mkdirSync(join(root, "sessions"))
    writeFileSync(join(root, "token"), "secret")
    const around = await argsOf({ stateDir: root })
    expect(after(around, "--tmpfs")).toContain(join(root, "sessions"))
    expect(around.join(" ")).toContain(`--ro-bind /dev/null ${join(root, "token")}`)
  })

  it("is refused when a root has become a link to another folder since", async () => {
    const inner = join(root, "inner")
    mkdirSync(inner)
    const again = Effect.gen(function* () {
      const fence = yield* Fence
      yield* fence.state
      renameSync(inner, join(root, "away"))
      symlinkSync("/etc", inner)
      return yield* Effect.result(fence.around({ ...program, cwd: root }))
    })
    const answer = await Effect.runPromise(Effect.provide(again, fenceLayer(root, { roots: [root, inner] }, {})))
    expect(Result.isFailure(answer) && answer.failure.why).toContain("now leads to /etc")
  })
})
