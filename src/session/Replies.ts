/**
 * What an evaluation that came to its end is told to its caller: what the statements printed, and beside it what the caller should know.
 *
 * Guarantees: that the variables are not those of the evaluation before is said first, and once; trouble with the state folder is said once.
 * A healthy reply, which most are, costs one object.
 */
import type * as Clock from "effect/Clock"
import { tookMs } from "../elapsed.ts"
import type { Persistence } from "./variables/Persistence.ts"
import type { Store } from "../store/Store.ts"
import type { Progress } from "./evaluate.ts"
import type { Lifecycle } from "./Lifecycle.ts"
import type { EvaluateRequest, Evaluation } from "./Evaluation.ts"
import type { KFailure } from "../child/engines/Engine.ts"
import type { Live } from "./state.ts"
import type { Keeper } from "./variables/Keeper.ts"
import type { Difference } from "../child/Contents.ts"

interface Parts {
  readonly life: Lifecycle
  readonly keeper: Keeper
  readonly clock: Clock.Clock
  readonly persistence: Persistence
  readonly store: Store["Service"]
}

/** What the statements came to. */
export interface Outcome {
  /** Of the last one that ran, which is number `progress.number`. */
  readonly error: KFailure | undefined
  /** The child that answers from now on. */
  readonly now: Live
  /** When they were asked for; null when they could not be told in time. */
  readonly changes?: readonly Difference[] | null
}

export class Replies {
  /** How many there were. */
  count = 0

  constructor(private readonly parts: Parts) {}

  /** `statements`: how many there are in the code; `began`: when the first was sent, ns. */
  make(
    request: EvaluateRequest,
    progress: Progress,
    statements: number,
    { error, now: { generation }, changes }: Outcome,
    began: bigint,
  ): Evaluation {
    const { clock, store } = this.parts
    const ms = tookMs(clock, began)
    this.count++
    this.addNews(progress, generation)
    for (const sentence of store.takeTrouble()) progress.notices.push({ kind: "disk", sentence })
    const { output, notices, number, value } = progress
    const { text, truncated } = output
    const ok = error === undefined
    const isPlain = ok && truncated === undefined && changes === undefined && value === undefined
    if (isPlain) return { ok, output: text, statements, generation, ms, notices }
    return {
      ok,
      output: text,
      ...(truncated !== undefined && { truncated }),
      ...(error !== undefined && { error, failedStatement: number }),
      statements,
      generation,
      ms,
      notices,
      ...(changes !== undefined && { changes }),
      ...(error !== undefined && request.rollback === true && { rolledBack: true as const }),
      ...(value !== undefined && { value }),
    }
  }

  /** Why the variables are not those of the evaluation before. */
  private addNews(progress: Progress, generation: number): void {
    const { life, keeper, persistence } = this.parts
    const { why: earlier, ...age } = persistence.takeNews() ?? {}
    const why = life.takeNews() ?? earlier
    const given = keeper.takeGivenBack()
    if (why === undefined) return
    progress.notices.unshift(
      given === undefined ? { kind: "fresh", generation, why } : { kind: "restored", generation, why, ...age, ...given },
    )
  }
}
