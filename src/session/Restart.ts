/**
 * When a child may be launched again: the restart schedule and the breaker of one session.
 *
 * Delays grow exponentially, jittered, and never exceed the cap (Effect's `jittered` after a cap would); a stable run, longer than the
 * crash window, starts them over. The breaker opens after `restartCrashes` crashes within `restartWindow`, or as many failed launches
 * in a row however long each took. After the cool-down one launch is let through, and one crash more opens the breaker again.
 * A child the server killed on purpose is no crash and does not come here.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type { SettingValues } from "../Settings.ts"
import { elapsed } from "../elapsed.ts"

export type RestartSettings = Pick<
  SettingValues,
  "restartFirstDelay" | "restartMaxDelay" | "restartCrashes" | "restartWindow" | "restartCooldown"
>

export type Verdict =
  | { readonly _tag: "Wait"; readonly ms: number }
  /** `until`: milliseconds of the clock. */
  | { readonly _tag: "GiveUp"; readonly crashes: number; readonly until: number }

export interface Restart {
  /** A child ended by itself, or a launch failed. */
  readonly crashed: (what: "run" | "launch") => Effect.Effect<Verdict>
  readonly launched: Effect.Effect<void>
  /** The cool-down is over: lets one launch through. */
  readonly probe: Effect.Effect<void>
  /** The user asked for a new beginning. */
  readonly forgive: Effect.Effect<void>
}

const policy = (settings: RestartSettings) =>
  Schedule.exponential(settings.restartFirstDelay).pipe(
    Schedule.jittered,
    Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.millis(settings.restartMaxDelay)))),
  )

export const make = Effect.fnUntraced(function* (settings: RestartSettings): Effect.fn.Return<Restart> {
  const fresh = Schedule.toStep(policy(settings))
  let step = yield* fresh
  let crashes: readonly number[] = []
  let failedLaunches = 0
  let launchedAt = 0

  const nextDelay = (now: number) =>
    Pull.matchEffect(step(now, undefined), {
      onSuccess: ([, delay]) => Effect.succeed(Duration.toMillis(delay)),
      onDone: () => Effect.succeed(settings.restartMaxDelay),
      onFailure: () => Effect.succeed(settings.restartMaxDelay),
    })

  return {
    crashed: Effect.fnUntraced(function* (what) {
      const now = yield* elapsed
      if (what === "run" && now - launchedAt >= settings.restartWindow) step = yield* fresh
      failedLaunches = what === "launch" ? failedLaunches + 1 : 0
      crashes = [...crashes.filter((at) => now - at < settings.restartWindow), now]
      const count = Math.max(crashes.length, failedLaunches)
      if (count >= settings.restartCrashes) return { _tag: "GiveUp", crashes: count, until: now + settings.restartCooldown }
      return { _tag: "Wait", ms: yield* nextDelay(now) }
    }),
    launched: Effect.gen(function* () {
      launchedAt = yield* elapsed
      failedLaunches = 0
    }),
    probe: Effect.gen(function* () {
      const now = yield* elapsed
      crashes = Array.from({ length: settings.restartCrashes - 1 }, () => now)
      step = yield* fresh
    }),
    forgive: Effect.gen(function* () {
      crashes = []
      failedLaunches = 0
      step = yield* fresh
    }),
  }
})
