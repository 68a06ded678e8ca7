/** `k_compare`: the same code on two engines, builds or sessions. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import type { CompareRequest } from "../../session/builds/sides.ts"
import * as render from "../render/compare.ts"
import { defaultSession, make, sessionField } from "../Tool.ts"

export const kCompare = make({
  name: "k_compare",
  title: "Compare two interpreters",
  description:
    "Run the same K on two sides and show which prints differ, with times. A side: embedded, k3csharp, running (this session's build), disk (the build on disk), or a session's name. The code changes only a session that is named; the others run in scratch interpreters, with this session's variables.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: Schema.Struct({
    between: Schema.Array(Schema.String).check(Schema.isMinLength(2), Schema.isMaxLength(2)),
    code: Schema.optionalKey(Schema.String),
    file: Schema.optionalKey(Schema.String.annotate({ description: "or cases, as JSON lines or k3 --test text" })),
    timeout_ms: Schema.optionalKey(
      Schema.Finite.annotate({ description: "of each statement; default K3_EVAL_TIMEOUT" }).check(Schema.isGreaterThan(0)),
    ),
    changes: Schema.optionalKey(Schema.Boolean.annotate({ description: "name what changed on each side" })),
    ...sessionField,
  }),
  output: render.CompareOutput,
  run: ({ between, code, file, timeout_ms, changes, session = defaultSession }) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const request: CompareRequest = { between: [between[0]!, between[1]!], code, file, session, timeoutMs: timeout_ms, changes }
      return yield* sessions.compare(request).pipe(
        Effect.map((done) => render.compared(done, request)),
        Effect.catchTag(["NotComparable", "BadCaseFile"], (error) => Effect.succeed(render.notCompared(error, request))),
      )
    }),
})
