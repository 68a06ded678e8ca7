/** Inspects the K tree of the embedded engine by side requests. No K is evaluated; `src/k3/tree/look.ts` gives the cost. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Child, ChildEnded } from "../Child.ts"
import { sideRequest } from "./ownRequests.ts"
import { factsOf } from "./functionText.ts"
import { impactOf } from "./impact.ts"
import { kindOf, noValue } from "./kinds.ts"
import { leafOf, type ListedName, type Listing, listingOf, mostDepth, mostEntries, nameBelow, type View } from "./Listing.ts"

const number = Schema.optionalKey(Schema.Finite)
/** A name in the answer to a side request. */
export const Name = { name: Schema.String, type: Schema.Finite, count: Schema.Finite, preview: Schema.String }
const Found = Schema.Struct({
  entries: Schema.Array(Schema.Struct(Name)),
  total: Schema.Finite,
  absent: Schema.optionalKey(Schema.Boolean),
  value: Schema.optionalKey(
    Schema.Struct({
      ...Name,
      bytes: number,
      bytesAtLeast: number,
      tail: Schema.optionalKey(Schema.String),
      least: number,
      greatest: number,
      mean: number,
      distinct: number,
      nulls: number,
      sampled: number,
      text: Schema.optionalKey(Schema.String),
    }),
  ),
})
const decodeFound = Schema.decodeUnknownOption(Schema.fromJsonString(Found))
const decodeFunctions = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ path: Schema.String, text: Schema.String }))),
)
const decodeProblem = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ error: Schema.String })))

const entryOf = ({ name, type, count, preview }: { readonly [K in keyof typeof Name]: (typeof Name)[K]["Type"] }): ListedName => ({
  name,
  type,
  kind: kindOf(type),
  shape: type <= 0 ? String(count) : "",
  preview,
})

/** `full` is an absolute path. */
export const inspectTree = Effect.fnUntraced(function* (child: Child, full: string, view: View): Effect.fn.Return<Listing, ChildEnded> {
  const { depth = 1, slice, skip = 0 } = view
  const request = { path: full, depth: Math.min(depth, mostDepth), skip, most: mostEntries, ...slice }
  const answer = yield* sideRequest(child, { op: "look", view: request })
  const found = Option.getOrUndefined(decodeFound(answer))
  if (found === undefined)
    return {
      path: full,
      entries: [],
      omitted: 0,
      problem: Option.match(decodeProblem(answer), { onNone: () => "it could not be looked at", onSome: ({ error }) => error }),
    }
  const entries = found.entries.map((each) => entryOf({ ...each, name: nameBelow(full, each.name) }))
  const listing = listingOf(full, entries, found.total, skip)
  if (found.value === undefined) return found.absent === true ? { ...listing, value: noValue(leafOf(full)) } : listing
  const { name: _, type, count: __, preview: ___, text, ...detail } = found.value
  const value = { ...entryOf({ ...found.value, name: leafOf(full) }), ...detail }
  if (type !== 7 || text === undefined || slice !== undefined) return { ...listing, value }
  const functions = Option.getOrElse(decodeFunctions(yield* sideRequest(child, { op: "functions" })), () => [])
  return { ...listing, value: { ...value, function: { ...factsOf(text), text, ...impactOf(full, text, functions) } } }
})
