/** `k_validate`: finds errors and likely slips in code without running it. The language is loaded at the first call. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { limits } from "../../limits.ts"
import { loadHelp } from "../loadHelp.ts"
import * as render from "../render/validation.ts"
import { flagField, make, sessionField, sessionNamed } from "../Tool.ts"

const load = Effect.promise(() => loadHelp(async ({ inSteps, validation }) => ({ inSteps, ...(await validation()) })))

export const kValidate = make({
  name: "k_validate",
  title: "Check K without running it",
  description:
    "Check K3 without running it: syntax, unknown names, usual traps and what to write instead, with line and caret. Never waits. Worth it before long or costly code; else k_eval.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct({
    code: Schema.String.annotate({ description: "K3 source" }).check(
      Schema.isMaxLength(limits.validated, { message: `at most ${limits.validated} characters are checked; give a part of it` }),
    ),
    tree: flagField(false, "show how K reads it"),
    ...sessionField,
  }),
  run: ({ code, tree, session: name }) =>
    Effect.gen(function* () {
      const { names } = yield* sessionNamed(name)
      const held = yield* names
      const { inSteps, reading, validating, differencesIn, isTrueThere } = yield* load
      const issues = yield* Effect.promise(() => inSteps(validating(code, held)))
      const read = tree === true ? yield* Effect.promise(() => inSteps(reading(code))) : undefined
      if (held.engine === "embedded") return render.validation(issues, [], held, read)
      return render.validation(
        issues.filter((each) => isTrueThere(each.code)),
        differencesIn(code),
        held,
        read,
      )
    }),
})
