/** Which fence there is, what a launch is given, and how each refusal is worded; no process is started. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { spawnSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { endOf } from "../../src/child/fence/bubblewrap.ts"
import type { FenceTools } from "../../src/child/fence/FencePlan.ts"
import type { Trial } from "../../src/child/fence/refusals.ts"
import { Fence, FenceSystem } from "../../src/child/Fence.ts"
import { misplaced } from "../../src/child/fence/mounts.ts"
import { Process } from "../../src/child/Process.ts"
import * as NodeFence from "../../src/platform/NodeFence.ts"
import * as NodeMachine from "../../src/platform/NodeMachine.ts"
import * as NodeProcess from "../../src/platform/NodeProcess.ts"
import { Settings, type SettingValues } from "../../src/Settings.ts"
import { settings } from "../lib/sessionLayers.ts"

const hasFence = process.platform === "linux" && spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0
/** The system's folders that are links. */
const links = ["/bin", "/lib", "/lib64"].flatMap((path) =>
  existsSync(path) ? [lstatSync(path).isSymbolicLink() ? { path, target: readlinkSync(path) } : { path }] : [],
)

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "k3-fence-")))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const linux: FenceTools = {
  by: "bubblewrap",
  program: "/usr/bin/bwrap",
  prlimit: "/usr/bin/prlimit",
  countsProcesses: true,
  runtimes: [],
  folders: [{ path: "/usr" }, { path: "/bin", target: "usr/bin" }],
}

interface Given {
  readonly tools?: FenceTools | undefined
  readonly trial?: Trial
  readonly tried?: (args: readonly string[]) => void
}

const readOnlyIn = (folder: string, builds: boolean) =>
  Effect.provide(
    Effect.flatMap(FenceSystem, (system) => system.readOnlyIn(folder, builds)),
    Layer.provide(NodeFence.layer, NodeMachine.layer({ embeddedProgram: "/k3.js" })),
  )

const layer = (values: Partial<SettingValues>, given: Given) =>
  Fence.layer.pipe(
    Layer.provide([
      Layer.succeed(FenceSystem, {
        platform: "plan9",
        homeFolder: "/home/k",
        tools: () => Effect.succeed("tools" in given ? given.tools : linux),
        attempt: (_tools, args) => Effect.sync(() => (given.tried?.(args), given.trial)),
        readOnlyIn,
        began: () => {},
        ended: () => {},
        takeAppeared: () => [],
        programFolders: ["/usr/bin", join(root, "node_modules/.bin")],
      }),
      Layer.succeed(Settings, settings({ roots: [root], cwd: root, ...values })),
      NodeMachine.layer({ embeddedProgram: join(root, "node_modules/k3-mcp/dist/k3.js") }),
      NodeServices.layer,
    ]),
  )

const program = {
  command: "/engine/K3CSharp",
  args: ["--mcp"],
  cwd: "",
  env: { HOME: "/home/k" },
  endsWithStdin: false,
  reads: ["/engine"],
}

const launched = (values: Partial<SettingValues> = {}, given: Given = {}) =>
  Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const fence = yield* Fence
        const fenced = yield* Effect.result(fence.around({ ...program, cwd: root }))
        return { state: yield* fence.state, spec: Result.map(fenced, ({ spec }) => spec) }
      }),
      layer(values, given),
    ),
  )

/** The places that follow this option of bubblewrap. */
const after = (args: readonly string[], option: string): readonly string[] =>
  args.flatMap((arg, i) => (arg === option ? [args[i + 1]!] : []))

const argsOf = async (values: Partial<SettingValues> = {}, given: Given = {}): Promise<readonly string[]> =>
  Result.getOrThrow((await launched(values, given)).spec).fence!.args

describe("G13 the fence of a launch", () => {
  it("is what was tried, and is around the program with a private folder for temporary files", async () => {
    const tried: (readonly string[])[] = []
    const { state, spec } = await launched({}, { tried: (args) => tried.push(args) })
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
      "--nproc=256",
      "--core=0",
      "--",
    ])
  })

  it("sets no limit that the system counts for the whole user, and none without prlimit", async () => {
    expect(await argsOf({}, { tools: { ...linux, countsProcesses: false } })).not.toContain("--nproc=256")
    expect((await argsOf({}, { tools: { ...linux, prlimit: undefined } })).at(-1)).toBe("--")
  })

  it("makes read-only what runs outside later, at any depth, and programs that lie in a root", async () => {
    for (const folder of [".git", "a/b/.vscode", "node_modules/.bin", "node_modules/k3-mcp/dist", "data"])
      mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, ".mcp.json"), "{}")
    writeFileSync(join(root, "app.csproj"), "")
    const there = [".git", ".mcp.json", "a/b/.vscode", "node_modules/.bin", "node_modules/k3-mcp/dist"]
    expect([...after(await argsOf(), "--ro-bind-try")].filter((path) => path.startsWith(root)).toSorted()).toEqual(
      there.map((name) => join(root, name)),
    )
  })

  it("makes a build's projects and sources read-only when the build lies in the root", async () => {
    mkdirSync(join(root, "K3CSharp/bin"), { recursive: true })
    for (const file of ["K3CSharp/K3CSharp.csproj", "all.sln", "Directory.Build.props", "Own.cs", "data.k"])
      writeFileSync(join(root, file), "")
    const paths = after(await argsOf({ buildDir: join(root, "K3CSharp/bin") }), "--ro-bind-try").filter((path) => path.startsWith(root))
    const names = ["Directory.Build.props", "K3CSharp", "K3CSharp/bin", "Own.cs", "all.sln"]
    expect([...paths].toSorted()).toEqual(names.map((name) => join(root, name)))
  })

  it("does not follow a link that has such a name: what it leads to would be inside", async () => {
    symlinkSync("/etc", join(root, ".vscode"))
    mkdirSync(join(root, "a"))
    symlinkSync("/etc/shadow", join(root, "a/.mcp.json"))
    expect(await argsOf()).not.toContain(join(root, ".vscode"))
    expect(await argsOf()).not.toContain(join(root, "a/.mcp.json"))
  })

  it("hides the state folder, or what the server makes in one that holds the root", async () => {
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
    const answer = await Effect.runPromise(Effect.provide(again, layer({ roots: [root, inner] }, {})))
    expect(Result.isFailure(answer) && answer.failure.why).toContain("now leads to /etc")
  })
})

describe.skipIf(!hasFence)(
  `G13 a place that is swapped during a launch${hasFence ? "" : ": skipped, bubblewrap is not installed or may not run"}`,
  () => {
    /** Launches a real program in the fence; `swap` happens between the look at the root and the mount. */
    const checkedAfter = (swap: () => void) =>
      Effect.gen(function* () {
        const fence = yield* Fence
        const processes = yield* Process
        yield* fence.state
        const { spec, check } = yield* fence.around({ ...program, command: "cat", args: [], cwd: root, reads: [] })
        swap()
        const child = yield* processes.spawn(spec)
        const said = yield* Effect.callback<string>((resume) => {
          child.onStdout((chunk) => resume(Effect.succeed(Buffer.from(chunk).toString())))
          child.onExit((exit) => resume(Effect.succeed(`ended ${JSON.stringify(exit)} ${child.stderr()}`)))
          child.write("ready\n")
        })
        return [said, yield* Effect.result(check(child.pid))] as const
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.mergeAll(layer({ roots: [join(root, "in")], cwd: join(root, "in") }, { tools: real }), NodeProcess.layer)),
        Effect.runPromise,
      )
    const real: FenceTools = { ...linux, prlimit: undefined, folders: [{ path: "/usr" }, ...links] }

    it("is found before the first evaluation: a .vscode of the person's from elsewhere is not shown", async () => {
      mkdirSync(join(root, "in/sub/.vscode"), { recursive: true })
      mkdirSync(join(root, ".vscode"))
      const [said, checked] = await checkedAfter(() => {
        renameSync(join(root, "in/sub"), join(root, "in/away"))
        symlinkSync("..", join(root, "in/sub"))
      })
      expect(said).toBe("ready\n")
      expect(Result.isFailure(checked) && checked.failure.why).toContain(`${root}/.vscode was moved`)
    })

    it("is found when the folder is back in time: what is shown in the right place is of elsewhere", () => {
      const plan = {
        program: [],
        roots: ["/w/in"],
        readOnly: ["/w/in/sub/.vscode"],
        hiddenFolders: ["/w/in/state"],
        hiddenFiles: [],
        temporaryBytes: 1,
        memoryBytes: 1,
        processes: 1,
        cwd: "/w/in",
      }
      const outside = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 8:2 /work /w rw - ext4 /dev/sdb1 rw\n"
      const inside = (shown: string) =>
        `30 1 0:5 / / ro - tmpfs tmpfs rw\n31 30 8:2 /work/in /w/in rw - ext4 /dev/sdb1 rw\n32 31 8:2 ${shown} /w/in/sub/.vscode ro - ext4 /dev/sdb1 rw\n33 31 0:9 / /w/in/state ro - tmpfs tmpfs rw\n`
      expect(misplaced(inside("/work/in/sub/.vscode"), outside, plan, linux)).toBe(undefined)
      expect(misplaced(inside("/work/other/.vscode"), outside, plan, linux)).toBe("/w/in/sub/.vscode")
    })

    it("is nothing where a root is /tmp: the private one lies below it", () => {
      const plan = {
        program: [],
        roots: ["/tmp"],
        readOnly: [],
        hiddenFolders: [],
        hiddenFiles: [],
        temporaryBytes: 1,
        memoryBytes: 1,
        processes: 1,
        cwd: "/tmp",
      }
      const outside = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      const inside = (shown: string) =>
        `30 1 0:5 / / ro - tmpfs tmpfs rw\n31 30 0:9 / /tmp rw - tmpfs tmpfs rw\n32 31 8:1 ${shown} /tmp rw - ext4 /dev/sda1 rw\n`
      expect(misplaced(inside("/tmp"), outside, plan, linux)).toBe(undefined)
      expect(misplaced(inside("/elsewhere"), outside, plan, linux)).toBe("/tmp")
    })

    it("is nothing when nobody swaps: a folder's name with a space, a backslash and a letter beyond ASCII", async () => {
      mkdirSync(join(root, "in/a b\\ü/.git"), { recursive: true })
      const [said, checked] = await checkedAfter(() => {})
      expect([said, Result.isSuccess(checked)]).toEqual(["ready\n", true])
    })
  },
)

describe("G13 without a fence", () => {
  const denied = { error: undefined, stderr: "bwrap: No permissions to create new namespace, likely because the kernel does not allow it" }

  it("auto launches as before, and says why there is none", async () => {
    const { state, spec } = await launched({}, { trial: denied })
    expect(state).toMatchObject({ _tag: "None", why: expect.stringContaining("forbids new namespaces") })
    expect(Result.getOrThrow(spec)).toEqual({ ...program, cwd: root })
  })

  it("required launches nothing", async () => {
    const { spec } = await launched({ fence: "required" }, { trial: denied })
    expect(Result.isFailure(spec) && spec.failure).toMatchObject({
      _tag: "FenceMissing",
      why: expect.stringContaining("K3_FENCE is required, and "),
    })
  })

  it("a session of K3CSharp is told so once, when there is none that could be made; no other", async () => {
    const taken = (given: Given, values: Partial<SettingValues> = {}) =>
      Effect.runPromise(
        Effect.provide(
          Effect.gen(function* () {
            const fence = yield* Fence
            yield* fence.around({ ...program, cwd: root })
            return [fence.take("k3csharp", true), fence.take("k3csharp", false), fence.take("embedded", true)].map((said) => said.join(""))
          }),
          layer(values, given),
        ),
      )
    const told = "K3CSharp runs without a fence, and reaches all that the server's user can: the system forbids new namespaces"
    expect(await taken({ trial: denied })).toEqual([expect.stringContaining(told), "", ""])
    expect(await taken({})).toEqual(["", "", ""])
    expect(await taken({ trial: denied }, { fence: "off" })).toEqual(["", "", ""])
  })

  it("off tries nothing", async () => {
    const { state, spec } = await launched({ fence: "off" }, { tried: () => expect.unreachable() })
    expect(state).toEqual({ _tag: "Off" })
    expect(Result.getOrThrow(spec)).not.toHaveProperty("fence")
  })

  it("a system without one is named", async () => {
    expect((await launched({}, { tools: undefined })).state).toMatchObject({
      _tag: "None",
      why: expect.stringContaining("no fence on plan9"),
    })
  })

  it.each(["/", "/home", "/home/k", "/root", "/home/somebody"])(
    "required refuses %s as a root: nothing would be kept out",
    async (wide) => {
      const { spec } = await launched({ fence: "required", roots: [wide] })
      expect(Result.isFailure(spec) && spec.failure.why).toContain(`K3_ROOTS holds ${wide}`)
    },
  )
})

describe("G13 a refusal of bubblewrap is told with what to do about it", () => {
  it.each<readonly [string, Trial, string]>([
    ["not installed", { error: "ENOENT", stderr: "" }, "Install the package bubblewrap"],
    ["too old", { error: undefined, stderr: "bwrap: Unknown option --disable-userns" }, "Install a newer one"],
    [
      "namespaces off",
      {
        error: undefined,
        stderr: "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
      },
      "user.max_user_namespaces",
    ],
    ["seccomp", { error: undefined, stderr: "bwrap: No permissions to create new namespace, likely because …" }, "seccomp profile"],
    [
      "masked /proc",
      { error: undefined, stderr: "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" },
      "systempaths=unconfined",
    ],
    ["AppArmor", { error: undefined, stderr: "bwrap: setting up uid map: Permission denied" }, "AppArmor profile"],
    ["anything else", { error: undefined, stderr: "bwrap: out of luck\n" }, "bubblewrap refuses: bwrap: out of luck"],
  ])("%s", async (_, trial, words) => {
    expect((await launched({}, { trial })).state).toMatchObject({ _tag: "None", why: expect.stringContaining(words) })
  })
})

describe("G13 how a fenced program ended", () => {
  it.each([
    [
      { code: 3, signal: null },
      { code: 3, signal: null },
    ],
    [
      { code: 137, signal: null },
      { code: null, signal: "SIGKILL" },
    ],
    [
      { code: 134, signal: null },
      { code: null, signal: "SIGABRT" },
    ],
    [
      { code: null, signal: "SIGKILL" },
      { code: null, signal: "SIGKILL" },
    ],
  ])("%j is %j", (told, is) => expect(endOf(told)).toEqual(is))
})

describe("G13 on macOS", () => {
  const macOS: FenceTools = { by: "sandbox-exec", program: "/usr/bin/sandbox-exec", runtimes: ["/opt/dotnet"], folders: [] }

  it("the profile denies all but the plan; later rules win", async () => {
    mkdirSync(join(root, ".git"))
    mkdirSync(join(root, 'sta"te'))
    const { spec } = await launched({ stateDir: join(root, 'sta"te') }, { tools: macOS })
    const { fence, cwd } = Result.getOrThrow(spec)
    const lines = fence!.args[1]!.split("\n")
    expect([fence!.args[0], cwd, lines[0], lines[1]]).toEqual(["-p", root, "(version 1)", "(deny default)"])
    expect(lines.some((line) => /network/.test(line))).toBe(false)
    expect(lines.find((line) => line.startsWith("(allow file-read* "))).toContain('(subpath "/opt/dotnet")')
    expect(lines.slice(-2)).toEqual([
      `(deny file-write* (subpath "${join(root, ".git")}"))`,
      `(deny file-read* file-write* (subpath "${root}/sta\\"te"))`,
    ])
  })
})
