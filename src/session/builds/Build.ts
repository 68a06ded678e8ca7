/**
 * Runs the build command of the settings.
 *
 * Guarantees: one command runs at a time, in the folder in which builds are searched. Its process group is gone afterwards, whether the command
 * ended, exceeded its deadline or was interrupted. Its output is read and bounded. Its environment is an allow-list. Compiler servers that
 * outlive a build are off, since they would be killed with the group. Does not: touch a session, or check the build.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { stopwatch } from "../../elapsed.ts"
import { Settings } from "../../Settings.ts"
import { CompilerOutput, type Diagnostic } from "./diagnostics.ts"
import { childEnvironment } from "../../child/environment.ts"
import { Machine } from "../../child/Machine.ts"
import { Process, type ProcessExit, type ProcessSpec } from "../../child/Process.ts"

/** The build command did not make a build. Nothing else changed. */
export class BuildFailed extends Data.TaggedError("BuildFailed")<{
  /**
   * `missing`: the program was not found. `useless`: the command succeeded, but the server finds no build to use. `operator`: it is not run for a
   * principal.
   */
  readonly reason: "exit" | "missing" | "spawn" | "timeout" | "useless" | "operator"
  readonly command: string
  readonly exit: ProcessExit
  /** The first `mostErrors` errors. */
  readonly errors: readonly Diagnostic[]
  readonly errorCount: number
  readonly warningCount: number
  /** The last lines that the command printed, or the reason why it could not be started. */
  readonly tail: readonly string[]
  readonly ms: number
}> {}

export interface Built {
  readonly ms: number
  readonly warningCount: number
}

const mostErrors = 20
/** Exit codes of shells for a program that was not found. */
const notFound = new Set([127, 9009])

/** Standard error is joined with standard output, so that lines stay in order. */
export const shellOf = (windows: boolean, command: string): Pick<ProcessSpec, "command" | "args"> =>
  windows
    ? { command: "cmd.exe", args: ["/d", "/s", "/c", `"${command} 2>&1"`] }
    : { command: "/bin/sh", args: ["-c", `exec 2>&1\n${command}`] }

const prefixes = [
  "DOTNET_",
  "NUGET",
  "MSBUILD",
  "XDG_",
  "SSL_CERT_",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "ProgramFiles",
  "CommonProgram",
]

export const buildEnvironment = (environment: Readonly<Record<string, string | undefined>>): Record<string, string> => ({
  MSBUILDDISABLENODEREUSE: "1",
  DOTNET_CLI_USE_MSBUILD_SERVER: "0",
  UseSharedCompilation: "false",
  MSBUILDTERMINALLOGGER: "off",
  DOTNET_NOLOGO: "1",
  ...childEnvironment(environment, prefixes),
})

export class Builder extends Context.Service<
  Builder,
  {
    /** `onLine` is called with the last printed line whenever output arrives. */
    readonly build: (onLine: (line: string) => void) => Effect.Effect<Built, BuildFailed>
  }
>()("k3-mcp/session/Builder") {
  static readonly layer = Layer.effect(
    Builder,
    Effect.gen(function* () {
      const { buildCommand: command, buildTimeout, buildRoot, isHosted, cwd: workingFolder } = yield* Settings
      const cwd = buildRoot ?? workingFolder
      const machine = yield* Machine
      const { spawn } = yield* Process
      const lock = yield* Semaphore.make(1)

      const build = Effect.fnUntraced(function* (onLine: (line: string) => void): Effect.fn.Return<Built, BuildFailed> {
        const tookMs = yield* stopwatch
        const printed = new CompilerOutput(mostErrors)
        const failed = (reason: BuildFailed["reason"], exit: ProcessExit = { code: null, signal: null }, why?: string) => {
          const { errors, errorCount, warningCount, tail } = printed
          return new BuildFailed({
            reason,
            command,
            exit,
            errors,
            errorCount,
            warningCount,
            tail: why === undefined ? tail : [why],
            ms: tookMs(),
          })
        }

        if (isHosted) return yield* failed("operator")
        const run = Effect.gen(function* () {
          const environment = buildEnvironment(machine.environment)
          const spec = { ...shellOf(machine.windows, command), cwd, env: environment, endsWithStdin: false, forks: true }
          const process = yield* Effect.mapError(spawn(spec), ({ reason }) => failed("spawn", undefined, reason))
          process.onStdout((chunk) => {
            const line = printed.add(chunk)
            if (line !== undefined) onLine(line)
          })
          return yield* Effect.callback<ProcessExit>((resume) => process.onExit((exit) => resume(Effect.succeed(exit))))
        })

        const ended = yield* Effect.timeoutOption(Effect.scoped(run), buildTimeout)
        printed.finish()
        if (Option.isNone(ended)) return yield* failed("timeout")
        const { code } = ended.value
        if (code !== 0) return yield* failed(code !== null && notFound.has(code) ? "missing" : "exit", ended.value)
        return { ms: tookMs(), warningCount: printed.warningCount }
      })

      return Builder.of({ build: (onLine) => lock.withPermit(build(onLine)) })
    }),
  )
}
