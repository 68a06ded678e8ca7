/**
 * How a front end asks the machine that has a session. Guarantees: every answer comes within a time, and a call that went without one is
 * told as what it may be: begun in part, or not at all. Of the sessions that changed last, the greatest number in the history that an answer
 * told is kept and goes with each request: what a lost machine ran may be known here alone. Does not: ask twice; Effect Cluster may, which the epoch of the request refuses.
 */
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { Caller } from "../session/Caller.ts"
import { MachineLost, QueueFull, SessionMoves } from "../session/SessionError.ts"
import type { ReloadRequest } from "../session/Session.ts"
import { Settings, type SettingValues } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import type { Told } from "./missing.ts"
import { addressOf, type Envelope, type Owner, Session } from "./protocol.ts"
import { type Answer, type ErrorOf, type Given, requests, type Tag } from "./requests/index.ts"

/** What a machine may take beyond a deadline until its answer is here: an interrupt, a kill, the way. */
export const grace = 5000
/** For what waits for no interpreter, ms. */
export const brief = 1500
const mostWaiting = 4096
/** Sessions whose numbers are kept. */
const mostTold = 10_000

/** How long a machine may take for a request, ms. */
const timesOf = ({ evalTimeout, evalTimeoutMax, launchTimeout, buildTimeout }: SettingValues) => {
  const evaluation = (asked: number | undefined): number => Math.min(asked ?? evalTimeout, evalTimeoutMax)
  /** Two launches, the time of all items, and that of the last one. */
  const comparison = (asked: number | undefined): number => 2 * launchTimeout + evalTimeoutMax + evaluation(asked)
  return {
    evaluation,
    /** The other session gives its contents first. */
    taking: 2 * evalTimeout + launchTimeout,
    comparison,
    reload: ({ build, check, checkFile, timeoutMs }: ReloadRequest): number =>
      evalTimeout +
      launchTimeout +
      (build === true ? buildTimeout : 0) +
      (check === undefined && checkFile === undefined ? 0 : comparison(timeoutMs)),
  }
}

/** Of errors: the machine that has the session did not give it, or did nothing. */
const isUnanswered = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "MachineLost" || _tag === "SessionMoves" || _tag === "QueueFull"

/** What became of a request, or how it got lost. */
type Got<T extends Tag> = Effect.Effect<Answer<T>, ErrorOf<T> | MachineLost | QueueFull | SessionMoves>

/** Whose epoch a request is sent under. */
export interface Known {
  readonly name: string
  readonly epoch: number
}

export const makeAsking = Effect.fnUntraced(function* (owner: Owner) {
  const clientOf = yield* Session.client
  const settings = yield* Settings
  const { evalTimeout } = settings

  const told = new Map<string, Told>()
  const tell = (name: string, number: number, epoch: number): void => {
    const before = told.get(name)
    if (before !== undefined && (before.epoch > epoch || before.number > number)) return
    told.delete(name)
    told.set(name, { number, epoch })
    const [oldest] = told.keys()
    if (told.size > mostTold) told.delete(oldest!)
  }

  /** A machine that leaves interrupts what it runs: that is no cancel of the caller's. */
  const send = Effect.fnUntraced(function* (tag: Tag, name: string, asked: object, ms: number, late: () => MachineLost | SessionMoves) {
    const number = told.get(name)
    const envelope: Envelope = { owner, caller: yield* Caller, ...(number !== undefined && { told: number }) }
    const sent = clientOf(addressOf(owner.space, name))[tag]!({ ...asked, ...envelope })
    const answered = yield* Effect.timeoutOption(Effect.exit(sent), ms)
    if (Option.isNone(answered)) return yield* late()
    const exit = answered.value
    if (Exit.isSuccess(exit)) return exit.value
    const error = exit.cause.reasons.find(Cause.isFailReason)?.error
    if (error === undefined) return yield* Cause.hasInterrupts(exit.cause) ? late() : Effect.failCause(exit.cause as Cause.Cause<never>)
    switch (error._tag) {
      case "MailboxFull":
        return yield* new QueueFull({ limit: mostWaiting })
      case "AlreadyProcessingMessage":
      case "EntityNotAssignedToRunner":
      case "PersistenceError":
        return yield* late()
      default:
        return yield* error
    }
  })

  /** Of a session, what changes nothing. */
  const look = <T extends Tag>(tag: T, name: string, given: Given<T>, ms = evalTimeout + grace): Got<T> =>
    send(tag, name, given, ms, () => new SessionMoves({ session: name, waitedMs: ms })) as Got<T>

  /** Under an epoch. */
  const change = <T extends Tag>(tag: T, { name, epoch }: Known, given: Given<T>, ms = evalTimeout): Got<T> => {
    const changes = requests[tag].changes as (given: Given<T>) => string
    const lost = () => new MachineLost({ session: name, isReplaced: false, code: shortened(changes(given)) })
    return Effect.onExit(send(tag, name, { ...given, epoch }, ms + grace, lost) as Got<T>, (exit) => {
      if (Exit.isFailure(exit) && exit.cause.reasons.some((each) => !Cause.isFailReason(each) || isUnanswered(each.error)))
        return Effect.void
      const answer: unknown = Exit.isSuccess(exit) ? exit.value : undefined
      if (typeof answer === "object" && answer !== null && "last" in answer && typeof answer.last === "number")
        return Effect.sync(() => tell(name, answer.last as number, epoch))
      return Effect.ignore(Effect.map(look("HistoryEnds", name, {}, brief), (ends) => tell(name, ends.last, ends.epoch ?? epoch)))
    })
  }

  /** Under the epoch of now. */
  const changeNow = <T extends Tag>(tag: T, name: string, given: Given<T>, ms?: number) =>
    Effect.flatMap(look("Open", name, { use: false }), ({ epoch }) => change(tag, { name, epoch }, given, ms))

  return { look, change, changeNow, times: timesOf(settings) }
})
export type Asking = Effect.Success<ReturnType<typeof makeAsking>>
