/** An evaluation that holds the queue: its child and statements, how they run, and the reply made of their result. */
import * as Effect from "effect/Effect"
import type { Difference } from "../child/Contents.ts"
import type { KFailure, EvaluationLimits } from "../child/engines/Engine.ts"
import { monotonic } from "../elapsed.ts"
import type { Statement } from "../k3/text/statements.ts"
import { Settings } from "../Settings.ts"
import { spanned, Telemetry } from "../Telemetry.ts"
import { shortened } from "../shortened.ts"
import type { Call } from "./Call.ts"
import type { Evaluation } from "./Evaluation.ts"
import type { RunOptions } from "./runStatements.ts"
import type { Live } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"

export interface Run extends Call {
  readonly live: Live
  readonly list: readonly Statement[]
}

/** Characters of a statement in a telemetry span. */
const mostInSpan = 2000

const assignsFunction = /^[^{"]*:\s*\{/

/** Makes the options of `runStatements` for a run. */
export const makeOptionsOf = Effect.gen(function* () {
  const settings = yield* Settings
  const { send } = yield* Supervisor
  const now = yield* monotonic
  const telemetry = yield* Telemetry

  const limitsOf = (
    { steps = settings.steps ?? undefined, memory }: EvaluationLimits = {},
    ofValue?: number,
  ): EvaluationLimits | undefined =>
    steps === undefined && memory === undefined && ofValue === undefined ? undefined : { steps, memory: memory ?? ofValue }

  return ({ live, request: { value, limits, rollback, dryRun }, progress, list }: Run): RunOptions => ({
    child: live.child,
    engine: live.engine,
    output: progress.output,
    around:
      telemetry &&
      ((ask, { source }, index) => {
        const attributes = {
          "k3.statement.number": index + 1,
          ...(telemetry.code && { "k3.statement.code": shortened(source, mostInSpan) }),
        }
        return spanned(telemetry, "statement", ask, { kind: "client", attributes })
      }),
    onBegin: (statement, index) => {
      progress.number = index + 1
      progress.isInternal = false
      progress.statement = statement.source
      if (dryRun === true) return
      const nth = [index + 1, list.length] as const
      send({ _tag: "Begun", working: { live, statement: statement.source, nth, since: now() } })
    },
    onRead: (statement, { output, silent, failure }) => {
      const { notes, source, wire } = statement
      const isNil = live.engine.emptyIsNil || (output === "" && !assignsFunction.test(wire))
      for (const { line } of notes) if (isNil) progress.notices.push({ kind: "brace", line })
      if (silent) progress.notices.push({ kind: "silent", statement: shortened(source) })
      if (failure !== undefined || dryRun === true) return
      live.tracker.onStatement(wire)
      if (rollback === true) progress.ran.push(statement)
      else send({ _tag: "Ran", statement })
    },
    image: value?.image,
    quiet: value?.quiet,
    limits: live.engine.limits ? limitsOf(limits, value?.memory) : undefined,
    onValue: (image) => {
      progress.value = { image, engine: live.engine.kind }
    },
  })
})

interface End {
  /** The error of statement `progress.number`, the last one that ran. */
  readonly error: KFailure | undefined
  readonly generation: number
  readonly ms: number
  readonly changes?: readonly Difference[] | null | undefined
}

export const evaluationOf = ({ live, progress, list }: Run, { error, generation, ms, changes }: End): Evaluation => {
  const { output, notices, number, value } = progress
  const { text, truncated } = output
  return {
    ok: error === undefined,
    engine: live.engine.kind,
    output: text,
    ...(truncated !== undefined && { truncated }),
    ...(error !== undefined && { error, failedStatement: number }),
    statements: list.length,
    generation,
    ms,
    notices,
    ...(changes !== undefined && { changes }),
    ...(value !== undefined && { value: { ...value, at: progress.asked.at } }),
  }
}
