/** `k_plot`: evaluates K code and draws its value; the reply has the picture and its figures in words. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { marks, mostPixels } from "../../plot/Picture.ts"
import { specProblem } from "../../plot/specProblem.ts"
import { Sessions } from "../../session/Sessions.ts"
import { Settings } from "../../Settings.ts"
import { drawing, usualHeight, usualWidth } from "../drawing.ts"
import { entryOf } from "../entryOf.ts"
import { badArguments } from "../render/Reply.ts"
import { inError, nothingToDraw } from "../render/plot.ts"
import { failure } from "../render/sessionFailure.ts"
import { make, objectField, positiveField, sessionField, sessionNamed, textField } from "../Tool.ts"

/** The most bytes of a value's image that is drawn: two columns of 10^7 floats. */
const mostImage = 170_000_000

const pixels = (usual: number) =>
  Schema.optionalKey(Schema.Int.annotate({ default: usual }).check(Schema.isBetween({ minimum: 100, maximum: mostPixels })))

export const kPlot = make({
  name: "k_plot",
  title: "Draw data",
  description:
    "Evaluate code and draw its value: a PNG, and its figures in words (least, greatest, mean, trend, outliers). A vector, two vectors (x;y), a matrix, (names;columns) or a dictionary of vectors; up to 10^7 numbers, 10^6 of K3CSharp.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: Schema.Struct({
    code: Schema.String.annotate({ description: "K3 source" }),
    mark: Schema.optionalKey(Schema.Literals(marks).annotate({ description: "default by shape" })),
    x: textField("a column; day:T as times, n:N as names"),
    y: textField(),
    color: textField(),
    title: textField(),
    spec: objectField("Vega-Lite without data, instead of mark, x, y, color"),
    width: pixels(usualWidth),
    height: pixels(usualHeight),
    timeout_ms: positiveField("default 30000"),
    ...sessionField,
  }),
  run: Effect.fnUntraced(function* ({ code, spec, width = usualWidth, height = usualHeight, timeout_ms, session: name, ...short }) {
    const { mark, x, y, color, title } = short
    const both = (["mark", "x", "y", "color"] as const).filter((key) => short[key] !== undefined)
    if (spec !== undefined && both.length > 0) return badArguments("k_plot", `${both.join(", ")}: spec says it all; give one or the other`)
    const problem = spec === undefined ? undefined : specProblem(spec)
    if (problem !== undefined) return badArguments("k_plot", problem)
    const session = yield* sessionNamed(name, timeout_ms)
    const { plots } = yield* Sessions
    yield* plots.begin
    const result = yield* Effect.result(session.evaluate({ code, timeoutMs: timeout_ms, value: { image: mostImage, quiet: true } }))
    if (Result.isFailure(result))
      return failure(result.failure, yield* Settings, { generation: (yield* session.status).generation, tool: "k_plot" })
    const evaluation = result.success
    const { error, value } = evaluation
    if (error !== undefined) return inError(evaluation, error, yield* entryOf(error))
    if (value === undefined) return nothingToDraw(evaluation, mostImage)
    return yield* drawing(session.name, evaluation, value, { mark, x, y, color, title, spec, width, height }, timeout_ms)
  }),
})
