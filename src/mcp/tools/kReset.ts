/** `k_reset`: removes every variable of a session, or of all sessions. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import * as render from "../render/reset.ts"
import { defaultSession, flagField, make, sessionField, sessionNamed } from "../Tool.ts"

export const kReset = make({
  name: "k_reset",
  title: "Clear a session",
  description: "Remove every variable of a session; relaunches if need be. After repeated crashes use k_reload, which keeps the variables.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct({ all: flagField(false, "every session"), ...sessionField }),
  run: ({ all = false, session: name = defaultSession }) =>
    Effect.gen(function* () {
      if (all) return render.resetAll(yield* (yield* Sessions).resetAll)
      return render.reset({ name, ...(yield* (yield* sessionNamed(name)).reset) })
    }),
})
