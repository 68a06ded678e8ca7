/**
 * Requests to the machine that has a session. Guarantees: every request ends within a deadline. Without an answer, a request that could change
 * something fails with `MachineLost`, since it may have run in part; a request that changes nothing fails with `SessionMoves`. For the sessions
 * that changed last, keeps the greatest history number that an answer told and sends it with each request: only this process may know the
 * evaluations of a lost machine. Does not: send a request twice. Effect Cluster may, and the next owner refuses the epoch of that request.
 */
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { abandonable } from "../abandonable.ts"
import type { PrincipalSpace } from "../mcp/http/Principal.ts"
import { Caller } from "../session/Caller.ts"
import { MachineLost, QueueFull, type RootUnusable, SessionMoves } from "../session/SessionError.ts"
import type { ReloadRequest } from "../session/Session.ts"
import { setLatest } from "../session/setLatest.ts"
import { Settings, type SettingValues } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import type { Told } from "./ownerState.ts"
import { addressOf, type Envelope, SessionEntity } from "./protocol.ts"
import { type AnswerOf, type ErrorOf, type GivenOf, requests, type Tag } from "./requests/index.ts"

/** Time beyond a deadline until the answer arrives, ms: for an interrupt, a kill and the connection. */
const grace = 5000
/** The deadline of requests that wait for no interpreter, ms. */
export const brief = 1500
const mostWaiting = 4096
/** The most sessions whose history numbers are kept. */
const mostTold = 10_000

/** The deadlines of requests that run long, ms. */
const timesOf = ({ evalTimeout, evalTimeoutMax, launchTimeout, buildTimeout }: SettingValues) => {
  const evaluation = (asked: number | undefined): number => Math.min(asked ?? evalTimeout, evalTimeoutMax)
  /** Two launches, the time of all items, and the time of the last item. */
  const comparison = (asked: number | undefined): number => 2 * launchTimeout + evalTimeoutMax + evaluation(asked)
  return {
    evaluation,
    /** A fork or a merge: the other session sends its contents first. */
    taking: 2 * evalTimeout + launchTimeout,
    comparison,
    reload: ({ build, check, checkFile, timeoutMs }: ReloadRequest): number =>
      evalTimeout +
      launchTimeout +
      (build === true ? buildTimeout : 0) +
      (check === undefined && checkFile === undefined ? 0 : comparison(timeoutMs)),
  }
}

/** True for errors that mean that no machine answered, or that the machine refused to run the request. */
const isUnanswered = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "MachineLost" || _tag === "SessionMoves" || _tag === "QueueFull" || _tag === "RootUnusable"

/** The answer or the error of a request; the last four errors may come without an answer. */
type Got<T extends Tag> = Effect.Effect<AnswerOf<T>, ErrorOf<T> | MachineLost | QueueFull | SessionMoves | RootUnusable>

/** A session, and the epoch that requests to it name. */
export interface Known {
  readonly name: string
  readonly epoch: number
}

/** `problems`: those of the database, which a request without an answer names. */
export const makeAsking = Effect.fnUntraced(function* (
  principal: PrincipalSpace,
  problems: Effect.Effect<readonly string[]> = Effect.succeed([]),
) {
  const clientOf = yield* SessionEntity.client
  const settings = yield* Settings
  const { evalTimeout } = settings

  const told = new Map<string, Told>()
  const tell = (name: string, number: number, epoch: number): void => {
    const before = told.get(name)
    if (before !== undefined && (before.epoch > epoch || before.number > number)) return
    setLatest(told, name, { number, epoch }, mostTold)
  }

  /**
   * Sends a request and waits for at most `ms`. A leaving machine interrupts its requests: they fail with `late`, the caller is not interrupted.
   */
  const send = Effect.fnUntraced(function* (
    tag: Tag,
    name: string,
    asked: object,
    ms: number,
    late: Effect.Effect<never, MachineLost | SessionMoves>,
  ) {
    const number = told.get(name)
    const envelope: Envelope = { owner: principal, caller: yield* Caller, ...(number !== undefined && { told: number }) }
    const sent = clientOf(addressOf(principal.space, name))[tag]!({ ...asked, ...envelope })
    const answered = yield* Effect.timeoutOption(Effect.exit(abandonable(sent)), ms)
    if (Option.isNone(answered)) return yield* late
    const exit = answered.value
    if (Exit.isSuccess(exit)) return exit.value
    const error = exit.cause.reasons.find(Cause.isFailReason)?.error
    if (error === undefined) return yield* Cause.hasInterrupts(exit.cause) ? late : Effect.failCause(exit.cause as Cause.Cause<never>)
    switch (error._tag) {
      case "MailboxFull":
        return yield* new QueueFull({ limit: mostWaiting })
      case "AlreadyProcessingMessage":
      case "EntityNotAssignedToRunner":
      case "PersistenceError":
        return yield* late
      default:
        return yield* error
    }
  })

  /** Sends a request that changes nothing. */
  const read = <T extends Tag>(tag: T, name: string, given: GivenOf<T>, ms = evalTimeout + grace): Got<T> =>
    send(
      tag,
      name,
      given,
      ms,
      Effect.flatMap(problems, (trouble) => new SessionMoves({ session: name, waitedMs: ms, ...(trouble.length > 0 && { trouble }) })),
    ) as Got<T>

  /** Sends a request under an epoch. If the machine answered, keeps the greatest history number of the session afterwards. */
  const change = <T extends Tag>(tag: T, { name, epoch }: Known, given: GivenOf<T>, ms = evalTimeout): Got<T> => {
    const changes = requests[tag].changes as (given: GivenOf<T>) => string
    const lost = new MachineLost({ session: name, isReplaced: false, code: shortened(changes(given)) })
    return Effect.onExit(send(tag, name, { ...given, epoch }, ms + grace, lost) as Got<T>, (exit) => {
      if (Exit.isFailure(exit) && exit.cause.reasons.some((each) => !Cause.isFailReason(each) || isUnanswered(each.error)))
        return Effect.void
      const answer: unknown = Exit.isSuccess(exit) ? exit.value : undefined
      if (typeof answer === "object" && answer !== null && "last" in answer && typeof answer.last === "number")
        return Effect.sync(() => tell(name, answer.last as number, epoch))
      return Effect.ignore(Effect.map(read("HistoryEnds", name, {}, brief), (ends) => tell(name, ends.last, ends.epoch ?? epoch)))
    })
  }

  /** Asks for the present epoch of a session, and sends a request under it. */
  const changeNow = <T extends Tag>(tag: T, name: string, given: GivenOf<T>, ms?: number) =>
    Effect.flatMap(read("Open", name, { use: false }), ({ epoch }) => change(tag, { name, epoch }, given, ms))

  return { read, change, changeNow, times: timesOf(settings) }
})
export type Asking = Effect.Success<ReturnType<typeof makeAsking>>
