/**
 * The restart schedule and the breaker of one session, as a value: decides when a child may be launched again. Pure.
 *
 * Guarantees: delays double up to `restartMaxDelay`, with a jitter of a fifth. A run longer than `restartWindow` resets them. The breaker opens
 * after `restartCrashes` crashes within `restartWindow`, or after as many failed launches in a row, whatever time they took. After the cool-down
 * one launch is tried; another crash opens the breaker again. Does not: count a child that the server killed as a crash.
 */
import type { SettingValues } from "../Settings.ts"

export type RestartSettings = Pick<
  SettingValues,
  "restartFirstDelay" | "restartMaxDelay" | "restartCrashes" | "restartWindow" | "restartCooldown"
>

/** The time of an event, ms of the monotonic clock, and a random number from 0 up to 1 for the jitter of a delay. */
export interface Moment {
  readonly now: number
  readonly random: number
}

export interface Restarts {
  /** Times of the crashes within the window, ms of the monotonic clock. */
  readonly crashes: readonly number[]
  readonly failedLaunches: number
  /** Number of delays since the last reset of the schedule. */
  readonly delays: number
  readonly launchedAt: number
}

export type Verdict =
  | { readonly _tag: "Wait"; readonly ms: number }
  /** `until`: ms of the monotonic clock. */
  | { readonly _tag: "GiveUp"; readonly crashes: number; readonly until: number }

export const noRestarts: Restarts = { crashes: [], failedLaunches: 0, delays: 0, launchedAt: 0 }

export const launched = (restarts: Restarts, now: number): Restarts => ({ ...restarts, launchedAt: now, failedLaunches: 0 })

/** The state after the cool-down, in which the next crash opens the breaker again. */
export const probing = (settings: RestartSettings, now: number): Restarts => ({
  ...noRestarts,
  crashes: Array.from({ length: settings.restartCrashes - 1 }, () => now),
})

/** A child ended by itself, or a launch failed. */
export const crashed = (
  before: Restarts,
  what: "run" | "launch",
  settings: RestartSettings,
  { now, random }: Moment,
): { readonly restarts: Restarts; readonly verdict: Verdict } => {
  const isStable = what === "run" && now - before.launchedAt >= settings.restartWindow
  const delays = isStable ? 0 : before.delays
  const failedLaunches = what === "launch" ? before.failedLaunches + 1 : 0
  const crashes = [...before.crashes.filter((at) => now - at < settings.restartWindow), now]
  const restarts = { ...before, crashes, failedLaunches, delays }
  const count = Math.max(crashes.length, failedLaunches)
  if (count >= settings.restartCrashes)
    return { restarts, verdict: { _tag: "GiveUp", crashes: count, until: now + settings.restartCooldown } }
  const delay = settings.restartFirstDelay * 2 ** delays * (0.8 + 0.4 * random)
  return { restarts: { ...restarts, delays: delays + 1 }, verdict: { _tag: "Wait", ms: Math.min(delay, settings.restartMaxDelay) } }
}
