/**
 * The server behind its first reply: composes the layers — nowhere else is one provided — and runs until the client is gone or SIGINT,
 * SIGTERM or SIGHUP arrives; every child has ended before it exits.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Path from "effect/Path"
import * as References from "effect/References"
import { check as checkEngine } from "./check.ts"
import type { Connection } from "./mcp/connection.ts"
import * as McpHost from "./mcp/McpHost.ts"
import type { Parts as ServerParts } from "./mcp/server.ts"
import * as NodeFence from "./platform/NodeFence.ts"
import * as NodeHash from "./platform/NodeHash.ts"
import * as NodeHttp from "./platform/NodeHttp.ts"
import * as NodeLock from "./platform/NodeLock.ts"
import * as NodeMachine from "./platform/NodeMachine.ts"
import { pageFiles } from "./platform/NodePage.ts"
import * as NodeProcess from "./platform/NodeProcess.ts"
import * as NodeSpool from "./platform/NodeSpool.ts"
import { announcing } from "./platform/address.ts"
import { authorityOf } from "./platform/authority.ts"
import { principalRoot } from "./platform/principalRoot.ts"
import { type Principal, rootOf, settingsOf } from "./mcp/http/Principal.ts"
import { Machine } from "./child/Machine.ts"
import { Process } from "./child/Process.ts"
import { Spool } from "./session/output/Spool.ts"
import { Lock } from "./store/folder/Lock.ts"
import { layer as tracedProcess } from "./child/traced.ts"
import { Artifacts } from "./child/builds/Artifact.ts"
import { Builder } from "./session/builds/Build.ts"
import { CrashRecords } from "./session/history/CrashRecord.ts"
import { Definitions } from "./session/Definitions.ts"
import { isSound } from "./define/definition.ts"
import { Engines } from "./child/engines/Engines.ts"
import { Fence } from "./child/Fence.ts"
import { History } from "./session/history/History.ts"
import { Outputs } from "./session/output/Outputs.ts"
import { Places } from "./session/Places.ts"
import { Plots } from "./session/plots/Plots.ts"
import * as NodeRootFiles from "./platform/NodeRootFiles.ts"
import { Sessions } from "./session/Sessions.ts"
import * as FolderStore from "./store/folder/FolderStore.ts"
import { StateFolder } from "./store/folder/StateFolder.ts"
import { visible } from "./visible.ts"
import { isWanted } from "./Telemetry.ts"
import { Settings, type SettingValues } from "./Settings.ts"

/** What only `main.ts` knows. */
export interface Parts {
  readonly settings: SettingValues
  readonly version: string
  /** The file of the embedded interpreter. */
  readonly embeddedProgram: string
  /** The folder of the page. */
  readonly pageFolder: string
  /** Over HTTP: the fixtures of a conformance suite, which tests mount. */
  readonly mount?: ServerParts["mount"]
}

const levels = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const

/** Standard error only: standard output carries the protocol. */
const logging = (settings: SettingValues) =>
  Layer.merge(
    Logger.layer([Logger.withConsoleError(Logger.map(Logger.formatLogFmt, visible))]),
    Layer.succeed(References.MinimumLogLevel, settings.debug ? "All" : levels[settings.logLevel]),
  )

/** Loaded when somebody collects it. */
const telemetry = ({ telemetryCode: code }: SettingValues, version: string) =>
  isWanted(process.env)
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./platform/otlp.ts")),
          ({ layer }) => layer({ environment: process.env, version, code }),
        ),
      ).pipe(Layer.provide(NodeFileSystem.layer))
    : Layer.empty

/** What one principal has for itself: nothing in it is shared with another one. */
const space = (settings: SettingValues) =>
  Sessions.layer.pipe(
    Layer.provide([Engines.layer, Builder.layer, Outputs.layer, Places.layer, Plots.layer]),
    Layer.provide(Fence.layer),
    Layer.provide([History.layer, CrashRecords.layer, Definitions.layer(isSound), NodeRootFiles.layer]),
    Layer.provide([Layer.provide(FolderStore.layer, StateFolder.layer), NodeFence.layer]),
    Layer.provideMerge(Layer.succeed(Settings, settings)),
  )

/** What all share: the machine, and the private copies of builds. */
const machine = ({ settings, embeddedProgram }: Parts) =>
  Artifacts.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        NodeFileSystem.layer,
        NodePath.layer,
        NodeHash.layer,
        NodeLock.layer,
        settings.debug ? Layer.provide(tracedProcess, NodeProcess.layer) : NodeProcess.layer,
        NodeSpool.layer,
        NodeMachine.layer({ embeddedProgram }),
      ),
    ),
  )
const shared = [Artifacts, Digest.Digest, FileSystem.FileSystem, Path.Path, Lock, Process, Spool, Machine] as const
type Shared = Context.Service.Identifier<(typeof shared)[number]>

const environment = (parts: Parts) => Layer.provideMerge(space(parts.settings), machine(parts))

/** The services of a principal's space, with a root of its own. */
const enter = Effect.fnUntraced(function* (settings: SettingValues, principal: Principal) {
  const root = yield* Effect.try({
    try: () => principalRoot(rootOf(settings.principals!, principal)),
    catch: (error) => (error as Error).message,
  })
  const own = space(settingsOf(settings, principal, root))
  return yield* Layer.buildWithMemoMap(own, yield* Layer.makeMemoMap, yield* Effect.scope)
})

/** One line on standard error: what will answer, and why. Beside the serving, which waits for nothing. */
const announce = (version: string) =>
  Effect.gen(function* () {
    const { engine, engineWhy } = yield* Effect.flatMap(Sessions, ({ status }) => status("main"))
    yield* Effect.logInfo(`k3-mcp ${version}, engine ${engine}: ${engineWhy}`)
  })

/**
 * An orderly end is exit code 0, whatever asked for it; only a defect of ours is not. Logging is around all else: what is logged while the
 * other layers are made or closed does not go to standard output either.
 */
const run = (program: Effect.Effect<void>, settings: SettingValues): void => {
  NodeRuntime.runMain(Effect.provide(program, logging(settings)), {
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? Number(process.exitCode ?? 0) : 1),
  })
  // A terminal that is closed ends us as any other request does; Effect listens to those alone.
  process.on("SIGHUP", () => process.emit("SIGTERM"))
}

/** Without a connection, over HTTP alone. */
export const serve = (connection: Connection | undefined, { version, ...parts }: Parts): void => {
  const { settings } = parts
  const identity = { name: "k3-mcp", version }
  const serving = Effect.gen(function* () {
    const around = Context.pick(...shared)(yield* Effect.context<Shared>())
    const http =
      settings.listen === null
        ? undefined
        : {
            place: settings.listen,
            mount: parts.mount,
            ...announcing(
              settings.stateDir,
              NodeHttp.listener(() => authorityOf(settings), pageFiles(parts.pageFolder)),
            ),
            enter: (principal: Principal) => Effect.provide(enter(settings, principal), around),
          }
    yield* Effect.forkChild(announce(version))
    if (!(yield* McpHost.serve({ identity, connection, http }))) process.exitCode = 1
  })
  run(Effect.provide(serving, Layer.provideMerge(environment({ version, ...parts }), telemetry(settings, version))), settings)
}

/** Tells on standard output what would run; exit code 1 when that is not well. */
export const check = (parts: Parts): void =>
  run(
    Effect.map(
      Effect.provide(checkEngine(parts.settings.stateDir), environment({ ...parts, settings: { ...parts.settings, stateDir: null } })),
      ({ text, well }) => {
        process.stdout.write(text)
        if (!well) process.exitCode = 1
      },
    ),
    parts.settings,
  )
