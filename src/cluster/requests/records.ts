/** Requests for the history of a session and for long outputs. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { HistoryEntry, type HistoryPage } from "../../session/history/HistoryLog.ts"
import type { Find, FoundLines, Page, PageRequest } from "../../session/output/pages.ts"
import { read } from "./request.ts"
import { list, maybe, number, oneOf, orNone, pair, struct, text } from "./shapes.ts"

const HistoryPageOf: Schema.Codec<HistoryPage> = struct({ entries: list(HistoryEntry), cursor: maybe(number), damaged: number })

const unit = oneOf(["line", "byte"])
const PageRequestOf: Schema.Codec<PageRequest> = struct({ from: number, unit, shown: number })
const PageOf: Schema.Codec<Page> = struct({
  bytes: number,
  gap: pair,
  span: pair,
  line: maybe(number),
  text,
  next: maybe(struct({ from: number, unit })),
})
const FindOf: Schema.Codec<Find> = struct({ text, from: number, shown: number })
const FoundOf: Schema.Codec<FoundLines> = struct({
  bytes: number,
  gap: pair,
  lines: list(struct({ line: number, text })),
  next: maybe(number),
})

export const records = {
  HistoryEnds: read({}, struct({ first: number, last: number, epoch: maybe(number) }), ({ here, name, owner: { epoch } }) =>
    Effect.map(here.history.of(name), ({ first, last }) => ({ first, last, epoch })),
  ),
  HistoryPage: read(
    { before: maybe(number), from: maybe(number), limit: number, text: orNone(text) },
    HistoryPageOf,
    ({ here, name }, request) => Effect.flatMap(here.history.of(name), ({ page }) => page(request)),
  ),
  OutputPage: read({ handle: text, request: PageRequestOf }, PageOf, ({ here }, { handle, request }) => here.outputs.page(handle, request)),
  OutputFind: read({ handle: text, request: FindOf }, FoundOf, ({ here }, { handle, request }) => here.outputs.find(handle, request)),
}
