/**
 * One call of a tool, as an effect that always ends in a reply. Guarantees: when progress was asked for it is told on a timer, what runs
 * and for how long, and at once when the call itself first says what it is at, until the reply or the interruption and not after; a defect of ours becomes a reply that says so.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { elapsed } from "../elapsed.ts"
import { Sessions } from "../session/Sessions.ts"
import { Announce } from "../session/Announce.ts"
import type { Settings } from "../Settings.ts"
import type { Reply } from "./Reply.ts"
import { defect as defectReply } from "./render/failure.ts"
import { progress } from "./render/status.ts"
import { defaultSession, type Given, type Tool } from "./Tool.ts"

/** Hosts cut calls that are silent for 60 s, some sooner. */
const PROGRESS_EVERY = Duration.seconds(5)

/** Hears of a call that goes on: milliseconds since it began, and what to show. */
export type OnProgress = (elapsedMs: number, message: string) => void

export const callTool = (
  tool: Tool,
  given: Given | undefined,
  onProgress: OnProgress | undefined,
): Effect.Effect<Reply, never, Sessions | Settings> => {
  const reply = Effect.catchDefect(tool.call(given), (defect) =>
    Effect.as(Effect.logError(`defect in ${tool.name}`, Cause.die(defect)), defectReply(tool.name, String(defect))),
  )
  if (onProgress === undefined) return reply
  const session = given?.["session"]
  return Effect.suspend(() => {
    let told: string | undefined
    const first = Deferred.makeUnsafe<void>()
    const listen = (what: string): void => {
      told = what
      Deferred.doneUnsafe(first, Effect.void)
    }
    const of = typeof session === "string" ? session : (tool.home ?? defaultSession)
    return Effect.raceFirst(
      Effect.provideService(reply, Announce, listen),
      reportProgress(of, { latest: () => told, first: Deferred.await(first) }, onProgress),
    )
  })
}

/** What the call itself says it is at: the latest, and that there is a first. */
interface Told {
  readonly latest: () => string | undefined
  readonly first: Effect.Effect<void>
}

const reportProgress = (session: string, told: Told, onProgress: OnProgress): Effect.Effect<never, never, Sessions> =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const begun = yield* elapsed
    const report = Effect.gen(function* () {
      const status = yield* sessions.status(session)
      const ms = (yield* elapsed) - begun
      onProgress(ms, progress(status, ms, told.latest()))
    })
    yield* Effect.raceFirst(Effect.sleep(PROGRESS_EVERY), told.first)
    yield* report
    return yield* Effect.forever(Effect.delay(report, PROGRESS_EVERY))
  })
