/**
 * `k3-mcp --check`: what would run, tried for real. Launches the engine the settings choose, asks it `1+1`, and says all of it in words;
 * a launch that fails is told as a tool would tell it. Leaves no process behind.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { failure } from "./mcp/render/failure.ts"
import { fenceLine } from "./mcp/render/status.ts"
import { Sessions } from "./session/Sessions.ts"
import { Settings } from "./Settings.ts"

export const check: Effect.Effect<{ readonly text: string; readonly well: boolean }, never, Sessions | Settings> = Effect.gen(function* () {
  const sessions = yield* Sessions
  const settings = yield* Settings
  const [elapsed, answer] = yield* sessions.get("check").pipe(
    Effect.flatMap((session) => session.evaluate({ code: "1+1" })),
    Effect.result,
    Effect.timed,
  )
  const status = yield* sessions.status("check")
  const well = Result.isSuccess(answer) && answer.success.output.trim() === "2"
  const lines: readonly (readonly [string, string])[] = [
    ["engine", `${status.engine} (${status.engineWhy})`],
    ["fence", fenceLine(status.fence)],
    ["build folder", status.buildFolder ?? "none: part of this package"],
    ["build hash", status.buildHash ?? "none"],
    ["shadow copy", status.shadow ?? "none"],
    ["state folder", settings.stateDir ?? "none: nothing outlives the server"],
    ["launch and first answer", `${Math.round(Duration.toMillis(elapsed))} ms`],
    ["1+1", Result.isSuccess(answer) ? answer.success.output.trim() : failure(answer.failure, settings).text],
  ]
  return { text: `${lines.map(([name, value]) => `${name.padEnd(25)}${value}`).join("\n")}\n`, well }
})
