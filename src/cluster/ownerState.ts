/**
 * The state of the owner of a session as one value, from the raise of the epoch to its release; the events that change it; and the transition,
 * which maps a state and an event to the next state and the commands to run. Pure: `owner.ts` holds the value and runs the commands.
 *
 *     raise ─▶ newOwner ─▶ Opened ─▶ Compared ─▶ Used or Renewed ─▶ Succeeded ─▶ release, with `lossOf`
 *               once       each request           a request that changes something
 *
 * A session's variables and its history are written about a second late, so the database alone does not know the last evaluations of a lost
 * machine; the front ends that got their answers do.
 *
 * Guarantees: an owner announces the loss of a machine once, and passes a loss that no client was told on to the next owner. Each owner names a
 * missing evaluation once. A mark that the database did not take is due again at each write of the session. Does not: know an evaluation that
 * neither the database nor a front end that asked this owner knows.
 */
import * as Match from "effect/Match"
import type { Raised } from "./SessionOwners.ts"

export interface OwnerState {
  readonly epoch: number
  /** The machine that was lost with the session; undefined after a request that changes something has succeeded, since its reply told the loss. */
  readonly loss: { readonly machine: string; readonly isAnnounced: boolean } | undefined
  /** `lost`: the last session of this name was ephemeral and ended with its owner. */
  readonly session: "ordinary" | "ephemeral" | "lost"
  /** The database has a mark on the name; undefined while it has not confirmed a change of the mark. */
  readonly isMarked: boolean | undefined
  /** The number of the latest history entry whose changes the restored variables have; undefined when that is not known. */
  readonly contained: number | undefined
  /** Evaluations up to this number are in the restored variables or in `missing`, now or before; undefined before the first comparison. */
  readonly compared: number | undefined
  /** The missing evaluations that the session is still to name in its replies. */
  readonly missing: readonly Range[]
}

interface Range {
  readonly from: number
  readonly to: number
}

/** A history number that a front end was told under this epoch. */
export interface Told {
  readonly number: number
  readonly epoch: number
}

export type OwnerEvent =
  /** The space of the session is open on this machine. */
  | { readonly _tag: "Opened" }
  /** A request that changes something arrived. `stored`: the last number in the history of the session. */
  | { readonly _tag: "Compared"; readonly stored: number; readonly told: Told | undefined }
  /** A request uses the open session of this name. */
  | { readonly _tag: "Used"; readonly isEphemeral: boolean }
  /** A client created, forked into or closed the session of this name. */
  | { readonly _tag: "Renewed"; readonly isEphemeral: boolean }
  /** A request that changes something succeeded. */
  | { readonly _tag: "Succeeded" }
  /** The session is to be written. */
  | { readonly _tag: "WriteDue" }
  /** The database confirmed a `Mark`. */
  | { readonly _tag: "Marked"; readonly isEphemeral: boolean }

export type OwnerCommand =
  /** The session that is opened next is to say that its machine was lost. */
  | { readonly _tag: "AnnounceLoss"; readonly machine: string }
  /** New entries of the history get numbers above this one. */
  | { readonly _tag: "NumberAbove"; readonly number: number }
  /** The open session names these missing evaluations in its next reply to each client. */
  | ({ readonly _tag: "NameMissing" } & Range)
  /** The database marks the name of the session as ephemeral, or removes the mark. */
  | { readonly _tag: "Mark"; readonly isEphemeral: boolean }

type Next = readonly [OwnerState, readonly OwnerCommand[]]

export const newOwner = ({ epoch, lost, contained, isMarked }: Raised): OwnerState => ({
  epoch,
  loss: lost === undefined ? undefined : { machine: lost, isAnnounced: false },
  session: isMarked ? "lost" : "ordinary",
  isMarked,
  contained,
  compared: undefined,
  missing: [],
})

export const transition = (state: OwnerState, event: OwnerEvent): Next =>
  Match.valueTags(event, {
    Opened: () => announce(state),
    Compared: (told) => compare(state, told),
    Used: ({ isEphemeral }) => (isEphemeral ? stay(state) : use(state)),
    Renewed: ({ isEphemeral }) => renew(state, isEphemeral),
    Succeeded: () => stay({ ...state, loss: undefined }),
    WriteDue: () => mark(state),
    Marked: ({ isEphemeral }) => stay({ ...state, isMarked: isEphemeral }),
  })

const stay = (state: OwnerState): Next => [state, []]

const announce = (state: OwnerState): Next =>
  state.loss === undefined || state.loss.isAnnounced
    ? stay(state)
    : [{ ...state, loss: { ...state.loss, isAnnounced: true } }, [{ _tag: "AnnounceLoss", machine: state.loss.machine }]]

const use = (state: OwnerState): Next => {
  const named = state.missing.map((range) => ({ _tag: "NameMissing", ...range }) as const)
  // With a mark, the ephemeral session of this name ended idle, and the new session is an ordinary one.
  const [next, commands] = renew(state, false)
  return [next, [...named, ...commands]]
}

/**
 * Without `contained`, `stored` takes its place, so only `told` can show a loss. `contained` and `stored` count in the first comparison only:
 * later entries of the history are this owner's.
 */
const compare = (state: OwnerState, { stored, told }: Extract<OwnerEvent, { readonly _tag: "Compared" }>): Next => {
  const { epoch, contained, compared, missing } = state
  const known = compared ?? contained ?? stored
  const ran = Math.max(known, compared === undefined ? stored : 0, told !== undefined && told.epoch < epoch ? told.number : 0)
  return [
    { ...state, compared: ran, missing: ran > known ? [...missing, { from: known + 1, to: ran }] : missing },
    [{ _tag: "NumberAbove", number: ran }],
  ]
}

const renew = (state: OwnerState, isEphemeral: boolean): Next => {
  const next: OwnerState = { ...state, session: isEphemeral ? "ephemeral" : "ordinary", missing: [] }
  // A mark that is due waits for the next write: a call does not wait for a database that just refused it.
  return next.session === state.session ? stay(next) : mark(next)
}

const mark = (state: OwnerState): Next => {
  const isEphemeral = state.session !== "ordinary"
  return state.isMarked === isEphemeral ? stay(state) : [{ ...state, isMarked: undefined }, [{ _tag: "Mark", isEphemeral }]]
}

/** The lost machine that no client was told of, for the next owner. */
export const lossOf = ({ loss }: OwnerState): string | undefined => loss?.machine
