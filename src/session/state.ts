/**
 * The state of a session as one value, and what may be read from it. `Lifecycle.ts` makes the transitions:
 *
 *     Down ──launch──▶ Launching ──ready──▶ Ready ──begin──▶ Evaluating ──done──▶ Ready
 *                         ▲                                      │ deadline, cancel
 *                         │                                      ▼
 *                      Killing ◀──────────────────────── Interrupting (engines that can; else straight to Killing)
 *     Failed: the breaker is open. A cool-down, reset or reload leads out.
 *     Closed: the session is no more; nothing leads out.
 */
import type * as Deferred from "effect/Deferred"
import type { Launched } from "./child/Launcher.ts"
import type { Phase } from "./Session.ts"
import type { BuildNotFound, BuildUnusable, LaunchFailed, SessionClosed } from "./SessionError.ts"

export type LaunchError = LaunchFailed | BuildNotFound | BuildUnusable | SessionClosed

/** A session's child that is well, and all that goes with it. */
export interface Live extends Launched {
  readonly generation: number
  readonly since: number
}

/** Who asks for a child during a launch waits for this. */
export type Attempt = Deferred.Deferred<Live, LaunchError>

interface Working {
  readonly live: Live
  readonly statement: string
  /** Which of how many, from 1. */
  readonly nth: readonly [number: number, of: number]
  readonly since: number
}

export type State =
  | { readonly _tag: "Down" }
  | { readonly _tag: "Launching"; readonly attempt: Attempt }
  | { readonly _tag: "Ready"; readonly live: Live }
  | ({ readonly _tag: "Evaluating" } & Working)
  | ({ readonly _tag: "Interrupting" } & Working)
  | { readonly _tag: "Killing"; readonly pid: number; readonly attempt: Attempt }
  | { readonly _tag: "Failed"; readonly crashes: number; readonly until: number; readonly last: string }
  | { readonly _tag: "Closed" }

export const phaseOf = (state: State): Phase => state._tag.toLowerCase() as Lowercase<State["_tag"]>

export const liveOf = (state: State): Live | undefined => ("live" in state ? state.live : undefined)

export const workOf = (state: State): Working | undefined => ("statement" in state ? state : undefined)
