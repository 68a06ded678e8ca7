/**
 * `k_view` and `k_rows`: the data of the views of a plot and of a variable, listed only for hosts that show views. The page calls `k_rows` as well.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Sessions } from "../session/Sessions.ts"
import { failed } from "./render/Reply.ts"
import { defaultSession, make, sessionField, sessionNamed, type Tool } from "./Tool.ts"

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const utf8 = new TextDecoder()

const kView = make({
  name: "k_view",
  title: "Rows of a plot",
  description:
    "For the view of a plot: the rows that it shows and which of them are x, y and color; null for one of an image, as a heatmap.",
  annotations,
  input: Schema.Struct({ plot: Schema.Int.annotate({ description: "number of the plot" }), ...sessionField }),
  run: ({ plot, session = defaultSession }) =>
    Effect.map(Sessions, ({ plots }) => {
      const found = plots.kept().find((each) => each.session === session && each.n === plot)
      if (found === undefined) return failed("plot", `There is no plot ${plot} of ${session}: the latest 64 are kept. Call k_plot again.`)
      const data: unknown = found.data.length === 0 ? null : JSON.parse(utf8.decode(found.data))
      return { text: `The rows of plot ${plot}, as fields.`, structured: { ok: true, data } }
    }),
})

const name = String.raw`[A-Za-z]\w*`
const mostRows = 200

const kRows = make({
  name: "k_rows",
  title: "Rows of a variable",
  description: "For the view of a variable: rows of an array, or of a dictionary of columns, each cell as K prints it. Never waits.",
  annotations,
  input: Schema.Struct({
    path: Schema.String.annotate({ description: "absolute, as k_inspect tells it" }).check(
      Schema.isPattern(new RegExp(`^(?:\\.${name})+$`)),
    ),
    columns: Schema.optionalKey(
      Schema.Array(Schema.String.check(Schema.isPattern(new RegExp(`^${name}$`))))
        .annotate({ description: "names of those of a dictionary" })
        .check(Schema.isMinLength(1), Schema.isMaxLength(100)),
    ),
    from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 })),
    count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: mostRows })),
    ...sessionField,
  }),
  run: ({ path, columns: names, from, count, session }) =>
    Effect.gen(function* () {
      const seen = yield* (yield* sessionNamed(session)).rows({ path, names, from, count })
      if (Option.isNone(seen))
        return failed(
          "busy",
          "An evaluation is running, or the interpreter was not there in time. Call k_rows again when k_status says ready.",
        )
      const { value } = seen
      if (value === undefined) return failed("path", `${path} is no array. Call k_inspect with it to see what it is.`)
      const { total, columns, cells, isUnreadable } = value
      if (isUnreadable)
        return failed(
          "size",
          `These rows of ${path} cannot be read: they are too large, a column is gone, or K3CSharp has letters beyond Latin-1 there. Call k_inspect with slice.`,
        )
      return { text: `Rows of ${path}, of ${total}, by column.`, structured: { ok: true, rows: total, columns, cells } }
    }),
})

export const viewTools: readonly Tool[] = [kRows, kView]
