/**
 * The server after its first reply: composes the layers, and runs until the client is gone or SIGINT, SIGTERM or SIGHUP arrives. Guarantees: every
 * child has ended before the process exits; a log that cannot be written ends nothing; output that nobody reads does not keep the process. Layers
 * are provided only here and in `member.ts`.
 */
import { existsSync } from "node:fs"
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
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as References from "effect/References"
import { check as checkEngine } from "./check.ts"
import type { Connection } from "./mcp/connection.ts"
import * as McpHost from "./mcp/McpHost.ts"
import type { ServerParts } from "./mcp/server.ts"
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
import { print } from "./platform/print.ts"
import { principalRoot } from "./platform/principalRoot.ts"
import { programPath } from "./platform/programPath.ts"
import { localSpace, type Principal, type PrincipalSpace, rootOf, settingsOf, unlimited } from "./mcp/http/Principal.ts"
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
import { EvaluationPlaces } from "./session/EvaluationPlaces.ts"
import { Plots } from "./session/plots/Plots.ts"
import * as NodeRootFiles from "./platform/NodeRootFiles.ts"
import { Sessions } from "./session/Sessions.ts"
import * as FolderStore from "./store/folder/FolderStore.ts"
import { StateFolder } from "./store/folder/StateFolder.ts"
import { visible } from "./visible.ts"
import { isWanted } from "./Telemetry.ts"
import { Settings, type SettingValues } from "./Settings.ts"
import type { Store } from "./store/Store.ts"
import { Cluster } from "./cluster/Cluster.ts"

/** The parts that `main.ts` passes in. */
export interface ProgramParts {
  readonly settings: SettingValues
  readonly version: string
  /** The path of the embedded interpreter's program. */
  readonly embeddedProgram: string
  /** The folder of the page. */
  readonly pageFolder: string
  /** Adds handlers to each HTTP server, in tests: the fixtures of a conformance suite. */
  readonly mount?: ServerParts["mount"]
}

const levels = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const

/** Standard error only: standard output carries the protocol. */
const logging = (settings: SettingValues) =>
  Layer.merge(
    Logger.layer([Logger.withConsoleError(Logger.map(Logger.formatLogFmt, visible))]),
    Layer.succeed(References.MinimumLogLevel, settings.debug ? "All" : levels[settings.logLevel]),
  )

/** Loaded only if a collector is configured. */
const telemetry = ({ telemetryCode: code }: SettingValues, version: string) =>
  isWanted(process.env)
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./platform/otlp.ts")),
          ({ layer }) => layer({ environment: process.env, version, code }),
        ),
      ).pipe(Layer.provide(NodeFileSystem.layer))
    : Layer.empty

const folderStore = Layer.provide(FolderStore.layer, StateFolder.layer)

/** The services of a space beside its sessions. */
const beside = Layer.mergeAll(CrashRecords.layer, Definitions.layer(isSound), NodeRootFiles.layer)

/** The services of one space, none of which is shared with another space. */
const space = (settings: SettingValues, store: Layer.Layer<Store, never, Layer.Services<typeof folderStore>> = folderStore) =>
  Sessions.layer.pipe(
    Layer.provide([Engines.layer, Builder.layer, Outputs.layer, Plots.layer]),
    Layer.provide([Fence.layer, EvaluationPlaces.layer]),
    Layer.provide([History.layer, beside]),
    Layer.provide([store, NodeFence.layer]),
    Layer.provideMerge(Layer.succeed(Settings, settings)),
  )

/** The services of a space in a cluster, where its sessions may be on any machine. */
const clusterSpace = (settings: SettingValues, principal: PrincipalSpace, { sessions, store }: Cluster["Service"]) =>
  sessions(principal).pipe(
    Layer.provide(Plots.layer),
    Layer.provide([Fence.layer, EvaluationPlaces.layer]),
    Layer.provideMerge(beside),
    Layer.provideMerge(store(principal)),
    Layer.provide(NodeFence.layer),
    Layer.provideMerge(Layer.succeed(Settings, settings)),
  )

/** The services that all spaces share: the operating system, and the shadow copies of builds. */
const machine = ({ settings, embeddedProgram }: ProgramParts) =>
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

/** The space of the local person. */
const own: PrincipalSpace = { space: localSpace, limits: unlimited }

const messageOf = (error: unknown): string => (error as Error).message

/** The settings of a space, with a root of its own; fails with a sentence. */
const settingsIn = (settings: SettingValues, principal: PrincipalSpace): Effect.Effect<SettingValues, string> =>
  principal.space === localSpace
    ? Effect.succeed(settings)
    : Effect.try({
        try: () => settingsOf(settings, principal, principalRoot(rootOf(settings.principals!, principal))),
        catch: messageOf,
      })

/** Builds a layer that shares no service with layers built before. */
const built = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Effect.flatMap(Layer.makeMemoMap, (memo) => Effect.flatMap(Effect.scope, (scope) => Layer.buildWithMemoMap(layer, memo, scope)))

/** The services of a member of a cluster; loaded only in a cluster. */
const member = ({ settings }: ProgramParts) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./member.ts")),
      ({ layer }) =>
        layer<Shared>({
          settings,
          open: (principal, store) => Effect.flatMap(settingsIn(settings, principal), (its) => built(space(its, store))),
        }),
    ),
  )

const environment = (parts: ProgramParts): Layer.Layer<Sessions | Settings | Shared> => {
  const { settings } = parts
  if (settings.cluster === null) return Layer.provideMerge(space(settings), machine(parts))
  const sessions = Layer.unwrap(Effect.map(Cluster, (cluster) => clusterSpace(settings, own, cluster)))
  return sessions.pipe(Layer.provideMerge(member(parts)), Layer.provideMerge(machine(parts)))
}

/** The services of a principal's space, with a root of its own. */
const enter = Effect.fnUntraced(function* (settings: SettingValues, principal: Principal, cluster: Option.Option<Cluster["Service"]>) {
  const its = yield* settingsIn(settings, principal)
  const layer: Layer.Layer<Sessions | Settings, never, Shared> = Option.isNone(cluster)
    ? space(its)
    : clusterSpace(its, principal, cluster.value)
  return yield* built(layer)
})

/** Logs one line: the engine and the reason for it. It runs beside serving, so that no client waits for it. */
const announce = (version: string) =>
  Effect.gen(function* () {
    const { cluster, role } = yield* Settings
    if (cluster !== null) return yield* Effect.logInfo(`k3-mcp ${version}, a member of a cluster (${role})`)
    const { engine, engineWhy } = yield* Effect.flatMap(Sessions, ({ status }) => status("main"))
    yield* Effect.logInfo(`k3-mcp ${version}, engine ${engine}: ${engineWhy}`)
  })

/** How long waiting output may stay unread, ms, when all else has ended. */
const UNREAD = 5000

/** Exits once the reader of the output has stopped reading. Until its output is read, the process would not end by itself. */
const leaveUnread = (): void => {
  const { stdout } = process
  const written = stdout.bytesWritten - stdout.writableLength
  setTimeout(() => {
    if (stdout.bytesWritten - stdout.writableLength > written) leaveUnread()
    else process.exit()
  }, UNREAD).unref()
}

/**
 * Runs the program. A shutdown exits with code 0, whatever asked for it; only a defect exits with 1. Logging is the outermost layer, so that logs
 * of the other layers' start and end do not go to standard output either.
 */
const run = (program: Effect.Effect<void>, settings: SettingValues): void => {
  const { PATH: path } = process.env
  if (path !== undefined)
    process.env["PATH"] = programPath(path, [...settings.roots, ...(settings.principals === null ? [] : [settings.principals])])
  NodeRuntime.runMain(Effect.provide(program, logging(settings)), {
    teardown: (exit, onExit) => {
      onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? Number(process.exitCode ?? 0) : 1)
      leaveUnread()
    },
  })
  // Nobody has to read the log: without a listener, a line of it would end the process when its reader has gone or its disk is full.
  process.stderr.on("error", () => {})
  // A closed terminal sends SIGHUP, for which Effect has no handler.
  process.on("SIGHUP", () => process.emit("SIGTERM"))
}

/** The name of a member of a cluster, and its state in words. */
const stateOf = ({ machine, runners }: Cluster["Service"]) => ({
  machine,
  state: () =>
    Effect.runPromise(
      Effect.map(runners, (count) => `machine: ${machine}\nrunners: ${count ?? "unknown, the database does not answer"}\n`),
    ),
})

/** Serves the connection on stdio, if there is one, and HTTP, if it is configured. */
export const serve = (connection: Connection | undefined, { version, ...parts }: ProgramParts): void => {
  const { settings } = parts
  const identity = { name: "k3-mcp", version }
  const serving = Effect.gen(function* () {
    const services = yield* Effect.context<Shared>()
    const cluster = Context.getOption(services, Cluster)
    const around = Context.pick(...shared)(services)
    const http =
      settings.listen === null
        ? undefined
        : {
            place: settings.listen,
            mount: parts.mount,
            listen: announcing(settings.stateDir, NodeHttp.listen),
            authority: Effect.try({ try: () => authorityOf(settings), catch: messageOf }),
            page: pageFiles(parts.pageFolder),
            enter: (principal: Principal) => Effect.provide(enter(settings, principal, cluster), around),
          }
    yield* Effect.forkChild(announce(version))
    // A runner of a cluster serves no clients.
    if (connection === undefined && http === undefined) return yield* Effect.never
    if (!(yield* McpHost.serve({ identity, connection, http, member: Option.getOrUndefined(Option.map(cluster, stateOf)) })))
      process.exitCode = 1
  })
  run(Effect.provide(serving, Layer.provideMerge(environment({ version, ...parts }), telemetry(settings, version))), settings)
}

/** Prints the result of a check; exit code 1 if the check failed. */
export const check = (parts: ProgramParts): void =>
  run(
    Effect.map(
      Effect.provide(
        checkEngine(
          parts.settings.stateDir,
          parts.settings.roots.filter((root) => !existsSync(root)),
        ),
        environment({ ...parts, settings: { ...parts.settings, stateDir: null, cluster: null } }),
      ),
      ({ text, well }) => {
        print(text)
        if (!well) process.exitCode = 1
      },
    ),
    parts.settings,
  )
