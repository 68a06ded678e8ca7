/**
 * One session's evaluations on their way into its history: whatever one comes to is in it afterwards, what runs now is known, and so are
 * the latest that ran, for who has to say what led to a crash.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { elapsedMs } from "../../elapsed.ts"
import { shortened } from "../../shortened.ts"
import { Caller } from "../Caller.ts"
import type { EvaluateRequest, Evaluation } from "../Evaluation.ts"
import type { Progress } from "../Progress.ts"
import { Self } from "../Self.ts"
import type { SessionError } from "../SessionError.ts"
import type { Program } from "../../child/Launcher.ts"
import { History, type SessionHistory } from "./History.ts"
import type { Entry } from "./HistoryLog.ts"
import { outcomeOf } from "./outcomeOf.ts"
import { ranOf } from "./ranOf.ts"

/** The latest that are held here: as many, and as many characters of code. */
const mostLatest = 200
const mostCode = 1024 * 1024

interface Input {
  readonly at: number
  readonly code: string
}

/** Its code; arguments are told in a comment, since they are gone when it has ended. */
const codeOf = ({ code, args = [] }: EvaluateRequest): string =>
  args.length === 0 ? code : `/ args ${shortened(args.map(({ name, text }) => `${name}:${text}`).join("; "))}\n${code}`

/** What an evaluation was, and what it came to. */
export interface Recorded {
  readonly request: EvaluateRequest
  readonly progress: Progress
  /** Who asked. */
  readonly by: string
  readonly exit: Exit.Exit<Evaluation, SessionError>
  /** Of the child that answers next. */
  readonly generation: number
}

export class Recording extends Context.Service<
  Recording,
  {
    /** Reads first what is there from before. */
    readonly open: Effect.Effect<SessionHistory>
    /** Undefined until it was opened. */
    readonly log: () => SessionHistory | undefined
    /** That program evaluates this now. */
    readonly began: (program: Program, request: EvaluateRequest, progress: Progress) => void
    readonly ended: (log: SessionHistory, recorded: Recorded) => void
    /** No evaluation changed the variables. */
    readonly event: (event: NonNullable<Entry["event"]>, generation: number) => Effect.Effect<void>
    /** What was begun last: its code, and the number of the statement it is at. */
    readonly current: () => { readonly code: string; readonly number: number } | undefined
    /** The latest inputs, oldest first; the current one is the last when `running`. */
    readonly inputs: (most: number, running: boolean) => readonly Input[]
    /** What ran in the latest so many evaluations, oldest first; `left`: those that are not held any more. */
    readonly since: (evaluations: number) => { readonly codes: readonly string[]; readonly left: number }
  }
>()("k3-mcp/session/Recording") {
  static readonly layer = Layer.effect(
    Recording,
    Effect.gen(function* () {
      const { name } = yield* Self
      const history = yield* History
      const clock = yield* Clock.Clock
      yield* history.using(name, yield* Effect.scope)
      let log: SessionHistory | undefined
      let ran: Program | undefined
      let running: (Input & { readonly progress: Progress }) | undefined
      const latest: Entry[] = []
      let held = 0

      const open = Effect.tap(history.of(name), (opened) => Effect.sync(() => (log = opened)))

      const runBy = () =>
        ran === undefined ? {} : { engine: ran.engine.kind, ...(ran.prepared.build !== null && { build: ran.prepared.build.hash }) }

      const hold = (entry: Entry): void => {
        if (entry.effect === "none") return
        latest.push(entry)
        held += entry.code.length
        while (latest.length > mostLatest || held > mostCode) held -= latest.shift()!.code.length
      }

      return Recording.of({
        open,
        log: () => log,
        began: (program, request, progress) => {
          ran = program
          running = { at: progress.asked.at, code: codeOf(request), progress }
        },
        ended: (log, { request, progress, by, exit, generation }) => {
          const { at, since } = progress.asked
          const answered = Exit.isSuccess(exit) ? exit.value : { ms: Math.round(elapsedMs(clock) - since), generation }
          const when = { ms: answered.ms, generation: answered.generation }
          hold(log.record({ at, by, code: codeOf(request), ...outcomeOf(exit, progress), ...when, ...runBy() }))
        },
        event: (event, generation) =>
          Effect.zipWith(open, Caller, (log, { name: by }) => {
            latest.length = held = 0
            log.record({ at: clock.currentTimeMillisUnsafe(), by, code: "", output: "", ok: true, ms: 0, generation, event })
          }),
        current: () => running && { code: running.code, number: running.progress.number },
        inputs: (most, isRunning) => [...latest, ...(isRunning && running !== undefined ? [running] : [])].slice(-most),
        since: (evaluations) => {
          const entries = evaluations === 0 ? [] : latest.slice(-evaluations)
          return { codes: entries.flatMap((entry) => ranOf(entry) ?? []), left: evaluations - entries.length }
        },
      })
    }),
  )
}
