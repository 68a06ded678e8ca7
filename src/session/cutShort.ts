/**
 * An evaluation that does not come to its end: its child died, its time was over, or its client cancelled it.
 *
 * Guarantees: the child is idle or gone afterwards, and so never at what nobody waits for; the error says what became of the variables,
 * which statement was under way and what had been printed. Whatever is said in the error is not said again with the next reply.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ChildEnded } from "../child/Child.ts"
import { makeProgress, type Progress } from "./evaluate.ts"
import type { Lifecycle } from "./Lifecycle.ts"
import { ChildDied, DeadlineExceeded } from "./SessionError.ts"
import { shortened } from "../shortened.ts"
import { type Live, workOf } from "./state.ts"
import type { Captures } from "./variables/captures.ts"
import type { Keeper } from "./variables/Keeper.ts"
import { back } from "./variables/marks.ts"

interface Parts {
  readonly session: string
  readonly life: Lifecycle
  readonly keeper: Keeper
  readonly clock: Clock.Clock
  readonly captures: Captures
  /** Variables may be other ones than before. */
  readonly evaluated: () => void
}

export type CutShort = ReturnType<typeof make>

export const make = ({ session, life, keeper, clock, captures, evaluated }: Parts) => {
  const exceeded = (timeoutMs: number, progress: Progress, doing?: string): DeadlineExceeded => {
    if (progress.state === "lost") life.takeNews()
    const waiting = progress.number === 0
    return new DeadlineExceeded({
      session,
      timeoutMs,
      waiting,
      state: progress.state,
      ...(progress.state !== "kept" && keeper.holds && { held: keeper.summary }),
      generation: life.generation(),
      statement: shortened(waiting ? (workOf(life.state())?.statement ?? "") : progress.statement),
      statementNumber: progress.number,
      output: progress.output.text,
      ...(doing !== undefined && { doing }),
    })
  }

  return {
    /** The child ended under it. */
    died: Effect.fnUntraced(function* (live: Live, progress: Progress, how: ChildEnded) {
      yield* life.ended(live, how)
      // With nothing to give back, all is told by this very error.
      if (!keeper.holds) life.takeNews()
      progress.output.add(how.partial)
      return yield* new ChildDied({
        session,
        reason: how.reason === "exit" && live.engine.outOfMemory(how.stderr) ? "memory" : how.reason,
        exitCode: how.exit.code,
        signal: how.exit.signal,
        stderr: how.stderr,
        statement: shortened(progress.statement),
        statementNumber: progress.number,
        ...(keeper.holds && { held: keeper.summary }),
        generation: life.generation(),
        output: progress.output.text,
      })
    }),

    /** Ends what the child does; with `rollback` the variables are as before, if they are held or the child has a mark. */
    stop: Effect.fnUntraced(function* (live: Live, progress: Progress, rollback: boolean) {
      const stopped = yield* life.stop(live, `"${shortened(progress.statement)}" was ended by force`)
      progress.state = stopped.state === "lost" && keeper.holds ? "restored" : stopped.state
      if (!progress.aside) progress.output.add(stopped.reply)
      if (rollback && stopped.state === "kept") yield* back(keeper, live)
      if (rollback && keeper.isCurrent) progress.state = "rolled-back"
      if (stopped.state !== "kept") return
      evaluated()
      yield* captures.soon
    }),

    /** Its time was over, under way or before its turn. */
    late: (timeoutMs: number, progress: Progress): DeadlineExceeded => exceeded(timeoutMs, progress),

    /** The same of work of the server's own. */
    lateDoing: (timeoutMs: number, doing: string): DeadlineExceeded =>
      exceeded(timeoutMs, makeProgress(0, clock.currentTimeMillisUnsafe()), doing),
  }
}
