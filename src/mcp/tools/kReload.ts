/** `k_reload`: a new child from the build on disk. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import * as render from "../render/reload.ts"
import { defaultSession, make, sessionField } from "../Tool.ts"

export const kReload = make({
  name: "k_reload",
  title: "Reload the interpreter",
  description:
    "After a rebuild: launch the build on disk and switch to it if it is well, else the old one stays. Variables are given back. To only clear variables use k_reset.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: Schema.Struct({
    preserve_state: Schema.optionalKey(Schema.Boolean),
    ...sessionField,
  }),
  output: render.ReloadOutput,
  run: ({ preserve_state = true, session: name = defaultSession }) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const session = yield* sessions.get(name)
      return render.reload(yield* session.reload({ preserveState: preserve_state }))
    }),
})
