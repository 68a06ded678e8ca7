/** Draws the value of an evaluation, and makes the reply with the picture. */
import * as Effect from "effect/Effect"
import type { PictureRequest } from "../plot/Picture.ts"
import type { AskedValue, Evaluation } from "../session/Evaluation.ts"
import { Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { notDrawn, plotted } from "./render/plot.ts"
import { addressOf } from "./resources/Resource.ts"
import { plotResource } from "./resources/plots.ts"

/** The time that drawing may take if the call gives none, ms. */
const usualMs = 30_000
export const usualWidth = 800
export const usualHeight = 500

/** `timeoutMs`: the deadline of the drawing, as the caller gave it. A picture that cannot be drawn is a reply that says why. */
export const drawing = Effect.fnUntraced(function* (
  session: string,
  evaluation: Evaluation,
  value: AskedValue,
  request: Omit<PictureRequest, "engine" | "width" | "height"> & Partial<PictureRequest>,
  timeoutMs: number = usualMs,
) {
  const { plots } = yield* Sessions
  const { evalTimeoutMax } = yield* Settings
  const whole = { width: usualWidth, height: usualHeight, ...request, engine: value.engine }
  return yield* plots.draw(session, value, whole, Math.min(timeoutMs, evalTimeoutMax)).pipe(
    Effect.map((picture) => plotted(evaluation, picture, addressOf(plotResource, { session, n: String(picture.n) }))),
    Effect.catchTag("NotDrawn", (error) => Effect.succeed(notDrawn(evaluation, error))),
  )
})
