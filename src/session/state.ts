/**
 * The state of a session as one value, the events that change it, and the commands that a transition returns. Pure data: `transition.ts` maps
 * events to states, `Supervisor.ts` holds the value and runs the commands.
 *
 *     Down ──launch──▶ Launching ──ready──▶ Ready ──begin──▶ Evaluating ──settled──▶ Ready
 *                         ▲                                      │ deadline, cancel
 *                         │                                      ▼
 *                      Killing ◀──────────────────────── Interrupting (engines that can; else straight to Killing)
 *     Failed: the breaker is open. A cool-down, reset or reload leads out.
 *     Closed: the session has ended. Nothing leads out.
 */
import type { EngineKind } from "../engineKinds.ts"
import type { ChildEnded } from "../child/Child.ts"
import type { BuildNotFound, BuildUnusable, FenceMissing, LaunchFailed } from "../child/ChildError.ts"
import type { Contents, Difference, Variable } from "../child/Contents.ts"
import type { Statement } from "../k3/text/statements.ts"
import type { Launched, ChildProgram } from "../child/Launcher.ts"
import type { Returned } from "../store/Store.ts"
import type { ChildExit } from "./history/ChildExit.ts"
import { noNotices, type Notices } from "./notices.ts"
import * as restarts from "./restarts.ts"
import type { SessionClosed } from "./SessionError.ts"
import type { Phase } from "./SessionStatus.ts"
import type { Direction } from "./variables/undo.ts"
import { newWorkspace, type Restoration, type Workspace } from "./variables/Workspace.ts"

export type LaunchError = LaunchFailed | BuildNotFound | BuildUnusable | FenceMissing | SessionClosed

/** The session's adopted child. */
export interface Live extends Launched {
  readonly generation: number
  /** When the child was adopted, ms of the monotonic clock. */
  readonly since: number
}

/** The statement that a child evaluates. */
export interface Working {
  readonly live: Live
  readonly statement: string
  /** Number of the statement, from 1, and the number of statements in the evaluation. */
  readonly nth: readonly [number: number, of: number]
  /** When the statement began, ms of the monotonic clock. */
  readonly since: number
}

export type ChildState =
  | { readonly _tag: "Down" }
  | { readonly _tag: "Launching"; readonly attempt: number }
  /** The killed child has not ended yet, and the next one is not launched yet. */
  | { readonly _tag: "Killing"; readonly attempt: number }
  | { readonly _tag: "Ready"; readonly live: Live }
  | ({ readonly _tag: "Evaluating" } & Working)
  | ({ readonly _tag: "Interrupting" } & Working)
  | { readonly _tag: "Failed"; readonly crashes: number; readonly until: number; readonly last: string }
  | { readonly _tag: "Closed" }

/** The session's state in the store. */
export interface StoredState {
  /** The stored variables were read, or a reset made them obsolete. */
  readonly isRead: boolean
  /** The engine that the session was made with; undefined until it is known. */
  readonly madeWith: EngineKind | undefined
  /** When the session was written, ms since 1970; undefined when it never was. */
  readonly savedAt: number | undefined
  /** Number of evaluations since then. */
  readonly behind: number
}

export interface SessionState {
  readonly child: ChildState
  /** Id of the latest launch. Ids only grow. */
  readonly attempt: number
  /** Id of the attempt whose child is to replace the present one, even when the present one ends before. */
  readonly replacing: number | undefined
  /** Number of children adopted so far. */
  readonly generation: number
  readonly restarts: restarts.Restarts
  /** The program of the last successful launch; undefined after a failed launch. */
  readonly program: ChildProgram | undefined
  readonly lastCrash: string | null
  readonly notices: Notices
  readonly workspace: Workspace
  readonly kept: StoredState
}

/** An event of the child, or of its launch. */
export type ChildEvent =
  /** A fiber needs a child. */
  | { readonly _tag: "Wanted"; readonly now: number }
  | { readonly _tag: "LaunchBegun"; readonly attempt: number }
  /** A child is ready and has the restored variables. `fresh`: it was given none, and the workspace is emptied. */
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
      readonly program?: ChildProgram | undefined
      readonly at: restarts.Moment
    }
  /** A child ended while the variables `given` were restored in it. `program` is set for a child that was not adopted yet. */
  | { readonly _tag: "RestoreDied"; readonly how: ChildEnded; readonly given: readonly Variable[]; readonly program?: ChildProgram }
  | { readonly _tag: "ReplaceBegun" }
  | { readonly _tag: "ReplaceFailed"; readonly attempt: number }
  /** The child ended by itself. */
  | { readonly _tag: "Ended"; readonly live: Live; readonly how: ChildEnded; readonly at: restarts.Moment }
  /** The server ends the child. With `stderr`, a crash record is made. */
  | { readonly _tag: "Killed"; readonly live: Live; readonly why: string; readonly stderr?: string }
  | { readonly _tag: "Begun"; readonly working: Working }
  | { readonly _tag: "Interrupted" }
  | { readonly _tag: "Settled"; readonly live: Live }
  | { readonly _tag: "Closed" }

/** An event of the workspace, of its state in the store, or of the notices. */
export type WorkspaceEvent =
  /** An evaluation has ended. `mayChange`: it may have changed variables. */
  | { readonly _tag: "Evaluated"; readonly mayChange: boolean }
  /** A statement ran without error. It may have defined names. */
  | { readonly _tag: "Ran"; readonly statement: Statement }
  | {
      readonly _tag: "Captured"
      readonly epoch: number
      readonly engine: EngineKind
      readonly held: Contents
      readonly differences: readonly Difference[]
      readonly at: number
    }
  /** The server changed the variables: the child holds `contents`, or the next child is to be given them. */
  | {
      readonly _tag: "Held"
      readonly contents: Contents
      /** The engine whose encoding the values have; absent when it is the engine of the workspace. */
      readonly engine?: EngineKind | undefined
      readonly isCurrent: boolean
      readonly at: number
      readonly by?: "beginning" | Direction | undefined
    }
  /** A change of the variables failed before a child had them: the workspace is again the one before it. */
  | { readonly _tag: "TakenBack"; readonly workspace: Workspace; readonly why: string }
  | { readonly _tag: "Forgotten" }
  | {
      readonly _tag: "Read"
      readonly epoch: number
      readonly engine: EngineKind
      readonly returned: Returned | undefined
      readonly why: string | undefined
      readonly msAgo: number
    }
  /** The evaluations with these numbers ran on a lost machine and were not restored. */
  | { readonly _tag: "Missing"; readonly from: number; readonly to: number }
  | { readonly _tag: "MadeWith"; readonly engine: EngineKind | undefined }
  | { readonly _tag: "UnsavedTaken" }
  | { readonly _tag: "NotSaved"; readonly epoch: number; readonly paths: ReadonlySet<string> }
  | { readonly _tag: "Saved"; readonly epoch: number; readonly evaluations: number; readonly at: number }
  /** A reply reports that no value of these variables is held. */
  | { readonly _tag: "Warned"; readonly paths: readonly string[] }
  /** A client uses the session. */
  | { readonly _tag: "Attended"; readonly reader: string }
  /** A reply of the child with this generation reported all earlier notices to the client. Without a generation: all notices. */
  | { readonly _tag: "Noticed"; readonly reader: string; readonly generation?: number }

export type Event = ChildEvent | WorkspaceEvent
export type EventOf<Tag extends Event["_tag"]> = Extract<Event, { readonly _tag: Tag }>

export type Command =
  | { readonly _tag: "Launch"; readonly attempt: number; readonly delay: number }
  | { readonly _tag: "StopLaunch"; readonly attempt: number }
  /** Answers the fibers that wait for this attempt. With `superseded` they look at the state again. */
  | { readonly _tag: "Answer"; readonly attempt: number; readonly with: Live | LaunchError | "superseded" }
  | { readonly _tag: "Close"; readonly launched: Launched }
  | { readonly _tag: "Watch"; readonly live: Live }
  | { readonly _tag: "StandBy"; readonly program: ChildProgram | undefined }
  | { readonly _tag: "Record"; readonly exit: ChildExit }
  | { readonly _tag: "Log"; readonly level: "Info" | "Warning" | "Error"; readonly message: string }

export type CommandOf<Tag extends Command["_tag"]> = Extract<Command, { readonly _tag: Tag }>

export type Transition = readonly [SessionState, readonly Command[]]

export const newState = (madeWith: EngineKind | undefined): SessionState => ({
  child: { _tag: "Down" },
  attempt: 0,
  replacing: undefined,
  generation: 0,
  restarts: restarts.noRestarts,
  program: undefined,
  lastCrash: null,
  notices: noNotices,
  workspace: newWorkspace(),
  kept: { isRead: false, madeWith, savedAt: undefined, behind: 0 },
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
/** Generation of the child that answers the next evaluation. */
export const nextGeneration = (state: SessionState): number =>
  liveOf(state) !== undefined || isClosed(state) ? state.generation : state.generation + 1
/** Generation of the latest child, or of the child that is being launched. */
export const generationOf = ({ child, generation }: SessionState): number => ("attempt" in child ? generation + 1 : generation)
export const isLive = (state: SessionState, live: Live): boolean => liveOf(state) === live
