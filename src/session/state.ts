/**
 * A session as one value, and what each event makes of it. Pure: `Supervisor.ts` holds the value and runs the commands.
 *
 *     Down ──launch──▶ Launching ──ready──▶ Ready ──begin──▶ Evaluating ──settled──▶ Ready
 *                         ▲                                      │ deadline, cancel
 *                         │                                      ▼
 *                      Killing ◀──────────────────────── Interrupting (engines that can; else straight to Killing)
 *     Failed: the breaker is open. A cool-down, reset or reload leads out.
 *     Closed: the session is no more. Nothing leads out.
 *
 * Guarantees: every launch has an attempt id and only the attempt that is waited for can be adopted, so there is one child at most; a child
 * that is not adopted is closed; whatever belongs to an earlier attempt, child or epoch of the workspace changes nothing; `generation`
 * counts the children that were adopted; the notice is told by one transition, which clears it.
 */
import { describeEnd, endsOf, type ChildEnded } from "../child/Child.ts"
import type { BuildNotFound, BuildUnusable, FenceMissing, LaunchFailed } from "../child/ChildError.ts"
import type { Contents, Holdings, Variable } from "../child/Contents.ts"
import type { Engine } from "../child/engines/Engine.ts"
import type { Launched, Program } from "../child/Launcher.ts"
import type { Returned } from "../store/Store.ts"
import type { ChildExit } from "./history/ChildExit.ts"
import * as restarts from "./restarts.ts"
import type { SessionClosed } from "./SessionError.ts"
import type { Phase } from "./SessionStatus.ts"
import * as workspaces from "./variables/Workspace.ts"
import type { Restoration, Restored, Workspace } from "./variables/Workspace.ts"

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

/** What the next reply says of the variables: why they are not those of the evaluation before, and what came back. */
export interface PendingNotice {
  /** For replies of later children than this one. */
  readonly after: number
  /** Without one nothing is said. */
  readonly why?: string | undefined
  /** When they come from the store: how long ago they were written. */
  readonly savedMsAgo?: number | undefined
  readonly restored?: Restored | undefined
  /** Evaluations whose changes are gone, when nothing was restored. */
  readonly missed?: number
}

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
  /** Not told yet, oldest first. */
  readonly notices: readonly PendingNotice[]
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
  | { readonly _tag: "Evaluated" }
  | {
      readonly _tag: "Captured"
      readonly epoch: number
      readonly engine: Engine["kind"]
      readonly held: Holdings
      readonly differing: readonly string[]
      readonly at: number
    }
  /** This is what the child holds, or is to be given. */
  | { readonly _tag: "Held"; readonly contents: Contents; readonly isCurrent: boolean; readonly at: number }
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
  /** What there is to tell was told by a reply of that child; all of it when undefined. */
  | { readonly _tag: "Noticed"; readonly generation?: number }

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

type Next = readonly [SessionState, readonly Command[]]

export const newState = (workspace: Workspace, kept: Partial<Kept> = {}): SessionState => ({
  child: { _tag: "Down" },
  attempt: 0,
  replacing: undefined,
  generation: 0,
  restarts: restarts.noRestarts,
  program: undefined,
  lastCrash: null,
  notices: [],
  workspace,
  kept: { isRead: false, madeWith: undefined, savedAt: undefined, behind: 0, ...kept },
})

export const phaseOf = ({ child }: SessionState): Phase => child._tag.toLowerCase() as Lowercase<ChildState["_tag"]>
export const liveOf = ({ child }: SessionState): Live | undefined => ("live" in child ? child.live : undefined)
export const workOf = ({ child }: SessionState): Working | undefined => ("statement" in child ? child : undefined)
export const isClosed = ({ child }: SessionState): boolean => child._tag === "Closed"
/** Of the child that answers next. */
export const nextGeneration = (state: SessionState): number =>
  liveOf(state) !== undefined || isClosed(state) ? state.generation : state.generation + 1
/** Of the latest child, or of the one on its way. */
export const generationOf = ({ child, generation }: SessionState): number => ("attempt" in child ? generation + 1 : generation)

const isLive = (state: SessionState, live: Live): boolean => liveOf(state) === live

export const transition = (state: SessionState, event: Event, settings: restarts.RestartSettings): Next => {
  switch (event._tag) {
    case "Wanted":
      return wanted(state, event.now, settings)
    case "LaunchBegun":
      return state.child._tag === "Killing" && state.child.attempt === event.attempt
        ? [{ ...state, child: { _tag: "Launching", attempt: event.attempt } }, []]
        : [state, []]
    case "Launched":
      return launched(state, event)
    case "NotLaunched":
      return notLaunched(state, event, settings)
    case "RestoreDied":
      return restoreDied(state, event)
    case "ReplaceBegun":
      return replaceBegun(state)
    case "ReplaceFailed":
      return state.replacing === event.attempt ? [{ ...state, replacing: undefined }, []] : [state, []]
    case "Ended":
      return ended(state, event, settings)
    case "Killed":
      return killed(state, event)
    case "Begun":
      return isLive(state, event.working.live) ? [{ ...state, child: { _tag: "Evaluating", ...event.working } }, []] : [state, []]
    case "Interrupted":
      return state.child._tag === "Evaluating" ? [{ ...state, child: { ...state.child, _tag: "Interrupting" } }, []] : [state, []]
    case "Settled":
      return isLive(state, event.live) ? [{ ...state, child: { _tag: "Ready", live: event.live } }, []] : [state, []]
    case "Closed":
      return closed(state)
    default:
      return [remembered(state, event), []]
  }
}

/** A launch that nobody waited for any more, or whose child nobody wants. */
const superseded = ({ child }: SessionState): readonly Command[] =>
  "attempt" in child
    ? [
        { _tag: "StopLaunch", attempt: child.attempt },
        { _tag: "Answer", attempt: child.attempt, with: "superseded" },
      ]
    : []

const wanted = (state: SessionState, now: number, settings: restarts.RestartSettings): Next => {
  const { child } = state
  const isProbe = child._tag === "Failed" && now >= child.until
  if (child._tag !== "Down" && !isProbe) return [state, []]
  const attempt = state.attempt + 1
  return [
    { ...state, child: { _tag: "Launching", attempt }, attempt, restarts: isProbe ? restarts.probing(settings, now) : state.restarts },
    [{ _tag: "Launch", attempt, delay: 0 }],
  ]
}

const launched = (state: SessionState, event: Extract<Event, { readonly _tag: "Launched" }>): Next => {
  const { child, replacing } = state
  const { attempt, launched, restoration, now } = event
  const isReplacement = attempt === replacing
  const isAwaited = isReplacement || (child._tag === "Launching" && child.attempt === attempt)
  if (!isAwaited || event.epoch !== state.workspace.epoch) return [state, [{ _tag: "Close", launched }]]
  const live: Live = { ...launched, generation: state.generation + 1, since: now }
  const before = liveOf(state)
  const { missed } = state.workspace
  const workspace = event.fresh
    ? workspaces.forgotten(state.workspace)
    : restoration === undefined
      ? { ...state.workspace, missed: 0 }
      : workspaces.restored(state.workspace, restoration)
  const restored = restoration && { restored: restoration.restored.length, lost: restoration.lost, missed }
  return [
    {
      ...state,
      child: { _tag: "Ready", live },
      replacing: isReplacement ? undefined : replacing,
      generation: live.generation,
      restarts: restarts.launched(isReplacement ? restarts.noRestarts : state.restarts, now),
      program: launched,
      // Who replaces a child says so itself.
      notices: isReplacement ? replaced(state, restored, event.fresh ? 0 : missed) : cameBack(state, restored, missed),
      workspace,
      kept: event.fresh ? nothingKept(state.kept) : state.kept,
    },
    [
      ...(isReplacement ? superseded(state) : []),
      { _tag: "Log", level: "Info", message: `${live.engine.kind} launched, pid ${live.child.pid}` },
      { _tag: "Watch", live },
      { _tag: "Answer", attempt, with: live },
      { _tag: "StandBy", program: launched },
      ...(before === undefined ? [] : [{ _tag: "Close", launched: before } as const]),
    ],
  ]
}

const nothingKept = (kept: Kept): Kept => ({ ...kept, isRead: true, behind: 0, savedAt: undefined })

/** What came back, or did not, belongs to why it had to. */
const cameBack = ({ notices, generation }: SessionState, restored: Restored | undefined, missed: number): readonly PendingNotice[] => {
  const last = notices.at(-1)
  if (restored === undefined) return last === undefined || missed === 0 ? notices : [...notices.slice(0, -1), { ...last, missed }]
  return [...notices.slice(0, -1), { ...(last ?? { after: generation }), restored }]
}

/**
 * Until whoever asked for a replacement is answered, it is news; where there was no child nothing was replaced. What was lost before and
 * never told is part of the answer.
 */
const replaced = (state: SessionState, restored: Restored | undefined, missed: number): readonly PendingNotice[] => {
  const { notices, generation } = state
  const untold = notices.flatMap((each) => each.restored ?? { lost: [], missed: each.missed ?? 0 })
  const hadChild = liveOf(state) !== undefined
  // With no child, no notice and nothing to give back, the error that ended the last child has told that all is lost.
  const isTold = !hadChild && notices.length === 0 && restored === undefined
  const all: Restored = {
    restored: restored?.restored ?? 0,
    lost: [...untold.flatMap(({ lost }) => lost), ...(restored?.lost ?? [])],
    missed: untold.reduce((sum, each) => sum + each.missed, isTold ? 0 : missed),
  }
  const why = hadChild ? "the interpreter was replaced" : notices.at(-1)?.why
  return [{ after: generation, why, restored: restored === undefined && all.lost.length === 0 && all.missed === 0 ? undefined : all }]
}

/** The variables are not those of the evaluation before. */
const because = ({ notices }: SessionState, { generation }: Live, why: string): readonly PendingNotice[] => [
  ...notices,
  { after: generation, why },
]

const describeFailed = (error: LaunchFailed): string => `launch failed (${error.reason}): ${endsOf(error.stderr)}`

const notLaunched = (
  state: SessionState,
  { attempt, error, program, at }: Extract<Event, { readonly _tag: "NotLaunched" }>,
  settings: restarts.RestartSettings,
): Next => {
  if (error._tag === "LaunchFailed" && attempt === state.replacing)
    return [state, program === undefined ? [] : [recordOf(state, { kind: "launch", error, program })]]
  if (state.child._tag !== "Launching" || state.child.attempt !== attempt) return [state, []]
  const answer: Command = { _tag: "Answer", attempt, with: error }
  if (error._tag !== "LaunchFailed") return [{ ...state, child: { _tag: "Down" } }, [answer]]
  const lastCrash = describeFailed(error)
  const told: readonly Command[] = [
    ...(program === undefined ? [] : [recordOf(state, { kind: "launch", error, program })]),
    { _tag: "Log", level: "Warning", message: lastCrash },
  ]
  const { restarts: counted, verdict } = restarts.crashed(state.restarts, "launch", settings, at)
  // What ran before does not run any more: the next launch takes what is there.
  const next = { ...state, restarts: counted, lastCrash, program: undefined }
  if (verdict._tag === "GiveUp") {
    const [failed, commands] = givenUp(next, verdict)
    return [failed, [...told, ...commands, answer]]
  }
  const following = state.attempt + 1
  return [
    { ...next, child: { _tag: "Launching", attempt: following }, attempt: following },
    [...told, { _tag: "Launch", attempt: following, delay: verdict.ms }, answer],
  ]
}

const givenUp = (state: SessionState, { crashes, until }: Extract<restarts.Verdict, { readonly _tag: "GiveUp" }>): Next => [
  { ...state, child: { _tag: "Failed", crashes, until, last: state.lastCrash ?? "" } },
  [
    { _tag: "Log", level: "Error", message: `not launched any more for now: ${crashes} crashes in a row` },
    { _tag: "StandBy", program: undefined },
  ],
]

type Exited = ChildExit extends infer A ? (A extends ChildExit ? Omit<A, "generation" | "statement"> : never) : never

const recordOf = (state: SessionState, exit: Exited, live?: Live): Command => ({
  _tag: "Record",
  exit: { ...exit, generation: live?.generation ?? state.generation + 1, statement: live && workOf(state)?.statement },
})

const restoreDied = (state: SessionState, { how, given, program }: Extract<Event, { readonly _tag: "RestoreDied" }>): Next => {
  const workspace = workspaces.restoreDied(state.workspace, given)
  if (program === undefined) return [{ ...state, workspace }, []]
  return [{ ...state, workspace, lastCrash: describeEnd(how) }, [recordOf(state, { kind: "ended", how, program })]]
}

const replaceBegun = (state: SessionState): Next => {
  if (isClosed(state)) return [state, []]
  const attempt = state.attempt + 1
  const child: ChildState = "attempt" in state.child ? { _tag: "Down" } : state.child
  return [{ ...state, child, attempt, replacing: attempt }, superseded(state)]
}

/** The child is nobody's from here on. Another one is launched, unless a replacement is on its way. */
const following = (state: SessionState, live: Live, delay: number): Next => {
  const close: Command = { _tag: "Close", launched: live }
  if (state.replacing !== undefined) return [{ ...state, child: { _tag: "Down" } }, [close]]
  const attempt = state.attempt + 1
  return [{ ...state, child: { _tag: "Killing", attempt }, attempt }, [close, { _tag: "Launch", attempt, delay }]]
}

const ended = (
  state: SessionState,
  { live, how, at }: Extract<Event, { readonly _tag: "Ended" }>,
  settings: restarts.RestartSettings,
): Next => {
  if (!isLive(state, live)) return [state, []]
  const lastCrash = describeEnd(how)
  const statement = workOf(state)?.statement
  const why = statement === undefined ? lastCrash : `${lastCrash}, in "${statement.slice(0, 200)}"`
  const told: readonly Command[] = [
    recordOf(state, { kind: "ended", how, program: live }, live),
    { _tag: "Log", level: "Warning", message: lastCrash },
  ]
  const { restarts: counted, verdict } = restarts.crashed(state.restarts, "run", settings, at)
  const next = { ...state, restarts: counted, lastCrash, notices: because(state, live, why) }
  const [after, commands] = verdict._tag === "Wait" ? following(next, live, verdict.ms) : givenUp(next, verdict)
  return [after, [...told, ...(verdict._tag === "Wait" ? [] : [{ _tag: "Close", launched: live } as const]), ...commands]]
}

const killed = (state: SessionState, { live, why, stderr }: Extract<Event, { readonly _tag: "Killed" }>): Next => {
  if (!isLive(state, live)) return [state, []]
  const [after, commands] = following({ ...state, notices: because(state, live, why) }, live, 0)
  if (stderr === undefined) return [after, commands]
  return [
    after,
    [recordOf(state, { kind: "killed", stderr, program: live }, live), { _tag: "Log", level: "Warning", message: why }, ...commands],
  ]
}

const closed = (state: SessionState): Next => {
  const live = liveOf(state)
  return [
    { ...state, child: { _tag: "Closed" }, replacing: undefined },
    [
      ...superseded(state),
      { _tag: "StandBy", program: undefined },
      ...(live === undefined ? [] : [{ _tag: "Close", launched: live } as const]),
    ],
  ]
}

/** What changes nothing of the child. */
const remembered = (state: SessionState, event: Event): SessionState => {
  const { workspace, kept } = state
  switch (event._tag) {
    case "Evaluated":
      return { ...state, workspace: { ...workspace, missed: workspace.missed + 1 }, kept: { ...kept, behind: kept.behind + 1 } }
    case "Captured": {
      if (event.epoch !== workspace.epoch) return state
      const unsaved = event.differing.length === 0 ? workspace.unsaved : new Set([...workspace.unsaved, ...event.differing])
      return { ...state, workspace: { ...workspace, held: event.held, engine: event.engine, missed: 0, capturedAt: event.at, unsaved } }
    }
    case "Held": {
      const held = workspaces.holding(workspace, event.contents, event.at)
      return {
        ...state,
        workspace: event.isCurrent ? held : { ...held, missed: 1 },
        kept: { ...kept, behind: kept.behind + 1 },
      }
    }
    case "Forgotten":
      return {
        ...state,
        notices: state.notices.map(({ after, why }) => ({ after, why })),
        workspace: workspaces.forgotten(workspace),
        kept: nothingKept(kept),
      }
    case "Read":
      return kept.isRead || event.epoch !== workspace.epoch ? state : read(state, event)
    case "MadeWith":
      return { ...state, kept: { ...kept, madeWith: kept.madeWith ?? event.engine } }
    case "UnsavedTaken":
      return { ...state, workspace: { ...workspace, unsaved: new Set() } }
    case "NotSaved":
      return event.epoch === workspace.epoch
        ? { ...state, workspace: { ...workspace, unsaved: new Set([...workspace.unsaved, ...event.paths]) } }
        : state
    case "Saved":
      if (event.epoch !== workspace.epoch) return state
      return {
        ...state,
        kept: {
          ...kept,
          behind: Math.max(0, kept.behind - event.evaluations),
          savedAt: workspace.engine === undefined ? kept.savedAt : event.at,
        },
      }
    case "Noticed": {
      const { generation = Number.POSITIVE_INFINITY } = event
      return { ...state, notices: state.notices.filter(({ after }) => after >= generation) }
    }
    default:
      return state
  }
}

/** What an earlier life of the session held. */
const read = (state: SessionState, { engine, returned, why, msAgo }: Extract<Event, { readonly _tag: "Read" }>): SessionState => {
  const kept = { ...state.kept, isRead: true }
  const told = (notice: Omit<PendingNotice, "after">) => [{ after: 0, ...notice }, ...state.notices]
  if (returned === undefined) return { ...state, kept, notices: why === undefined ? state.notices : told({ why }) }
  const { held, lost, savedAt } = returned
  const isAny = held.variables.size + lost.length > 0
  return {
    ...state,
    kept: held.variables.size > 0 ? { ...kept, savedAt } : kept,
    notices: isAny ? told({ why: why ?? "the server was restarted", savedMsAgo: msAgo }) : state.notices,
    workspace: { ...state.workspace, engine, held, unreadable: lost },
  }
}
