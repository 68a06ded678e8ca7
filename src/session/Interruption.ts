/**
 * The early end of an evaluation: its child died, its deadline passed, its client cancelled it, or another client stopped it.
 *
 * Guarantees: afterwards the child is idle or gone, so it never runs code without a waiting caller. The error has the statement that ran, the
 * printed text, and the fate of the variables. A notice that the error contains is not repeated with the next reply.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ChildEnded } from "../child/Child.ts"
import { shortened } from "../shortened.ts"
import type { Progress, RunRequest } from "./Evaluation.ts"
import { reasonOf } from "./history/ChildExit.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import { ChildDied, DeadlineExceeded, EvaluationStopped } from "./SessionError.ts"
import { type Live, nextGeneration, type SessionState, workOf } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"
import { Captures } from "./variables/Captures.ts"
import { hasToReport, holdsAnything, isCurrent, summaryOf } from "./variables/Workspace.ts"

/** Lets the stop request of a background evaluation end it, also while it waits. Other evaluations run unchanged. */
export const unlessStopped = <A, E, E2>(work: Effect.Effect<A, E>, { background }: RunRequest, stopped: Effect.Effect<A, E2>) =>
  background === undefined
    ? work
    : Effect.flatMap(Effect.raceFirst(Effect.asSome(work), Effect.as(background.stop, Option.none())), (done) =>
        Option.isSome(done) ? Effect.succeed(done.value) : stopped,
      )

const heldIn = ({ workspace }: SessionState) => (hasToReport(workspace) ? { held: summaryOf(workspace) } : {})

export class Interruption extends Context.Service<
  Interruption,
  {
    /** The error of an evaluation whose child ended. */
    readonly died: (live: Live, progress: Progress, how: ChildEnded) => ChildDied
    /** Stops the child's evaluation. With `rollback` the variables are as before it, if they were captured or the child has a mark. */
    readonly stop: (live: Live, progress: Progress, rollback: boolean) => Effect.Effect<void>
    readonly late: (timeoutMs: number, progress: Progress) => DeadlineExceeded
    /** The error for the client of a stopped evaluation. */
    readonly stopped: (progress: Progress) => EvaluationStopped
    /** The same report for the client that stopped it. */
    readonly stopReport: (progress: Progress) => EvaluationStopped
    /** The error of the server's own work at its deadline. `doing` names the work. */
    readonly lateDoing: (timeoutMs: number, doing: string) => DeadlineExceeded
  }
>()("k3-mcp/session/Interruption") {
  static readonly layer = Layer.effect(
    Interruption,
    Effect.gen(function* () {
      const { name: session } = yield* SessionIdentity
      const { state, send, ended, stop } = yield* Supervisor
      const captures = yield* Captures

      /** The fields of an error that describe the session afterwards. */
      const aftermath = (progress: Progress) => ({
        session,
        state: progress.state,
        ...(progress.state !== "kept" && heldIn(state())),
        ...(progress.changes !== undefined && { changes: progress.changes }),
        generation: nextGeneration(state()),
        statementNumber: progress.number,
        output: progress.output.text,
      })

      /** When the variables are lost, the error replaces the notices that its client has to get. */
      const replaceNotices = ({ state, asked: { reader } }: Progress): void => {
        if (state === "lost") send({ _tag: "Noticed", reader })
      }
      const stopReport = (progress: Progress) => new EvaluationStopped({ ...aftermath(progress), statement: shortened(progress.statement) })

      /** The statement that a waiting call waits for; empty when none runs. */
      const awaited = (): string => shortened(workOf(state())?.statement ?? "")

      return Interruption.of({
        died: (live, progress, how) => {
          ended(live, how)
          const known = heldIn(state())
          // Without held variables this error contains all that the pending notices would say.
          if (!("held" in known)) send({ _tag: "Noticed", reader: progress.asked.reader })
          progress.output.add(how.partial)
          return new ChildDied({
            session,
            ...known,
            generation: nextGeneration(state()),
            reason: reasonOf(live.engine, how),
            exitCode: how.exit.code,
            signal: how.exit.signal,
            stderr: how.stderr,
            statement: shortened(progress.statement),
            statementNumber: progress.number,
            output: progress.output.text,
          })
        },
        stop: Effect.fnUntraced(function* (live, progress, rollback) {
          const { how, reply } = yield* stop(live, `"${shortened(progress.statement)}" was ended by force`, progress.number === 0)
          const { marks } = live.tracker
          // A child between two statements that has no mark to go back to: another one is given the last capture.
          const isReplaced = how === "interrupted" && rollback && marks === null && progress.ran.length > 0
          if (isReplaced) send({ _tag: "Killed", live, why: "the evaluation was rolled back" })
          const isKept = how === "interrupted" && !isReplaced
          const { workspace } = state()
          progress.state = isKept ? "kept" : holdsAnything(workspace) ? "restored" : "lost"
          if (!progress.isInternal) progress.output.add(reply)
          if (progress.isMarked && isKept && marks !== null) yield* Effect.ignore(marks.back)
          if (rollback && isCurrent(workspace)) progress.state = "rolled-back"
          if (!isKept) return
          send({ _tag: "Evaluated", mayChange: true })
          captures.schedule(0)
        }),
        late: (timeoutMs, progress) => {
          const waiting = progress.number === 0
          replaceNotices(progress)
          return new DeadlineExceeded({
            ...aftermath(progress),
            timeoutMs,
            waiting,
            statement: waiting ? awaited() : shortened(progress.statement),
            ...(waiting && progress.statement !== "" && { place: progress.statement }),
          })
        },
        stopped: (progress) => {
          replaceNotices(progress)
          return stopReport(progress)
        },
        stopReport,
        lateDoing: (timeoutMs, doing) =>
          new DeadlineExceeded({
            session,
            state: "kept",
            generation: nextGeneration(state()),
            timeoutMs,
            waiting: true,
            statement: awaited(),
            statementNumber: 0,
            output: "",
            doing,
          }),
      })
    }),
  )
}
