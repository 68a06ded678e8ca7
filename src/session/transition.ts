/**
 * The transition function of a session: maps a state and an event to the next state and the commands to run. Pure.
 *
 * Guarantees: every launch has an attempt id, and only the current attempt can be adopted, so there is at most one child; a child that is not
 * adopted is closed. An event of an earlier attempt, child or epoch of the workspace changes nothing. `generation` counts adopted children. The
 * transition that reports a notice also clears it.
 */
import { describeEnd, endsOf } from "../child/Child.ts"
import type { Launched } from "../child/Launcher.ts"
import type { ChildExit } from "./history/ChildExit.ts"
import { withRestore, post, replaced } from "./notices.ts"
import { nothingKept, workspaceTransition } from "./workspaceTransition.ts"
import * as restarts from "./restarts.ts"
import {
  type ChildEvent,
  type ChildState,
  type Command,
  type Event,
  type EventOf,
  isClosed,
  isLive,
  type Live,
  liveOf,
  type Transition,
  type SessionState,
  updated,
  workOf,
} from "./state.ts"
import * as workspaces from "./variables/Workspace.ts"

type On<Tag extends ChildEvent["_tag"]> = (state: SessionState, event: EventOf<Tag>, settings: restarts.RestartSettings) => Transition

export const transition = (state: SessionState, event: Event, settings: restarts.RestartSettings): Transition =>
  isOfChild(event) ? (transitions[event._tag] as On<typeof event._tag>)(state, event, settings) : [workspaceTransition(state, event), []]

const isOfChild = (event: Event): event is ChildEvent => event._tag in transitions

/** The command that closes a child; none without one. */
const closing = (launched: Launched | undefined): readonly Command[] => (launched === undefined ? [] : [{ _tag: "Close", launched }])

/** Commands that stop the pending launch and answer its waiting fibers; none without a pending launch. */
const superseded = ({ child }: SessionState): readonly Command[] =>
  "attempt" in child
    ? [
        { _tag: "StopLaunch", attempt: child.attempt },
        { _tag: "Answer", attempt: child.attempt, with: "superseded" },
      ]
    : []

/** Begins another launch, after the given delay. `Killing`: the child before it has not ended yet. */
const launching = (state: SessionState, delay: number, _tag: "Launching" | "Killing" = "Launching"): Transition => {
  const attempt = state.attempt + 1
  return [{ ...state, child: { _tag, attempt }, attempt }, [{ _tag: "Launch", attempt, delay }]]
}

/** The child was given variables of an earlier epoch. It is closed, and another one is launched for the waiting fibers. */
const relaunched = (state: SessionState, attempt: number, launched: Launched): Transition => {
  const [next, commands] = launching(state, 0)
  return [next, [...closing(launched), ...commands, { _tag: "Answer", attempt, with: "superseded" }]]
}

/** Launches another child, unless a replacement is being launched. */
const following = (state: SessionState, delay: number): Transition =>
  state.replacing === undefined ? launching(state, delay, "Killing") : [updated(state, { child: { _tag: "Down" } }), []]

const givenUp = (state: SessionState, { crashes, until }: Extract<restarts.Verdict, { readonly _tag: "GiveUp" }>): Transition => [
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

/** Posts a notice that the variables may differ from those of the last evaluation, and why. */
const withNotice = ({ notices }: SessionState, { generation }: Live, why: string) => post(notices, { after: generation, why })

/** The transition of each event of the child. */
const transitions: { readonly [Tag in ChildEvent["_tag"]]: On<Tag> } = {
  Wanted: (state, { now }, settings) => {
    const { child } = state
    const isProbe = child._tag === "Failed" && now >= child.until
    if (child._tag !== "Down" && !isProbe) return [state, []]
    return launching(isProbe ? { ...state, restarts: restarts.probing(settings, now) } : state, 0)
  },
  LaunchBegun: (state, { attempt }) =>
    state.child._tag === "Killing" && state.child.attempt === attempt
      ? [updated(state, { child: { _tag: "Launching", attempt } }), []]
      : [state, []],
  Launched: (state, event) => {
    const { child, replacing } = state
    const { attempt, launched, restoration, now } = event
    const isReplacement = attempt === replacing
    const isAwaited = isReplacement || (child._tag === "Launching" && child.attempt === attempt)
    if (!isAwaited) return [state, closing(launched)]
    if (event.epoch !== state.workspace.epoch) return isReplacement ? [state, closing(launched)] : relaunched(state, attempt, launched)
    const live: Live = { ...launched, generation: state.generation + 1, since: now }
    const before = liveOf(state)
    const { missed } = state.workspace
    const workspace = event.fresh
      ? workspaces.forgotten(state.workspace)
      : restoration === undefined
        ? { ...state.workspace, ...workspaces.caughtUp }
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
        // The reply to a reset or reload reports the new child to its caller; this notice is for the other clients.
        notices: (isReplacement && before !== undefined ? replaced : withRestore)(
          state.notices,
          state.generation,
          restored,
          event.fresh ? 0 : missed,
        ),
        workspace,
        kept: event.fresh ? nothingKept(state.kept) : state.kept,
      },
      [
        ...(isReplacement ? superseded(state) : []),
        { _tag: "Log", level: "Info", message: `${live.engine.kind} launched, pid ${live.child.pid}` },
        { _tag: "Watch", live },
        { _tag: "Answer", attempt, with: live },
        { _tag: "StandBy", program: launched },
        ...closing(before),
      ],
    ]
  },
  NotLaunched: (state, { attempt, error, program, at }, settings) => {
    const record = error._tag !== "LaunchFailed" || program === undefined ? [] : [recordOf(state, { kind: "launch", error, program })]
    if (error._tag === "LaunchFailed" && attempt === state.replacing) return [state, record]
    if (state.child._tag !== "Launching" || state.child.attempt !== attempt) return [state, []]
    const answer: Command = { _tag: "Answer", attempt, with: error }
    if (error._tag !== "LaunchFailed") return [updated(state, { child: { _tag: "Down" } }), [answer]]
    const lastCrash = `launch failed (${error.reason}): ${endsOf(error.stderr)}`
    const { restarts: counted, verdict } = restarts.crashed(state.restarts, "launch", settings, at)
    // The earlier program does not start any more. The next launch chooses the engine and the build on disk again.
    const next = { ...state, restarts: counted, lastCrash, program: undefined }
    const [after, commands] = verdict._tag === "GiveUp" ? givenUp(next, verdict) : launching(next, verdict.ms)
    return [after, [...record, { _tag: "Log", level: "Warning", message: lastCrash }, ...commands, answer]]
  },
  RestoreDied: (state, { how, given, program }) => {
    const workspace = workspaces.restoreDied(state.workspace, given, how)
    if (program === undefined) return [{ ...state, workspace }, []]
    return [{ ...state, workspace, lastCrash: describeEnd(how) }, [recordOf(state, { kind: "ended", how, program })]]
  },
  ReplaceBegun: (state) => {
    if (isClosed(state)) return [state, []]
    const attempt = state.attempt + 1
    const child: ChildState = "attempt" in state.child ? { _tag: "Down" } : state.child
    return [{ ...state, child, attempt, replacing: attempt }, superseded(state)]
  },
  ReplaceFailed: (state, { attempt }) => (state.replacing === attempt ? [{ ...state, replacing: undefined }, []] : [state, []]),
  Ended: (state, { live, how, at }, settings) => {
    if (!isLive(state, live)) return [state, []]
    const lastCrash = describeEnd(how)
    const statement = workOf(state)?.statement
    const why = statement === undefined ? lastCrash : `${lastCrash}, in "${statement.slice(0, 200)}"`
    const record = recordOf(state, { kind: "ended", how, program: live }, live)
    const { restarts: counted, verdict } = restarts.crashed(state.restarts, "run", settings, at)
    const next = { ...state, restarts: counted, lastCrash, notices: withNotice(state, live, why) }
    const [after, commands] = verdict._tag === "Wait" ? following(next, verdict.ms) : givenUp(next, verdict)
    return [after, [record, { _tag: "Log", level: "Warning", message: lastCrash }, ...closing(live), ...commands]]
  },
  Killed: (state, { live, why, stderr }) => {
    if (!isLive(state, live)) return [state, []]
    const [after, commands] = following({ ...state, notices: withNotice(state, live, why) }, 0)
    if (stderr === undefined) return [after, [...closing(live), ...commands]]
    return [
      after,
      [
        recordOf(state, { kind: "killed", stderr, program: live }, live),
        // Without the code: logs must not contain the code of a client.
        { _tag: "Log", level: "Warning", message: `${live.engine.kind} ended by force, pid ${live.child.pid}` },
        ...closing(live),
        ...commands,
      ],
    ]
  },
  Begun: (state, { working: { live, statement, nth, since } }) =>
    isLive(state, live) ? [updated(state, { child: { _tag: "Evaluating", live, statement, nth, since } }), []] : [state, []],
  Interrupted: (state) =>
    state.child._tag === "Evaluating" ? [updated(state, { child: { ...state.child, _tag: "Interrupting" } }), []] : [state, []],
  Settled: (state, { live }) => (isLive(state, live) ? [updated(state, { child: { _tag: "Ready", live } }), []] : [state, []]),
  Closed: (state) => [
    { ...state, child: { _tag: "Closed" }, replacing: undefined },
    [...superseded(state), { _tag: "StandBy", program: undefined }, ...closing(liveOf(state))],
  ],
}
