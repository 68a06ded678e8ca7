/**
 * `k3-mcp --check`: launches the engine that the settings choose, evaluates `1+1`, and reports engine, build, fence, folders and times. Guarantees: a
 * failed launch is reported in the words of a tool's reply; a build that a setting names and that does not exist is an error; no process and no
 * stored session is left behind.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { failure } from "./mcp/render/sessionFailure.ts"
import { timed } from "./elapsed.ts"
import { fenceLine } from "./mcp/render/status.ts"
import { Sessions } from "./session/Sessions.ts"
import { Settings } from "./Settings.ts"

/**
 * `stateDir`: the state folder that a server would use. `missingRoots`: the roots that are not there. `well`: the engine answered, and is the one
 * that was asked for.
 */
export const check = Effect.fnUntraced(function* (
  stateDir: string | null,
  missingRoots: readonly string[],
): Effect.fn.Return<{ readonly text: string; readonly well: boolean }, never, Sessions | Settings> {
  const sessions = yield* Sessions
  const settings = yield* Settings
  const [ms, answer] = yield* sessions.get("check").pipe(
    Effect.flatMap((session) => session.evaluate({ code: "1+1" })),
    Effect.result,
    timed,
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
    ["roots", settings.roots.map((root) => (missingRoots.includes(root) ? `${root} (not there)` : root)).join(", ")],
    ["state folder", stateDir ?? "none: nothing outlives the server"],
    ["launch and first answer", `${Math.round(ms)} ms`],
    ["1+1", Result.isSuccess(answer) ? answer.success.output.trim() : failure(answer.failure, settings).text],
  ]
  return { text: `${lines.map(([name, value]) => `${name.padEnd(25)}${value}`).join("\n")}\n`, well }
})
