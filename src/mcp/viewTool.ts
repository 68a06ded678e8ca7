/** `k_view`: the rows that a plot shows, for its view alone. Listed for hosts that show views. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../session/Sessions.ts"
import { Failed, refused } from "./render/failure.ts"
import { defaultSession, make, sessionField } from "./Tool.ts"

const utf8 = new TextDecoder()

export const kView = make({
  name: "k_view",
  title: "Rows of a plot",
  description:
    "For the view of a plot: the rows that it shows and which of them are x, y and color; null for one of an image, as a heatmap.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct({ plot: Schema.Int.annotate({ description: "number of the plot" }), ...sessionField }),
  output: Schema.Struct({ ok: Schema.Boolean, data: Schema.optionalKey(Schema.Unknown), ...Failed }),
  run: ({ plot, session = defaultSession }) =>
    Effect.map(Sessions, ({ plots }) => {
      const found = plots.kept().find((each) => each.session === session && each.n === plot)
      if (found === undefined)
        return refused("plot", `There is no plot ${plot} of ${session} any more: the latest 64 are kept. Call k_plot again.`)
      const data: unknown = found.data.length === 0 ? null : JSON.parse(utf8.decode(found.data))
      return { text: `The rows of plot ${plot}, as fields.`, structured: { ok: true, data } }
    }),
})
