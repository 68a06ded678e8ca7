/** `k_compare`: the same code on two engines, builds or sessions. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import type { CompareRequest } from "../../session/builds/sides.ts"
import * as render from "../render/compare.ts"
import { badArguments } from "../render/failure.ts"
import { defaultSession, flagField, make, sessionField } from "../Tool.ts"

export const kCompare = make({
  name: "k_compare",
  title: "Compare two interpreters",
  description:
    "Run the same K on two sides: which prints differ, and times. Without between: how a script's definitions differ from the session's. A side: embedded, k3csharp, running (this session's build), disk, or a session's name. A session that is named keeps what the code does; the others are scratch interpreters with this session's variables.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: Schema.Struct({
    between: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMinLength(2), Schema.isMaxLength(2))),
    code: Schema.optionalKey(Schema.String),
    file: Schema.optionalKey(Schema.String.annotate({ description: "or a file of cases, a script without between" })),
    timeout_ms: Schema.optionalKey(
      Schema.Finite.annotate({ description: "of each; default K3_EVAL_TIMEOUT" }).check(Schema.isGreaterThan(0)),
    ),
    changes: flagField(false, "name what changed"),
    ...sessionField,
  }),
  output: render.CompareOutput,
  run: ({ between, code, file, timeout_ms, changes, session = defaultSession }) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      if (between === undefined) {
        if (file === undefined || code !== undefined || changes === true)
          return badArguments(
            "k_compare",
            "between: two sides to run code or cases on; without it file alone, a K script, is compared with the session",
          )
        return render.drifted(file, session, yield* sessions.drift({ file, session, timeoutMs: timeout_ms }))
      }
      const request: CompareRequest = { between: [between[0]!, between[1]!], code, file, session, timeoutMs: timeout_ms, changes }
      return yield* sessions.compare(request).pipe(
        Effect.map((done) => render.compared(done, request)),
        Effect.catchTag(["NotComparable", "BadCaseFile"], (error) => Effect.succeed(render.notCompared(error, request))),
      )
    }),
})
