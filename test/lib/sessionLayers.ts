/** Layers for tests of sessions: settings, scripted or real children, and a build that a test changes. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { systemError } from "effect/PlatformError"
import * as Result from "effect/Result"
import { mkdirSync } from "node:fs"
import { delimiter, join, resolve as resolvePath } from "node:path"
import * as NodeFence from "../../src/platform/NodeFence.ts"
import * as NodeHash from "../../src/platform/NodeHash.ts"
import * as NodeLock from "../../src/platform/NodeLock.ts"
import * as NodeMachine from "../../src/platform/NodeMachine.ts"
import * as NodeProcess from "../../src/platform/NodeProcess.ts"
import * as NodeSpool from "../../src/platform/NodeSpool.ts"
import { Artifacts } from "../../src/child/builds/Artifact.ts"
import type { Build } from "../../src/child/builds/buildFiles.ts"
import { Builder } from "../../src/session/builds/Build.ts"
import { CrashRecords } from "../../src/session/history/CrashRecord.ts"
import { Definitions } from "../../src/session/Definitions.ts"
import { isSound } from "../../src/define/definition.ts"
import { Fence } from "../../src/child/Fence.ts"
import { Engines } from "../../src/child/engines/Engines.ts"
import { History } from "../../src/session/history/History.ts"
import * as NodeRootFiles from "../../src/platform/NodeRootFiles.ts"
import { Outputs } from "../../src/session/output/Outputs.ts"
import { EvaluationPlaces } from "../../src/session/EvaluationPlaces.ts"
import { Plots } from "../../src/session/plots/Plots.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import * as FolderStore from "../../src/store/folder/FolderStore.ts"
import { StateFolder } from "../../src/store/folder/StateFolder.ts"
import { Store } from "../../src/store/Store.ts"
import { Settings, type SettingValues, resolve } from "../../src/Settings.ts"
import type { Script } from "./scriptedChild.ts"
import { scriptedEngines } from "./scriptedEngines.ts"

/** A root that no other test writes to: the watch of the root would move other tests' files. */
const root = join(import.meta.dirname, "../../node_modules/.test-sessions")
mkdirSync(root, { recursive: true })

const defaults = Result.getOrThrow(resolve({ cwd: root, resolvePath, pathDelimiter: delimiter, flags: {}, environment: {} })).values

export const settings = (given: Partial<SettingValues> = {}): SettingValues => ({ ...defaults, ...given })

export const embeddedProgram = join(import.meta.dirname, "../../dist/k3.js")

export const platform = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeHash.layer,
  NodeLock.layer,
  NodeSpool.layer,
  NodeMachine.layer({ embeddedProgram }),
)

const folder: Layer.Layer<Store, never, Needs> = Layer.provide(FolderStore.layer, StateFolder.layer)
type Needs = Layer.Services<typeof StateFolder.layer>

/** History, crash records and definitions over the given store, or over the state folder of the settings (none unless a test names one). */
const state = (given: Partial<SettingValues>, store: Layer.Layer<Store, never, Needs> = folder) =>
  Layer.fresh(
    Layer.provideMerge(Layer.mergeAll(History.layer, CrashRecords.layer, Definitions.layer(isSound), NodeRootFiles.layer), store),
  ).pipe(Layer.provide([Layer.succeed(Settings, settings(given)), platform]))

/** No fence, for scripted children. */
export const noFence = Layer.succeed(Fence, {
  state: Effect.succeed({ _tag: "Off" as const }),
  around: (spec) => Effect.succeed({ spec, check: () => Effect.void }),
  during: (_, work) => work,
  take: () => [],
})

/** A build on disk that a test sets. */
export class FakeBuild {
  onDisk: Build | null = { hash: "11", content: "11" }

  readonly layer = Layer.succeed(Artifacts, {
    onDisk: () => Effect.sync(() => this.onDisk),
    hold: () => Effect.void,
    shadow: () => Effect.sync(() => ({ ...(this.onDisk ?? { hash: "", content: "" }), folder: "/shadow", files: ["K3CSharp"] })),
  })
}

/** Files without `/proc`: a process of this machine may have the pid of a scripted child, and its memory is not the child's. */
const withoutProcesses = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (fs) => ({
    ...fs,
    readFileString: (path: string) =>
      path.startsWith("/proc/")
        ? Effect.fail(systemError({ _tag: "NotFound", module: "FileSystem", method: "readFileString" }))
        : fs.readFileString(path),
  })),
).pipe(Layer.provide(NodeFileSystem.layer))

/** Sessions over scripted children. */
export const scripted = (
  script: Pick<Script, "layer">,
  given: Partial<SettingValues>,
  build = new FakeBuild(),
  store?: Layer.Layer<Store>,
): Layer.Layer<Sessions> =>
  Sessions.layer.pipe(
    Layer.provide([scriptedEngines, Builder.layer, Outputs.layer, Plots.layer]),
    Layer.provide(EvaluationPlaces.layer),
    Layer.provide([
      script.layer,
      build.layer,
      noFence,
      state(given, store),
      Layer.succeed(Settings, settings(given)),
      platform,
      withoutProcesses,
    ]),
    Layer.merge(Logger.layer([])),
  )

/** Sessions over real processes. */
export const real = (
  given: Partial<SettingValues>,
  places: typeof EvaluationPlaces.layer = EvaluationPlaces.layer,
): Layer.Layer<Sessions> =>
  Sessions.layer.pipe(
    Layer.provide([Engines.layer, Builder.layer, Outputs.layer, Plots.layer]),
    Layer.provide([Artifacts.layer, Fence.layer, places]),
    Layer.provide([
      NodeProcess.layer,
      Layer.provide(NodeFence.layer, platform),
      state(given),
      Layer.succeed(Settings, settings(given)),
      platform,
    ]),
    Layer.merge(Logger.layer([])),
  )
