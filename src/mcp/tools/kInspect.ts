/** `k_inspect`: shows the names below a path of the K tree, or one value, or searches names and texts. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Slice } from "../../child/engines/Listing.ts"
import type { Inspection } from "../../session/Session.ts"
import { badArguments } from "../render/Reply.ts"
import * as render from "../render/inspection.ts"
import { plural } from "../render/words.ts"
import { placesIn, sliceOf } from "../slice.ts"
import { countField, make, sessionField, sessionNamed, textField } from "../Tool.ts"

/** The sentence for a slice behind the last item of a list; undefined for any other. */
const behind = ({ value, problem, unknown }: Inspection, slice: Slice | undefined): string | undefined => {
  if (value === undefined || value.type > 0 || problem !== undefined || unknown === true || slice === undefined || !("range" in slice))
    return undefined
  const n = Number(value.shape)
  return slice.range[0] < n ? undefined : `it has ${plural(n, "item")}`
}

/** The kind of the value at the path, when there is one that is no list. */
const itemless = ({ value, problem, unknown }: Inspection): string | undefined => {
  const { type, kind } = value ?? { type: 5, kind: "dictionary" }
  return problem !== undefined || unknown === true || kind === "no value" || type <= 0 ? undefined : kind
}

export const kInspect = make({
  name: "k_inspect",
  title: "Look at variables",
  description:
    "Names below a path of the K tree with kind, shape and preview; of an array ends and figures; of a function text, uses and used by. find searches names and texts. Never waits.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct({
    path: textField(".k.d or x; . is the root; default the current directory"),
    depth: countField({ description: "levels", default: 1 }),
    slice: textField('"10 20": items 10 to 19; "[2;`a]": an index'),
    find: Schema.optionalKey(
      Schema.String.annotate({ description: "in the whole tree" }).check(
        Schema.isMinLength(1, { message: "give a text, of one character or more" }),
      ),
    ),
    cursor: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d{1,9}$/, { message: "give the cursor of the last reply" }))),
    ...sessionField,
  }),
  run: ({ path = "", depth, slice, find, cursor, session: name }) =>
    Effect.gen(function* () {
      const skip = cursor === undefined ? undefined : Number(cursor)
      if (find !== undefined) {
        if (path !== "" || slice !== undefined || depth !== undefined)
          return badArguments("k_inspect", "find: searches the whole tree; it goes without path, depth and slice")
        return render.found(find, yield* (yield* sessionNamed(name)).find(find, skip))
      }
      const part = slice === undefined ? undefined : sliceOf(slice)
      if (slice !== undefined && part === undefined)
        return badArguments("k_inspect", `slice ${JSON.stringify(slice)} is neither "10 20" (from, to) nor "[2;\`a]" (an index)`)
      if (part !== undefined && "range" in part && part.range[0] >= part.range[1])
        return badArguments("k_inspect", `slice ${JSON.stringify(slice)} has no item: "10 20" gives the items from 10 to 19`)
      const session = yield* sessionNamed(name)
      const item = part === undefined ? placesIn(path) : undefined
      const view = {
        ...(depth !== undefined && { depth }),
        ...((item !== undefined || part !== undefined) && { slice: item?.slice ?? part }),
        ...(skip !== undefined && { skip }),
      }
      const seen = yield* session.inspect(item?.path ?? path, view)
      const kind = part !== undefined && "range" in part ? itemless(seen) : undefined
      if (kind !== undefined)
        return badArguments("k_inspect", `slice ${JSON.stringify(slice)} gives items of a list, and ${seen.path} is no list (${kind})`)
      const problem = behind(seen, part)
      return render.inspection(problem === undefined ? seen : { ...seen, problem }, skip)
    }),
})
