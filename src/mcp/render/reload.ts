/** The reply of `k_reload`. */
import * as Schema from "effect/Schema"
import type { Reloaded } from "../../session/Session.ts"
import type { Reply } from "../Reply.ts"
import { Failed } from "./failure.ts"
import { LostOutput, lostLine, lostOutput, missed } from "./variables.ts"
import { duration, paragraphs, plural, roundMs } from "./words.ts"

export const ReloadOutput = Schema.Struct({
  ok: Schema.Boolean,
  generation: Schema.optionalKey(Schema.Finite),
  old_hash: Schema.optionalKey(Schema.String),
  new_hash: Schema.optionalKey(Schema.String),
  ms: Schema.optionalKey(Schema.Finite),
  restored: Schema.optionalKey(Schema.Finite),
  lost: LostOutput,
  notice: Schema.optionalKey(Schema.String),
  ...Failed,
})

export const reload = (done: Reloaded): Reply<typeof ReloadOutput.Type> => {
  const same = done.oldHash !== null && done.oldHash === done.newHash
  const given = done.givenBack
  const state =
    given === null
      ? "Variables are gone, as asked."
      : paragraphs(
          `${plural(given.restored, "variable")} ${given.restored === 1 ? "was" : "were"} given back.${missed(given.missed)}`,
          lostLine(given.lost),
        )
  const notice = same ? `The build on disk is the one that ran before. ${state}` : state
  return {
    text: `Generation ${done.generation} runs build ${done.newHash ?? "unknown"} (before: ${done.oldHash ?? "none"}), after ${duration(done.ms)}. ${notice}`,
    structured: {
      ok: true,
      generation: done.generation,
      ...(done.oldHash !== null && { old_hash: done.oldHash }),
      ...(done.newHash !== null && { new_hash: done.newHash }),
      ms: roundMs(done.ms),
      ...(given !== null && { restored: given.restored, ...lostOutput(given.lost) }),
      notice,
    },
  }
}
