/** A launch with the real `Fence` over a fake system: the test gives its tools and the result of the trial. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { FenceTools } from "../../../src/child/fence/FencePlan.ts"
import type { Trial } from "../../../src/child/fence/refusals.ts"
import { Fence, FenceSystem } from "../../../src/child/Fence.ts"
import * as NodeFence from "../../../src/platform/NodeFence.ts"
import * as NodeMachine from "../../../src/platform/NodeMachine.ts"
import { Settings, type SettingValues } from "../../../src/Settings.ts"
import { settings } from "../../lib/sessionLayers.ts"

/** A folder that is removed after the test. */
export const rootFolder = (): string => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "k3-fence-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return root
}

export const linux: FenceTools = {
  by: "bubblewrap",
  program: "/usr/bin/bwrap",
  prlimit: "/usr/bin/prlimit",
  countsProcesses: true,
  runtimes: [],
  folders: [{ path: "/usr" }, { path: "/bin", target: "usr/bin" }],
}

export interface Given {
  readonly tools?: FenceTools | undefined
  readonly trial?: Trial | (() => Trial | undefined)
  readonly tried?: (args: readonly string[]) => void
}

/** The system of this machine. */
const here = Layer.provide(NodeFence.layer, NodeMachine.layer({ embeddedProgram: "/k3.js" }))
const readOnlyIn = (folder: string, builds: boolean) =>
  Effect.provide(
    Effect.flatMap(FenceSystem, (system) => system.readOnlyIn(folder, builds)),
    here,
  )
const { find, mountsOf } = Effect.runSync(Effect.provide(FenceSystem, here))

export const fenceLayer = (root: string, values: Partial<SettingValues> = {}, given: Given = {}) =>
  Fence.layer.pipe(
    Layer.provide([
      Layer.succeed(FenceSystem, {
        platform: "plan9",
        homeFolder: "/home/k",
        tools: () => Effect.succeed("tools" in given ? given.tools : linux),
        attempt: (_tools, args) =>
          Effect.sync(() => {
            given.tried?.(args)
            return typeof given.trial === "function" ? given.trial() : given.trial
          }),
        find,
        mountsOf,
        readOnlyIn,
        began: () => {},
        ended: () => {},
        takeAppeared: () => [],
        programPlaces: ["/usr/bin", join(root, "node_modules/.bin")],
      }),
      Layer.succeed(Settings, settings({ roots: [root], cwd: root, ...values })),
      NodeMachine.layer({ embeddedProgram: join(root, "node_modules/k3-mcp/dist/k3.js") }),
      NodeServices.layer,
    ]),
  )

export const program = {
  command: "/engine/K3CSharp",
  args: ["--mcp"],
  cwd: "",
  env: { HOME: "/home/k" },
  endsWithStdin: false,
  reads: ["/engine"],
}

/** The state of the fence, and the command that would start `program` in this root. */
export const launched = (root: string, values: Partial<SettingValues> = {}, given: Given = {}) =>
  Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const fence = yield* Fence
        const fenced = yield* Effect.result(fence.around({ ...program, cwd: root }))
        return { state: yield* fence.state, spec: Result.map(fenced, ({ spec }) => spec) }
      }),
      fenceLayer(root, values, given),
    ),
  )
