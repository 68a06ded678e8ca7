/** `k_eval`: evaluates K code; the reply has the printed output. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { timed } from "../../elapsed.ts"
import { Sessions } from "../../session/Sessions.ts"
import { Settings } from "../../Settings.ts"
import { entryOf } from "../entryOf.ts"
import { slipsOf } from "../slipsOf.ts"
import { argumentsOf, imageFor } from "../../define/call.ts"
import { begun } from "../render/background.ts"
import { evaluation } from "../render/evaluation.ts"
import { badArguments } from "../render/Reply.ts"
import { failure } from "../render/sessionFailure.ts"
import { lastValue } from "../render/value.ts"
import { indent, paragraphs } from "../render/words.ts"
import { countField, flagField, make, objectField, positiveField, sessionField, sessionNamed } from "../Tool.ts"

const limitsOf = (steps: number | undefined, megabytes: number | undefined) =>
  steps === undefined && megabytes === undefined ? undefined : { steps, ...(megabytes !== undefined && { memory: megabytes * 2 ** 20 }) }

export const kEval = make({
  name: "k_eval",
  title: "Evaluate K",
  description:
    "Run K3 in a persistent session; returns what it printed. Lines run up to the first error. Variables stay between calls, and are restored after a deadline or crash. An error of K is ok:false. To look at variables use k_inspect.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: Schema.Struct({
    code: Schema.String.annotate({ description: "K3 source" }),
    timeout_ms: positiveField("deadline; default K3_EVAL_TIMEOUT, 30000"),
    steps: countField({ description: "items and calls it may take; default K3_STEPS, none" }),
    memory_mb: positiveField("it may hold beyond now; default K3_CHILD_MEMORY"),
    expect_generation: Schema.optionalKey(Schema.Int.annotate({ description: "refuse if relaunched since" })),
    rollback: flagField(false, "on error, deadline or crash undo it all"),
    changes: flagField(false, "name what changed"),
    dry_run: flagField(false, "in a copy: tell output and changes, keep nothing"),
    args: objectField("variables for this call alone, as JSON"),
    value: flagField(false, "add the last statement's value as JSON"),
    background: flagField(false, "return a handle at once; k_output follows it"),
    ...sessionField,
  }),
  // `Effect.fnUntraced` here instead of a generator per call: making one takes longer than running it.
  run: Effect.fnUntraced(function* ({
    code,
    timeout_ms,
    expect_generation,
    rollback,
    changes,
    dry_run,
    args,
    value,
    background,
    steps,
    memory_mb,
    session: name,
  }) {
    const [waited, bound] = yield* timed(Effect.result(argumentsOf(args ?? {})))
    if (Result.isFailure(bound)) return badArguments("k_eval", paragraphs("args", indent(paragraphs(...bound.failure))))
    // A call in the background returns at once, whatever the deadline of its evaluation.
    const session = yield* sessionNamed(name, background === true ? undefined : timeout_ms)
    const request = {
      code,
      timeoutMs: timeout_ms,
      expectGeneration: expect_generation,
      rollback,
      changes,
      dryRun: dry_run,
      limits: limitsOf(steps, memory_mb),
      ...(bound.success.length > 0 && { args: bound.success }),
      waited,
      ...(value === true && { value: { image: imageFor((yield* Settings).outputShown) } }),
    }
    if (background === true) return begun(yield* Effect.flatMap(Sessions, ({ backgrounds }) => backgrounds.begin(session.name, request)))
    const result = yield* Effect.result(session.evaluate(request))
    if (Result.isFailure(result)) return failure(result.failure, yield* Settings, { generation: (yield* session.status).generation })
    const { error } = result.success
    return evaluation(result.success, {
      entry: error === undefined ? undefined : yield* entryOf(error),
      slips: yield* slipsOf(code, result.success, session),
      ...(value === true && error === undefined && { value: lastValue(result.success, (yield* Settings).outputShown) }),
    })
  }),
})
