/** The reply of `k_reset`. */
import * as Schema from "effect/Schema"
import type { Reply } from "../Reply.ts"
import { Failed } from "./failure.ts"

export const ResetOutput = Schema.Struct({
  ok: Schema.Boolean,
  sessions: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, how: Schema.String, generation: Schema.Finite }))),
  ...Failed,
})

export const reset = (
  done: readonly { readonly name: string; readonly how: "cleared" | "relaunched"; readonly generation: number }[],
): Reply<typeof ResetOutput.Type> => ({
  text:
    done.length === 0
      ? "No session is open."
      : done.map(({ name, how, generation }) => `Session ${name} is clean (${how}, generation ${generation}).`).join("\n"),
  structured: { ok: true, sessions: done },
})
