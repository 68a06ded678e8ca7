/**
 * `k_output`: a page of a long output, or its lines that contain a text. For a background evaluation the reply also has the phase, and the
 * result when it has ended.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Announce } from "../../session/Announce.ts"
import type { PageRequest } from "../../session/output/pages.ts"
import { Sessions } from "../../session/Sessions.ts"
import { Settings } from "../../Settings.ts"
import { shortened } from "../../shortened.ts"
import { followed } from "../render/background.ts"
import { badArguments } from "../render/Reply.ts"
import * as render from "../render/output.ts"
import { make, nameField, positiveField, sessionField } from "../Tool.ts"

/** Waits at most `ms` until the evaluation has ended, or there is output: with `isPlace` at the place of the request, else more than now. */
const follow = Effect.fnUntraced(function* (handle: string, request: PageRequest, isPlace: boolean, ms: number) {
  const { outputs, backgrounds } = yield* Sessions
  const page = outputs.page(handle, request).pipe(Effect.catchTag("NoOutput", () => Effect.undefined))
  const before = yield* backgrounds.find(handle)
  const read = yield* page
  const isThere = isPlace && read !== undefined && read.text !== ""
  if (ms > 0 && before.phase !== "ended" && !isThere) {
    const tell = yield* Announce
    tell(`${handle} in session ${before.session}, ${shortened(before.code)}`)
    yield* backgrounds.wait(handle, before.bytes, ms)
  }
  return { of: yield* backgrounds.find(handle), page: yield* page }
})

export const kOutput = make({
  name: "k_output",
  title: "Page through long output",
  description:
    "Read on in a reply of k_eval that was cut, by its handle: a page from a line or byte, or the lines that hold a text. Of a background handle also whether it runs, and its result.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct({
    handle: nameField("such as o12 or e3"),
    from: Schema.optionalKey(Schema.Int.annotate({ description: "line (default 1) or byte (0); -20: the last 20" })),
    unit: Schema.optionalKey(Schema.Literals(["line", "byte"]).annotate({ default: "line" })),
    find: Schema.optionalKey(
      Schema.String.annotate({ description: "a text within a line" }).check(
        Schema.isPattern(/^[^\n]{1,1000}$/, { message: "give 1 to 1000 characters of one line" }),
      ),
    ),
    wait_ms: positiveField("of e3: wait for more, or its end"),
    ...sessionField,
  }),
  run: ({ handle, from, unit = "line", find, wait_ms }) =>
    Effect.gen(function* () {
      const { outputs, backgrounds } = yield* Sessions
      const settings = yield* Settings
      const { outputShown: shown } = settings
      const request = { from: from ?? (unit === "line" ? 1 : 0), unit, shown }
      const isBackground = /^e\d/.test(handle)
      if (isBackground && find === undefined) {
        const { of, page } = yield* follow(handle, request, from !== undefined, Math.min(wait_ms ?? 0, settings.evalTimeoutMax))
        return followed(of, page, settings)
      }
      if (find !== undefined && (unit === "byte" || wait_ms !== undefined))
        return badArguments("k_output", "find: gives whole lines of what there is; it goes without unit byte and wait_ms")
      if (find === undefined) return render.page(handle, yield* outputs.page(handle, request))
      // An evaluation that has printed nothing has no output yet, but its handle is known.
      if (isBackground && (yield* backgrounds.find(handle)).bytes === 0)
        return render.found(handle, find, { bytes: 0, gap: [0, 0], lines: [] })
      return render.found(handle, find, yield* outputs.find(handle, { text: find, from: from ?? 1, shown }))
    }),
})
