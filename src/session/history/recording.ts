/**
 * One session's evaluations on their way into its history: whatever one comes to is in it afterwards, what runs now is known, and so are
 * the latest that ran, for who has to say what led to a crash.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { since } from "../../elapsed.ts"
import type { Progress } from "../evaluate.ts"
import type { History, SessionHistory } from "./History.ts"
import type { Entry } from "./HistoryLog.ts"
import { outcomeOf } from "./outcomeOf.ts"
import { ranOf } from "./replay.ts"
import type { EvaluateRequest, Evaluation } from "../Evaluation.ts"
import type { SessionError } from "../SessionError.ts"
import type { Live } from "../state.ts"

/** The latest that are held here: as many, and as many characters of code. */
const mostLatest = 200
const mostCode = 1024 * 1024

interface Input {
  readonly at: number
  readonly code: string
}

export interface Recording {
  /** Undefined until it was asked for once: what is there from before is read first. */
  readonly log: () => SessionHistory | undefined
  readonly open: Effect.Effect<SessionHistory>
  /** The child that evaluates this now. */
  readonly on: (live: Live, request: EvaluateRequest, progress: Progress) => void
  /** What an evaluation came to, however it ended. */
  readonly ended: (log: SessionHistory, request: EvaluateRequest, progress: Progress, exit: Exit.Exit<Evaluation, SessionError>) => void
  /** No evaluation changed the variables. */
  readonly event: (event: NonNullable<Entry["event"]>) => Effect.Effect<void>
  /** What was begun last: its code, and the number of the statement it is at. */
  readonly current: () => { readonly code: string; readonly number: number } | undefined
  /** The latest inputs, oldest first; the current one is the last when `running`. */
  readonly inputs: (most: number, running: boolean) => readonly Input[]
  /** What ran in the latest so many evaluations, oldest first; `left`: those that are not held any more. */
  readonly since: (evaluations: number) => { readonly codes: readonly string[]; readonly left: number }
}

export const makeRecording = (session: string, history: History["Service"], clock: Clock.Clock, generation: () => number): Recording => {
  let log: SessionHistory | undefined
  let ran: Live | undefined
  let running: (Input & { readonly progress: Progress }) | undefined
  const latest: Entry[] = []
  let held = 0

  const open = Effect.tap(history.of(session), (opened) => Effect.sync(() => (log = opened)))

  const runBy = () =>
    ran === undefined ? {} : { engine: ran.engine.kind, ...(ran.prepared.build !== null && { build: ran.prepared.build.hash }) }

  const hold = (entry: Entry): void => {
    if (entry.effect === "none") return
    latest.push(entry)
    held += entry.code.length
    while (latest.length > mostLatest || held > mostCode) held -= latest.shift()!.code.length
  }

  return {
    on: (live, { code }, progress) => {
      ran = live
      running = { at: progress.at, code, progress }
    },
    log: () => log,
    open,
    ended: (log, { code }, progress, exit) => {
      const { at } = progress
      const { ms, generation: by } = Exit.isSuccess(exit)
        ? exit.value
        : { ms: since(at, clock.currentTimeMillisUnsafe()), generation: generation() }
      hold(log.record({ at, code, ...outcomeOf(exit, progress), ms, generation: by, ...runBy() }))
    },
    event: (event) =>
      Effect.gen(function* () {
        const log = yield* open
        latest.length = held = 0
        log.record({ at: clock.currentTimeMillisUnsafe(), code: "", output: "", ok: true, ms: 0, generation: generation(), event })
      }),
    current: () => running && { code: running.code, number: running.progress.number },
    inputs: (most, isRunning) => [...latest, ...(isRunning && running !== undefined ? [running] : [])].slice(-most),
    since: (evaluations) => {
      const entries = evaluations === 0 ? [] : latest.slice(-evaluations)
      return { codes: entries.flatMap((entry) => ranOf(entry) ?? []), left: evaluations - entries.length }
    },
  }
}
