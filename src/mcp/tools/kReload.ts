/** `k_reload`: replaces the child by one from the build on disk; compiles the build first if asked to. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { limits } from "../../limits.ts"
import { Sessions } from "../../session/Sessions.ts"
import { tryExamples } from "../examples.ts"
import { Settings } from "../../Settings.ts"
import { badArguments } from "../render/Reply.ts"
import * as render from "../render/reload.ts"
import { flagField, make, sessionField, sessionNamed, positiveField, textField } from "../Tool.ts"

export const kReload = make({
  name: "k_reload",
  title: "Reload the interpreter",
  description:
    "After changing the interpreter: switch to the build on disk if it runs well. Variables are restored. build compiles first; errors change nothing. To clear variables use k_reset.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: Schema.Struct({
    build: flagField(false, "compile first"),
    check: Schema.optionalKey(
      Schema.Array(Schema.String)
        .annotate({ description: "K to compare on both builds" })
        .check(Schema.isMaxLength(limits.checks, { message: `at most ${limits.checks} checks are run in one call` })),
    ),
    changes: flagField(false, "name what changed"),
    check_file: textField("or a file of cases"),
    timeout_ms: positiveField("of each check; default K3_EVAL_TIMEOUT"),
    preserve_state: flagField(true),
    ...sessionField,
  }),
  run: ({ build, check, changes, check_file, timeout_ms, preserve_state = true, session: name }) =>
    Effect.gen(function* () {
      if (check !== undefined && check_file !== undefined) return badArguments("k_reload", "check and check_file: one of them, not both")
      if (changes === true && check === undefined)
        return badArguments("k_reload", "changes: tells what the code of check changes; give check with it")
      if (timeout_ms !== undefined && check === undefined && check_file === undefined)
        return badArguments("k_reload", "timeout_ms: the deadline of each check; give check or check_file with it")
      const settings = yield* Settings
      const session = yield* sessionNamed(name)
      const request = { preserveState: preserve_state, build, check, changes, checkFile: check_file, timeoutMs: timeout_ms }
      return yield* session.reload(request).pipe(
        Effect.flatMap((done) =>
          Effect.gen(function* () {
            const { definitions } = yield* Sessions
            const own = (yield* definitions.all).filter((each) => each.session === session.name)
            const tried = yield* Effect.orElseSucceed(tryExamples(own), () => undefined)
            return render.withExamples(render.reload(done), tried)
          }),
        ),
        Effect.catch((error) => Effect.map(session.status, (now) => render.notReloaded(error, now, settings))),
      )
    }),
})
