/**
 * How a front end asks the machine that has a session. Guarantees: every answer comes within a time, and a call that went without one is
 * told as what it may be: begun in part, or not at all. Does not: ask twice; Effect Cluster may, which the epoch of the request refuses.
 */
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import type { AlreadyProcessingMessage, EntityNotAssignedToRunner, MailboxFull, PersistenceError } from "effect/cluster/ClusterError"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { Caller } from "../session/Caller.ts"
import { MachineLost, QueueFull, type SessionError, SessionMoves } from "../session/SessionError.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { addressOf, type Owner, Session } from "./protocol.ts"

type Sent<A> = Effect.Effect<A, SessionError | MailboxFull | AlreadyProcessingMessage | EntityNotAssignedToRunner | PersistenceError>

/** What a machine may take beyond a deadline until its answer is here: an interrupt, a kill, the way. */
export const grace = 5000
/** For what waits for no interpreter, ms. */
export const brief = 1500
const mostWaiting = 4096

export const makeAsking = Effect.fnUntraced(function* (owner: Owner) {
  const clientOf = yield* Session.client
  const { evalTimeout, evalTimeoutMax } = yield* Settings

  /** A machine that leaves interrupts what it runs: that is no cancel of the caller's. */
  const within = <A>(sent: Sent<A>, ms: number, late: () => SessionError): Effect.Effect<A, SessionError> =>
    Effect.flatMap(Effect.timeoutOption(Effect.exit(sent), ms), (answered): Effect.Effect<A, SessionError> => {
      if (Option.isNone(answered)) return Effect.fail(late())
      const exit = answered.value
      if (Exit.isSuccess(exit)) return Effect.succeed(exit.value)
      const error = exit.cause.reasons.find(Cause.isFailReason)?.error
      if (error === undefined)
        return Cause.hasInterrupts(exit.cause) ? Effect.fail(late()) : Effect.failCause(exit.cause as Cause.Cause<never>)
      switch (error._tag) {
        case "MailboxFull":
          return Effect.fail(new QueueFull({ limit: mostWaiting }))
        case "AlreadyProcessingMessage":
        case "EntityNotAssignedToRunner":
        case "PersistenceError":
          return Effect.fail(late())
        default:
          return Effect.fail(error)
      }
    })

  type Client = ReturnType<typeof clientOf>
  type Asked = { readonly owner: Owner; readonly caller: { readonly name: string; readonly reader: string } }

  /** Of a session, what changes nothing. */
  const look = <A>(name: string, send: (client: Client, asked: Asked) => Sent<A>, ms = evalTimeout + grace) =>
    Effect.flatMap(Caller, (caller) =>
      within(send(clientOf(addressOf(owner.space, name)), { owner, caller }), ms, () => new SessionMoves({ session: name, waitedMs: ms })),
    )

  /** Under an epoch. `code`: what it is, in words or K, for who has to be told that it is lost. */
  const change = <A>(
    { name, epoch, code, ms = evalTimeout }: { readonly name: string; readonly epoch: number; readonly code: string; readonly ms?: number },
    send: (client: Client, asked: Asked & { readonly epoch: number }) => Sent<A>,
  ) =>
    Effect.flatMap(Caller, (caller) =>
      within(
        send(clientOf(addressOf(owner.space, name)), { owner, caller, epoch }),
        ms + grace,
        () => new MachineLost({ session: name, isReplaced: false, code: shortened(code) }),
      ),
    )

  /** The deadline that an evaluation gets. */
  const deadlineOf = (asked: number | undefined): number => Math.min(asked ?? evalTimeout, evalTimeoutMax)

  /** Who has the session now; it is made when there is none and it is to be used. */
  const open = (name: string, use: boolean, ms?: number) => look(name, (client, asked) => client.Open({ ...asked, use }), ms)

  return { look, change, open, deadlineOf }
})
export type Asking = Effect.Success<ReturnType<typeof makeAsking>>
