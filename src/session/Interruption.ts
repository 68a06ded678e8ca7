/**
 * An evaluation that is cut short: its child died, its deadline passed, its client cancelled it, or another one stopped it.
 *
 * Guarantees: afterwards the child is idle or gone; it never runs code that nobody waits for. The error names the statement that ran, what was
 * printed, and what became of the variables. A notice that the error contains is not repeated with the next reply.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { elapsedMs } from "../elapsed.ts"
import type { ChildEnded } from "../child/Child.ts"
import { shortened } from "../shortened.ts"
import type { RunRequest } from "./Evaluation.ts"
import { makeProgress, type Progress } from "./Progress.ts"
import { Self } from "./Self.ts"
import { ChildDied, DeadlineExceeded, EvaluationStopped } from "./SessionError.ts"
import { type Live, nextGeneration, workOf } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"
import { Captures } from "./variables/Captures.ts"
import { hasToTell, holdsAnything, isCurrent, summaryOf } from "./variables/Workspace.ts"

/** One in the background can be stopped by its handle, also while it waits. */
export const unlessStopped = <A, E, E2>(work: Effect.Effect<A, E>, { background }: RunRequest, stopped: Effect.Effect<A, E2>) =>
  background === undefined
    ? work
    : Effect.flatMap(Effect.raceFirst(Effect.asSome(work), Effect.as(background.stop, Option.none())), (done) =>
        Option.isSome(done) ? Effect.succeed(done.value) : stopped,
      )

export class Interruption extends Context.Service<
  Interruption,
  {
    /** The child ended under it. */
    readonly died: (live: Live, progress: Progress, how: ChildEnded) => ChildDied
    /** Ends what the child does; with `rollback` the variables are as before, if they are held or the child has a mark. */
    readonly stop: (live: Live, progress: Progress, rollback: boolean) => Effect.Effect<void>
    readonly late: (timeoutMs: number, progress: Progress) => DeadlineExceeded
    readonly stopped: (progress: Progress) => EvaluationStopped
    /** `late` of work of the server's own. */
    readonly lateDoing: (timeoutMs: number, doing: string) => DeadlineExceeded
  }
>()("k3-mcp/session/Interruption") {
  static readonly layer = Layer.effect(
    Interruption,
    Effect.gen(function* () {
      const { name: session } = yield* Self
      const { state, send, stop } = yield* Supervisor
      const captures = yield* Captures
      const clock = yield* Clock.Clock

      const held = () => {
        const { workspace } = state()
        return hasToTell(workspace) ? { held: summaryOf(workspace) } : {}
      }

      /** What became of the variables; nothing of it is said again with the next reply when they are lost. */
      const aftermath = (progress: Progress) => {
        if (progress.state === "lost") send({ _tag: "Noticed", reader: progress.asked.reader })
        return {
          session,
          state: progress.state,
          ...(progress.state !== "kept" && held()),
          generation: nextGeneration(state()),
          statementNumber: progress.number,
          output: progress.output.text,
        }
      }

      const late = (timeoutMs: number, progress: Progress, doing?: string): DeadlineExceeded => {
        const waiting = progress.number === 0
        return new DeadlineExceeded({
          ...aftermath(progress),
          timeoutMs,
          waiting,
          statement: shortened(waiting ? (workOf(state())?.statement ?? "") : progress.statement),
          ...(waiting && progress.statement !== "" && { place: progress.statement }),
          ...(doing !== undefined && { doing }),
        })
      }

      return Interruption.of({
        died: (live, progress, how) => {
          send({ _tag: "Ended", live, how, at: { now: elapsedMs(clock), random: 0.5 } })
          const known = held()
          // With nothing to give back, all is told by this very error.
          if (!("held" in known)) send({ _tag: "Noticed", reader: progress.asked.reader })
          progress.output.add(how.partial)
          return new ChildDied({
            session,
            reason: how.reason === "exit" && live.engine.outOfMemory(how.stderr) ? "memory" : how.reason,
            exitCode: how.exit.code,
            signal: how.exit.signal,
            stderr: how.stderr,
            statement: shortened(progress.statement),
            statementNumber: progress.number,
            ...known,
            generation: nextGeneration(state()),
            output: progress.output.text,
          })
        },
        stop: Effect.fnUntraced(function* (live, progress, rollback) {
          const { how, reply } = yield* stop(live, `"${shortened(progress.statement)}" was ended by force`)
          const isKept = how === "interrupted"
          const { workspace } = state()
          progress.state = isKept ? "kept" : holdsAnything(workspace) ? "restored" : "lost"
          if (!progress.aside) progress.output.add(reply)
          if (rollback && isKept && live.tracker.marks !== null) yield* Effect.ignore(live.tracker.marks.back)
          if (rollback && isCurrent(workspace)) progress.state = "rolled-back"
          if (!isKept) return
          send({ _tag: "Evaluated", mayChange: true })
          captures.soon(0)
        }),
        late,
        stopped: (progress) => new EvaluationStopped({ ...aftermath(progress), statement: shortened(progress.statement) }),
        lateDoing: (timeoutMs, doing) =>
          late(timeoutMs, makeProgress(0, { reader: "", at: clock.currentTimeMillisUnsafe(), since: elapsedMs(clock) }), doing),
      })
    }),
  )
}
