/**
 * The state of a session as one value, what may be read from it, and its transitions. Pure; `Lifecycle.ts` does what goes with them:
 *
 *     Down ──launch──▶ Launching ──ready──▶ Ready ──begin──▶ Evaluating ──done──▶ Ready
 *                         ▲                                      │ deadline, cancel
 *                         │                                      ▼
 *                      Killing ◀──────────────────────── Interrupting (engines that can; else straight to Killing)
 *     Failed: the breaker is open. A cool-down, reset or reload leads out.
 *     Closed: the session is no more.
 *
 * Guarantees: nothing leads out of Closed; what happens to a child that is not the session's any more changes nothing.
 */
import type * as Deferred from "effect/Deferred"
import type { Launched } from "../child/Launcher.ts"
import type { Phase } from "./SessionStatus.ts"
import type { SessionClosed } from "./SessionError.ts"
import type { BuildNotFound, BuildUnusable, LaunchFailed } from "../child/ChildError.ts"

export type LaunchError = LaunchFailed | BuildNotFound | BuildUnusable | SessionClosed

/** A session's child that is well, and all that goes with it. */
export interface Live extends Launched {
  readonly generation: number
  readonly since: number
}

/** Who asks for a child during a launch waits for this. */
export type Attempt = Deferred.Deferred<Live, LaunchError>

/** What a child is at. */
export interface Working {
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

export type Failed = Extract<State, { readonly _tag: "Failed" }>

export const phaseOf = (state: State): Phase => state._tag.toLowerCase() as Lowercase<State["_tag"]>

export const liveOf = (state: State): Live | undefined => ("live" in state ? state.live : undefined)

export const workOf = (state: State): Working | undefined => ("statement" in state ? state : undefined)

const unlessClosed = (state: State, next: State): State => (state._tag === "Closed" ? state : next)

/** Whoever asks for a child waits for `attempt` from now on. */
export const launching = (state: State, attempt: Attempt): State => unlessClosed(state, { _tag: "Launching", attempt })

/** No launch is on its way any more. */
export const givenUp = (state: State): State => ("attempt" in state ? { _tag: "Down" } : state)

export const failed = (state: State, { crashes, until, last }: Omit<Failed, "_tag">): State =>
  unlessClosed(state, { _tag: "Failed", crashes, until, last })

/** A child that is well is the session's. */
export const adopted = (state: State, live: Live): State => unlessClosed(state, { _tag: "Ready", live })

export const evaluating = (state: State, { live, statement, nth, since }: Working): State =>
  liveOf(state) === live ? { _tag: "Evaluating", live, statement, nth, since } : state

export const interrupting = (state: State): State => (state._tag === "Evaluating" ? { ...state, _tag: "Interrupting" } : state)

/** The child does nothing any more. */
export const done = (state: State, live: Live): State => (liveOf(state) === live ? { _tag: "Ready", live } : state)

/** The child is nobody's; the next one comes with `attempt`. */
export const killing = (state: State, live: Live, attempt: Attempt): State =>
  liveOf(state) === live ? { _tag: "Killing", pid: live.child.pid, attempt } : state
