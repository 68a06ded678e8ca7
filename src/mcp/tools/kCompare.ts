/** `k_compare`: runs the same code on two engines, builds or sessions, or compares a script with a session. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import type { CompareRequest } from "../../session/builds/sides.ts"
import { tryExamples, type Where } from "../examples.ts"
import * as render from "../render/compare.ts"
import { badArguments } from "../render/Reply.ts"
import { defaultSession, flagField, make, positiveField, sessionField, textField } from "../Tool.ts"

/** Where examples run for a side: in a fork of the tools' own session, or of the session that the side names. */
const whereOf = (side: string): Where =>
  side === "embedded" || side === "k3csharp" ? { engine: side } : side === "disk" ? {} : { session: side.replace(/^session:/, "") }

/** The error for another number of sides. */
const two = { message: "give two sides" }

export const kCompare = make({
  name: "k_compare",
  title: "Compare two interpreters",
  description:
    "Run the same K on two sides: which prints differ, and times. Without between: a script's drift from the session. A side: embedded, k3csharp, running (this session's build), disk, or a session's name. A session that is named keeps what the code does; the others are scratch interpreters with this session's variables.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: Schema.Struct({
    between: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMinLength(2, two), Schema.isMaxLength(2, two))),
    code: textField(),
    file: textField("cases; or, without between, a script. Neither code nor file: examples of tools"),
    timeout_ms: positiveField("of each; default K3_EVAL_TIMEOUT"),
    changes: flagField(false, "name what changed"),
    ...sessionField,
  }),
  run: ({ between, code, file, timeout_ms, changes, session = defaultSession }) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      if (between === undefined) {
        if (file === undefined || code !== undefined || changes === true)
          return badArguments(
            "k_compare",
            "between: missing; the two sides that run the code or cases. Without it give file alone, a K script to compare with the session",
          )
        return render.drifted(file, session, yield* sessions.drift({ file, session, timeoutMs: timeout_ms }))
      }
      if (code === undefined && file === undefined) {
        const own = (yield* sessions.definitions.all).filter((each) => each.session === session && (each.examples ?? []).length > 0)
        if (own.length > 0) {
          if (between.includes("running"))
            return badArguments(
              "k_compare",
              "running: examples of tools run on embedded, k3csharp, disk or a session; give code for the running build",
            )
          if (changes === true || timeout_ms !== undefined)
            return badArguments("k_compare", "changes and timeout_ms: go with code or file; without them the examples of tools run")
          return render.examplesCompared(between, yield* Effect.forEach(between, (side) => tryExamples(own, whereOf(side))))
        }
      }
      const request: CompareRequest = { between: [between[0]!, between[1]!], code, file, session, timeoutMs: timeout_ms, changes }
      return yield* sessions.compare(request).pipe(
        Effect.map((done) => render.compared(done, request)),
        Effect.catchTag(["NotComparable", "BadCaseFile"], (error) => Effect.succeed(render.notCompared(error, request))),
      )
    }),
})
