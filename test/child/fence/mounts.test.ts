/** A folder that is exchanged between the plan and the mount, with real processes and with texts of mountinfo. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { spawnSync } from "node:child_process"
import { existsSync, lstatSync, mkdirSync, readlinkSync, renameSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import type { FencePlan, FenceTools } from "../../../src/child/fence/FencePlan.ts"
import { Fence } from "../../../src/child/Fence.ts"
import { misplaced } from "../../../src/child/fence/mounts.ts"
import { Process } from "../../../src/child/Process.ts"
import * as NodeProcess from "../../../src/platform/NodeProcess.ts"
import { fenceLayer, linux, program, rootFolder } from "./launches.ts"

const hasFence = process.platform === "linux" && spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0
/** The system's folders that are links. */
const links = ["/bin", "/lib", "/lib64"].flatMap((path) =>
  existsSync(path) ? [lstatSync(path).isSymbolicLink() ? { path, target: readlinkSync(path) } : { path }] : [],
)

let root: string
beforeEach(() => {
  root = rootFolder()
})

const planOf = (plan: Partial<FencePlan>): FencePlan => ({
  program: [],
  roots: [],
  fixed: [],
  readOnly: [],
  hiddenFolders: [],
  hiddenFiles: [],
  temporaryBytes: 1,
  memoryBytes: 1,
  processes: 1,
  cwd: "/",
  ...plan,
})

describe("G13 a mount that shows another place", () => {
  it("is found even when the folder is back in time: the mounted folder is another one", () => {
    const plan = planOf({ roots: ["/w/in"], readOnly: ["/w/in/sub/.vscode"], hiddenFolders: ["/w/in/state"] })
    const outside = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 8:2 /work /w rw - ext4 /dev/sdb1 rw\n"
    const inside = (shown: string) =>
      `30 1 0:5 / / ro - tmpfs tmpfs rw\n31 30 8:2 /work/in /w/in rw - ext4 /dev/sdb1 rw\n32 31 8:2 ${shown} /w/in/sub/.vscode ro - ext4 /dev/sdb1 rw\n33 31 0:9 / /w/in/state ro - tmpfs tmpfs rw\n`
    expect(misplaced(inside("/work/in/sub/.vscode"), outside, plan, linux)).toBe(undefined)
    expect(misplaced(inside("/work/other/.vscode"), outside, plan, linux)).toBe("/w/in/sub/.vscode")
  })

  it("is not reported when a root is /tmp, which covers the private one", () => {
    const plan = planOf({ roots: ["/tmp"] })
    const outside = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    const inside = (shown: string) =>
      `30 1 0:5 / / ro - tmpfs tmpfs rw\n31 30 0:9 / /tmp rw - tmpfs tmpfs rw\n32 31 8:1 ${shown} /tmp rw - ext4 /dev/sda1 rw\n`
    expect(misplaced(inside("/tmp"), outside, plan, linux)).toBe(undefined)
    expect(misplaced(inside("/elsewhere"), outside, plan, linux)).toBe("/tmp")
  })
})

describe.skipIf(!hasFence)(
  `G13 a folder that is exchanged during a launch${hasFence ? "" : ": skipped, bubblewrap is not installed or may not run"}`,
  () => {
    /** Launches a real program in the fence. `swap` happens between the plan and the mount. */
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
        Effect.provide(
          Layer.mergeAll(fenceLayer(root, { roots: [join(root, "in")], cwd: join(root, "in") }, { tools: real }), NodeProcess.layer),
        ),
        Effect.runPromise,
      )
    const real: FenceTools = { ...linux, prlimit: undefined, folders: [{ path: "/usr" }, ...links] }

    it("is found before the first evaluation: a .vscode folder from elsewhere does not become visible", async () => {
      mkdirSync(join(root, "in/sub/.vscode"), { recursive: true })
      mkdirSync(join(root, ".vscode"))
      const [said, checked] = await checkedAfter(() => {
        renameSync(join(root, "in/sub"), join(root, "in/away"))
        symlinkSync("..", join(root, "in/sub"))
      })
      expect(said).toBe("ready\n")
      expect(Result.isFailure(checked) && checked.failure.why).toContain(`${root}/.vscode was moved`)
    })

    it("is not reported without an exchange, for a name with a space, a backslash and a non-ASCII letter", async () => {
      mkdirSync(join(root, "in/a b\\ü/.git"), { recursive: true })
      const [said, checked] = await checkedAfter(() => {})
      expect([said, Result.isSuccess(checked)]).toEqual(["ready\n", true])
    })
  },
)
