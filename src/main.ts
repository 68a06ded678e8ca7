/**
 * The server program. Reads the command line, composes the layers — nowhere else is one provided — and runs until the client is gone
 * or SIGINT or SIGTERM arrives; every child has ended before it exits, with code 0.
 */
import { fileURLToPath } from "node:url"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { version } from "../package.json" with { type: "json" }
import { check } from "./check.ts"
import { serve } from "./mcp/McpHost.ts"
import { helpText, readCommandLine } from "./platform/commandLine.ts"
import * as NodeHash from "./platform/NodeHash.ts"
import * as NodeLock from "./platform/NodeLock.ts"
import * as NodeMachine from "./platform/NodeMachine.ts"
import * as NodeProcess from "./platform/NodeProcess.ts"
import * as NodeStdio from "./platform/NodeStdio.ts"
import { Artifacts } from "./session/Artifact.ts"
import { Builder } from "./session/Build.ts"
import { Engines } from "./session/Engine.ts"
import { Sessions } from "./session/Sessions.ts"
import { StateFolder } from "./session/StateFolder.ts"
import { resolve, Settings } from "./Settings.ts"

const levels = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const

/** Standard error only: standard output carries the protocol. */
const logging = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    Layer.merge(
      Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
      Layer.succeed(References.MinimumLogLevel, settings.debug ? "All" : levels[settings.logLevel]),
    ),
  ),
)

const sessions = Sessions.layer.pipe(
  Layer.provide([Engines.layer, Builder.layer]),
  Layer.provide([Artifacts.layer, StateFolder.layer]),
  Layer.provide([
    NodeFileSystem.layer,
    NodePath.layer,
    NodeHash.layer,
    NodeLock.layer,
    NodeProcess.layer,
    NodeMachine.layer({ embeddedProgram: fileURLToPath(new URL("k3.js", import.meta.url)) }),
  ]),
)

const print = (text: string) => Effect.sync(() => void process.stdout.write(text))

/** One line on standard error: what will answer, and why. Beside the serving, which waits for nothing. */
const announce = Effect.gen(function* () {
  const { engine, engineWhy } = yield* Effect.flatMap(Sessions, ({ status }) => status("main"))
  yield* Effect.logInfo(`k3-mcp ${version}, engine ${engine}: ${engineWhy}`)
})

const program = Effect.gen(function* () {
  const { mode, sources } = yield* Effect.fromResult(readCommandLine())
  if (mode === "help") return yield* print(helpText())
  if (mode === "version") return yield* print(`${version}\n`)
  if (mode === "print-config") {
    const { origins } = yield* Effect.fromResult(resolve(sources))
    return yield* print(
      origins.map(({ name, value, source, from }) => `${name.padEnd(18)} ${value.padEnd(24)} ${source} ${from}`.trimEnd()).join("\n") +
        "\n",
    )
  }
  const environment = Layer.mergeAll(sessions, logging, NodeStdio.layer).pipe(Layer.provideMerge(Settings.layer(sources)))
  if (mode === "serve") return yield* Effect.provide(Effect.andThen(Effect.forkChild(announce), serve({ version })), environment)
  const { text, well } = yield* Effect.provide(check, environment)
  yield* print(text)
  if (!well) process.exitCode = 1
})

const refuse = (error: { readonly message: string }) =>
  Effect.sync(() => {
    process.stderr.write(`${error.message.replaceAll(/^/gm, "k3-mcp: ")}\n`)
    process.exitCode = 2
  })

/** An orderly end is exit code 0, whatever asked for it; only a defect of ours is not. */
NodeRuntime.runMain(Effect.catchTag(program, "SettingsError", refuse), {
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? Number(process.exitCode ?? 0) : 1),
})
