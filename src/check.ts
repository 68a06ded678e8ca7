/**
 * `k3-mcp --check`: what would run, tried for real. Launches the engine the settings choose, asks it `1+1`, and says all of it in words;
 * a launch that fails is told as a tool would tell it, and a build that was asked for and is not there. Leaves nothing behind: no process,
 * and no session where sessions are kept.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { failure } from "./mcp/render/sessionFailure.ts"
import { fenceLine } from "./mcp/render/status.ts"
import { Sessions } from "./session/Sessions.ts"
import { Settings } from "./Settings.ts"

/** `stateDir`: where a server would keep what outlives it. */
export const check = Effect.fnUntraced(function* (
  stateDir: string | null,
): Effect.fn.Return<{ readonly text: string; readonly well: boolean }, never, Sessions | Settings> {
  const sessions = yield* Sessions
  const settings = yield* Settings
  const [elapsed, answer] = yield* sessions.get("check").pipe(
    Effect.flatMap((session) => session.evaluate({ code: "1+1" })),
    Effect.result,
    Effect.timed,
  )
  const status = yield* sessions.status("check")
  const isMissing = settings.engine === "auto" && settings.isBuildDirGiven && status.engine === "embedded"
  const well = !isMissing && Result.isSuccess(answer) && answer.success.output.trim() === "2"
  const lines: readonly (readonly [string, string])[] = [
    ["engine", `${status.engine} (${status.engineWhy})`],
    ...(isMissing
      ? [["error", `There is ${status.engineWhy}. Build it there, or set K3_BUILD_DIR to the folder of a build`] as const]
      : []),
    ["fence", fenceLine(status.fence)],
    ["build folder", status.buildFolder ?? "none: part of this package"],
    ["build hash", status.buildHash ?? "none"],
    ["shadow copy", status.shadow ?? "none"],
    ["state folder", stateDir ?? "none: nothing outlives the server"],
    ["launch and first answer", `${Math.round(Duration.toMillis(elapsed))} ms`],
    ["1+1", Result.isSuccess(answer) ? answer.success.output.trim() : failure(answer.failure, settings).text],
  ]
  return { text: `${lines.map(([name, value]) => `${name.padEnd(25)}${value}`).join("\n")}\n`, well }
})
