/** `k_inspect`: the names below a path of the K tree, or one value. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import * as render from "../render/inspection.ts"
import { defaultSession, make, sessionField } from "../Tool.ts"

export const kInspect = make({
  name: "k_inspect",
  title: "Look at variables",
  description: "List the names below a path of the K tree with kind, shape and a preview. Never waits for a running evaluation.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct({
    path: Schema.optionalKey(Schema.String.annotate({ description: "such as .k.d or x; default . (current directory)" })),
    ...sessionField,
  }),
  output: render.InspectionOutput,
  run: ({ path = ".", session: name = defaultSession }) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const session = yield* sessions.get(name)
      return render.inspection(yield* session.inspect(path))
    }),
})
