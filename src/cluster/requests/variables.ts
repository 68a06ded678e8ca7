/** Requests that only read the variables of a session. */
import * as Schema from "effect/Schema"
import type { ListedName, ListedValue, View } from "../../child/engines/Listing.ts"
import type { HeldNames, Inspection, Rows, RowsWanted } from "../../session/Session.ts"
import type { WorkspaceScript } from "../../session/variables/workspaceScript.ts"
import { inSession, read } from "./request.ts"
import { Engine, flag, list, losses, maybe, nullOr, number, orNone, pair, struct, text } from "./shapes.ts"

const nameFields = { name: text, type: number, kind: text, shape: text, preview: text }
const NameOf: Schema.Codec<ListedName> = struct(nameFields)
const DetailOf: Schema.Codec<ListedValue> = struct({
  ...nameFields,
  bytes: maybe(number),
  bytesAtLeast: maybe(number),
  tail: maybe(text),
  least: maybe(number),
  greatest: maybe(number),
  mean: maybe(number),
  distinct: maybe(number),
  nulls: maybe(number),
  sampled: maybe(number),
  function: maybe(
    struct({
      valence: number,
      parameters: list(text),
      locals: list(text),
      assigns: list(text),
      uses: list(text),
      touches: list(text),
      usedBy: list(text),
      text,
    }),
  ),
})

const inspected = {
  path: text,
  entries: list(NameOf),
  value: maybe(DetailOf),
  next: maybe(number),
  problem: maybe(text),
  others: maybe(list(text)),
  omitted: number,
  generation: number,
  ageMs: number,
  unknown: maybe(Schema.Literal(true)),
}
const InspectionOf: Schema.Codec<Inspection> = struct(inspected)
const FoundNames: Schema.Codec<Inspection & { readonly unread: number }> = struct({ ...inspected, unread: number })

const ViewOf: Schema.Codec<View> = struct({
  depth: orNone(number),
  slice: orNone(Schema.Union([struct({ range: pair }), struct({ index: list(Schema.Union([number, text])) })])),
  skip: orNone(number),
})

const RowsWantedOf: Schema.Codec<RowsWanted> = struct({ path: text, names: orNone(list(text)), from: number, count: number })
const RowsOf: Schema.Codec<Rows> = struct({ total: number, columns: list(text), cells: list(list(text)), isUnreadable: flag })

const HeldNamesOf: Schema.Codec<HeldNames, unknown> = struct({
  engine: Engine,
  names: Schema.ReadonlyMap(text, number),
  directory: text,
  ageMs: nullOr(number),
})

const ScriptOf: Schema.Codec<WorkspaceScript & { readonly missed: number }> = struct({
  text,
  variables: number,
  left: losses,
  missed: number,
})

export const variables = {
  Inspect: read(
    { path: text, view: maybe(ViewOf) },
    InspectionOf,
    inSession((session, { path, view }) => session.inspect(path, view)),
  ),
  Find: read(
    { text, skip: number },
    FoundNames,
    inSession((session, given) => session.find(given.text, given.skip)),
  ),
  Rows: read(
    { wanted: RowsWantedOf },
    Schema.Option(Schema.UndefinedOr(RowsOf)),
    inSession((session, { wanted }) => session.rows(wanted)),
  ),
  Names: read(
    {},
    HeldNamesOf,
    inSession((session) => session.names),
  ),
  Script: read(
    { most: number },
    ScriptOf,
    inSession((session, { most }) => session.script(most)),
  ),
}
