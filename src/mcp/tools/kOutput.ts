/** `k_output`: pages of a reply that was too long to be shown whole, or its lines that hold a text. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import { Settings } from "../../Settings.ts"
import * as render from "../render/output.ts"
import { make, nameField, sessionField } from "../Tool.ts"

export const kOutput = make({
  name: "k_output",
  title: "Page through long output",
  description: "Read on in a reply of k_eval that was cut, by its handle: a page from a line or byte, or the lines that hold a text.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct({
    handle: nameField("such as o12"),
    from: Schema.optionalKey(Schema.Int.annotate({ description: "line (default 1) or byte (0); -20: the last 20" })),
    unit: Schema.optionalKey(Schema.Literals(["line", "byte"]).annotate({ default: "line" })),
    find: Schema.optionalKey(Schema.String.annotate({ description: "a text within a line" }).check(Schema.isPattern(/^[^\n]{1,1000}$/))),
    ...sessionField,
  }),
  output: render.PageOutput,
  run: ({ handle, from, unit = "line", find }) =>
    Effect.gen(function* () {
      const { outputs } = yield* Sessions
      const { outputShown: shown } = yield* Settings
      if (find === undefined)
        return render.page(handle, yield* outputs.page(handle, { from: from ?? (unit === "line" ? 1 : 0), unit, shown }))
      return render.found(handle, find, yield* outputs.find(handle, { text: find, from: from ?? 1, shown }))
    }),
})
