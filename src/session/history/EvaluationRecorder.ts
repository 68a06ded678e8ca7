/**
 * Records one session's evaluations in its history, in every outcome, and keeps the running and the latest ones in memory for crash records.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { monotonic } from "../../elapsed.ts"
import type { EvaluateRequest, Evaluation, Progress } from "../Evaluation.ts"
import { SessionIdentity } from "../SessionIdentity.ts"
import { SessionClosed, type SessionError } from "../SessionError.ts"
import type { ChildProgram } from "../../child/Launcher.ts"
import { History, recordEvent, type SessionHistory } from "./History.ts"
import type { HistoryEntry } from "./HistoryLog.ts"
import { outcomeOf } from "./outcomeOf.ts"
import { ranOf } from "./ranOf.ts"

/** Limits of the evaluations kept in memory: their number, and the characters of their code. */
const mostLatest = 200
const mostCode = 1024 * 1024

type Input = Pick<HistoryEntry, "at" | "code" | "args">

/** The code of a request, as in `HistoryEntry`. */
const inputOf = ({ code, args = [] }: EvaluateRequest): Pick<HistoryEntry, "code" | "args"> =>
  args.length === 0 ? { code } : { code: [...args.map(({ name, text }) => `${name}:${text}`), code].join("\n"), args: args.length }

/** An evaluation and its result. */
export interface RecordedEvaluation {
  readonly request: EvaluateRequest
  readonly progress: Progress
  /** Name of the caller, as in `Caller`. */
  readonly by: string
  readonly exit: Exit.Exit<Evaluation, SessionError>
  /** Generation of the child that answers the next evaluation. */
  readonly generation: number
}

export class EvaluationRecorder extends Context.Service<
  EvaluationRecorder,
  {
    /** Opens the session's history, which is read from the store first. The reading goes on when the caller is interrupted. */
    readonly open: Effect.Effect<SessionHistory, SessionClosed>
    /** The history; undefined until `open` has run. */
    readonly log: () => SessionHistory | undefined
    /** Notes the running evaluation. `program`: the engine and build of its child. */
    readonly began: (program: ChildProgram, request: EvaluateRequest, progress: Progress) => void
    /** Records an evaluation that has ended. Opens the history first, if it is not yet open. */
    readonly ended: (recorded: RecordedEvaluation) => void
    /** Records that something other than an evaluation changed the variables. */
    readonly event: (event: NonNullable<HistoryEntry["event"]>, generation: number) => Effect.Effect<void, SessionClosed>
    /** The latest evaluation that began: its code, and the number of its running statement, arguments counted. */
    readonly current: () => { readonly code: string; readonly number: number } | undefined
    /** At most `most` of the latest inputs, oldest first. With `running`, the running one is the last. */
    readonly inputs: (most: number, running: boolean) => readonly Input[]
    /** The code that ran in the latest `evaluations` evaluations, oldest first. `left`: number of evaluations whose code is no longer kept. */
    readonly since: (evaluations: number) => { readonly codes: readonly string[]; readonly left: number }
  }
>()("k3-mcp/session/EvaluationRecorder") {
  static readonly layer = Layer.effect(
    EvaluationRecorder,
    Effect.gen(function* () {
      const { name } = yield* SessionIdentity
      const history = yield* History
      const now = yield* monotonic
      yield* history.using(name)
      let log: SessionHistory | undefined
      let ran: ChildProgram | undefined
      let running: (Input & { readonly progress: Progress }) | undefined
      const latest: HistoryEntry[] = []
      let held = 0
      const scope = yield* Effect.scope
      const run = Effect.runForkWith(yield* Effect.context())

      /** The evaluations that ended before the history was open. */
      const early: ((log: SessionHistory) => void)[] = []

      const opening = Effect.forkIn(
        Effect.tap(history.of(name), (opened) =>
          Effect.sync(() => {
            log = opened
            for (const record of early.splice(0)) record(opened)
          }),
        ),
        scope,
        { startImmediately: true },
      )
      // The end of the session interrupts the reading, and not its callers: they wait for an answer.
      const open = Effect.flatMap(Effect.flatMap(opening, Fiber.await), (exit) =>
        Exit.hasInterrupts(exit) ? new SessionClosed({ session: name }) : exit,
      )

      const runBy = () =>
        ran === undefined ? {} : { engine: ran.engine.kind, ...(ran.prepared.build !== null && { build: ran.prepared.build.hash }) }

      const hold = (entry: HistoryEntry): void => {
        if (entry.effect === "none") return
        latest.push(entry)
        held += entry.code.length
        while (latest.length > mostLatest || held > mostCode) held -= latest.shift()!.code.length
      }

      return EvaluationRecorder.of({
        open,
        log: () => log,
        began: (program, request, progress) => {
          ran = program
          running = { at: progress.asked.at, ...inputOf(request), progress }
        },
        ended: ({ request, progress, by, exit, generation }) => {
          const { at, since } = progress.asked
          const answered = Exit.isSuccess(exit) ? exit.value : { ms: Math.round(now() - since), generation }
          const when = { ms: answered.ms, generation: answered.generation }
          const entry = { at, by, ...inputOf(request), ...outcomeOf(exit, progress), ...when, ...runBy() }
          const record = (opened: SessionHistory): void => hold(opened.record(entry))
          if (log !== undefined) return record(log)
          // An evaluation that never got the queue has not opened it.
          if (early.push(record) === 1) run(opening)
        },
        event: (event, generation) =>
          Effect.flatMap(open, (log) => {
            latest.length = held = 0
            return recordEvent(log, { event, generation })
          }),
        current: () => running && { code: running.code, number: running.progress.number + (running.args ?? 0) },
        inputs: (most, isRunning) => [...latest, ...(isRunning && running !== undefined ? [running] : [])].slice(-most),
        since: (evaluations) => {
          const entries = evaluations === 0 ? [] : latest.slice(-evaluations)
          return { codes: entries.flatMap((entry) => ranOf(entry) ?? []), left: evaluations - entries.length }
        },
      })
    }),
  )
}
