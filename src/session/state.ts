/**
 * A session as one value, the events that change it, and the commands that a change asks for. Pure data: `transition.ts` says what each event
 * makes of it, `Supervisor.ts` holds the value and runs the commands.
 *
 *     Down ──launch──▶ Launching ──ready──▶ Ready ──begin──▶ Evaluating ──settled──▶ Ready
 *                         ▲                                      │ deadline, cancel
 *                         │                                      ▼
 *                      Killing ◀──────────────────────── Interrupting (engines that can; else straight to Killing)
 *     Failed: the breaker is open. A cool-down, reset or reload leads out.
 *     Closed: the session is no more. Nothing leads out.
 */
import type { ChildEnded } from "../child/Child.ts"
import type { BuildNotFound, BuildUnusable, FenceMissing, LaunchFailed } from "../child/ChildError.ts"
import type { Contents, Difference, Holdings, Variable } from "../child/Contents.ts"
import type { Engine } from "../child/engines/Engine.ts"
import type { Statement } from "../k3/text/statements.ts"
import type { Launched, Program } from "../child/Launcher.ts"
import type { Returned } from "../store/Store.ts"
import type { ChildExit } from "./history/ChildExit.ts"
import { noNotices, type Notices } from "./notices.ts"
import * as restarts from "./restarts.ts"
import type { SessionClosed } from "./SessionError.ts"
import type { Phase } from "./SessionStatus.ts"
import type { Direction } from "./variables/undo.ts"
import type { Restoration, Workspace } from "./variables/Workspace.ts"

export type LaunchError = LaunchFailed | BuildNotFound | BuildUnusable | FenceMissing | SessionClosed

/** The session's child, and all that goes with it. */
export interface Live extends Launched {
  readonly generation: number
  /** When it was adopted, ms of the monotonic clock. */
  readonly since: number
}

/** What a child is at. */
export interface Working {
  readonly live: Live
  readonly statement: string
  /** Which of how many, from 1. */
  readonly nth: readonly [number: number, of: number]
  readonly since: number
}

export type ChildState =
  | { readonly _tag: "Down" }
  | { readonly _tag: "Launching"; readonly attempt: number }
  /** The child is being reaped, and the next one is not launched yet. */
  | { readonly _tag: "Killing"; readonly attempt: number }
  | { readonly _tag: "Ready"; readonly live: Live }
  | ({ readonly _tag: "Evaluating" } & Working)
  | ({ readonly _tag: "Interrupting" } & Working)
  | { readonly _tag: "Failed"; readonly crashes: number; readonly until: number; readonly last: string }
  | { readonly _tag: "Closed" }

/** What the store has of the session. */
export interface Kept {
  /** It was read, or is of no interest any more. */
  readonly isRead: boolean
  /** The engine that the session was made with, as far as it is known. */
  readonly madeWith: Engine["kind"] | undefined
  readonly savedAt: number | undefined
  /** Evaluations since it was written. */
  readonly behind: number
}

export interface SessionState {
  readonly child: ChildState
  /** The latest launch; ids only grow. */
  readonly attempt: number
  /** The attempt that is to take the place of the child, however that one fares. */
  readonly replacing: number | undefined
  /** Children adopted so far. */
  readonly generation: number
  readonly restarts: restarts.Restarts
  /** What ran last and still runs. */
  readonly program: Program | undefined
  readonly lastCrash: string | null
  readonly notices: Notices
  readonly workspace: Workspace
  readonly kept: Kept
}

/** When something happened, on the monotonic clock, and a number from 0 up to 1. */
export interface Moment {
  readonly now: number
  readonly random: number
}

export type Event =
  /** Somebody needs a child. */
  | { readonly _tag: "Wanted"; readonly now: number }
  | { readonly _tag: "LaunchBegun"; readonly attempt: number }
  /** A child is well and has what is held. `fresh`: it was given nothing, and nothing is held any more. */
  | {
      readonly _tag: "Launched"
      readonly attempt: number
      readonly launched: Launched
      readonly epoch: number
      readonly restoration: Restoration | undefined
      readonly fresh: boolean
      readonly now: number
    }
  | {
      readonly _tag: "NotLaunched"
      readonly attempt: number
      readonly error: LaunchError
      readonly program?: Program | undefined
      readonly at: Moment
    }
  /** A child ended while it was given these; `program` when it was not adopted yet. */
  | { readonly _tag: "RestoreDied"; readonly how: ChildEnded; readonly given: readonly Variable[]; readonly program?: Program }
  | { readonly _tag: "ReplaceBegun" }
  | { readonly _tag: "ReplaceFailed"; readonly attempt: number }
  /** By itself. */
  | { readonly _tag: "Ended"; readonly live: Live; readonly how: ChildEnded; readonly at: Moment }
  /** By the server; `stderr` when that is to be recorded. */
  | { readonly _tag: "Killed"; readonly live: Live; readonly why: string; readonly stderr?: string }
  | { readonly _tag: "Begun"; readonly working: Working }
  | { readonly _tag: "Interrupted" }
  | { readonly _tag: "Settled"; readonly live: Live }
  | { readonly _tag: "Closed" }
  /** Variables may be other ones than before. */
  | { readonly _tag: "Evaluated"; readonly mayChange: boolean }
  /** A statement ran that may define names. */
  | { readonly _tag: "Ran"; readonly statement: Statement }
  | {
      readonly _tag: "Captured"
      readonly epoch: number
      readonly engine: Engine["kind"]
      readonly held: Holdings
      readonly differences: readonly Difference[]
      readonly at: number
    }
  /** This is what the child holds, or is to be given. */
  | {
      readonly _tag: "Held"
      readonly contents: Contents
      /** Whose coding they have, when that is not the one of what was held before. */
      readonly engine?: Engine["kind"] | undefined
      readonly isCurrent: boolean
      readonly at: number
      readonly by?: "beginning" | Direction | undefined
    }
  | { readonly _tag: "Forgotten" }
  | {
      readonly _tag: "Read"
      readonly epoch: number
      readonly engine: Engine["kind"]
      readonly returned: Returned | undefined
      readonly why: string | undefined
      readonly msAgo: number
    }
  | { readonly _tag: "MadeWith"; readonly engine: Engine["kind"] | undefined }
  | { readonly _tag: "UnsavedTaken" }
  | { readonly _tag: "NotSaved"; readonly epoch: number; readonly paths: ReadonlySet<string> }
  | { readonly _tag: "Saved"; readonly epoch: number; readonly evaluations: number; readonly at: number }
  /** A reply told that these are not held. */
  | { readonly _tag: "Warned"; readonly paths: readonly string[] }
  /** That client asks something of the session. */
  | { readonly _tag: "Attended"; readonly reader: string }
  /** What there is to tell was told to it by a reply of that child; all of it when undefined. */
  | { readonly _tag: "Noticed"; readonly reader: string; readonly generation?: number }

export type Command =
  | { readonly _tag: "Launch"; readonly attempt: number; readonly delay: number }
  | { readonly _tag: "StopLaunch"; readonly attempt: number }
  /** Who waits for that attempt. `superseded`: look again. */
  | { readonly _tag: "Answer"; readonly attempt: number; readonly with: Live | LaunchError | "superseded" }
  | { readonly _tag: "Close"; readonly launched: Launched }
  | { readonly _tag: "Watch"; readonly live: Live }
  | { readonly _tag: "StandBy"; readonly program: Program | undefined }
  | { readonly _tag: "Record"; readonly exit: ChildExit }
  | { readonly _tag: "Log"; readonly level: "Info" | "Warning" | "Error"; readonly message: string }

export type Next = readonly [SessionState, readonly Command[]]

export const newState = (workspace: Workspace, kept: Partial<Kept> = {}): SessionState => ({
  child: { _tag: "Down" },
  attempt: 0,
  replacing: undefined,
  generation: 0,
  restarts: restarts.noRestarts,
  program: undefined,
  lastCrash: null,
  notices: noNotices,
  workspace,
  kept: { isRead: false, madeWith: undefined, savedAt: undefined, behind: 0, ...kept },
})

/** `{ ...state, ...parts }`, written out: copying by `...` takes ten times as long, and each evaluation does this three times. */
export const updated = (
  state: SessionState,
  { child = state.child, workspace = state.workspace, kept = state.kept }: Partial<Pick<SessionState, "child" | "workspace" | "kept">>,
): SessionState => {
  const { attempt, replacing, generation, restarts, program, lastCrash, notices } = state
  return { child, attempt, replacing, generation, restarts, program, lastCrash, notices, workspace, kept }
}

export const phaseOf = ({ child }: SessionState): Phase => child._tag.toLowerCase() as Lowercase<ChildState["_tag"]>
export const liveOf = ({ child }: SessionState): Live | undefined => ("live" in child ? child.live : undefined)
export const workOf = ({ child }: SessionState): Working | undefined => ("statement" in child ? child : undefined)
export const isClosed = ({ child }: SessionState): boolean => child._tag === "Closed"
/** Of the child that answers next. */
export const nextGeneration = (state: SessionState): number =>
  liveOf(state) !== undefined || isClosed(state) ? state.generation : state.generation + 1
/** Of the latest child, or of the one on its way. */
export const generationOf = ({ child, generation }: SessionState): number => ("attempt" in child ? generation + 1 : generation)
export const isLive = (state: SessionState, live: Live): boolean => liveOf(state) === live
