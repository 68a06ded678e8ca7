/**
 * Comparisons of two sides, comparisons with a file, and reloads, on the machine that has the session. That machine asks the owners of the other
 * sessions that are sides.
 */
import * as Schema from "effect/Schema"
import type { Drift, DriftRequest } from "../../session/builds/drift.ts"
import type { ComparedSides, CompareRequest } from "../../session/builds/sides.ts"
import type { Reloaded, ReloadRequest } from "../../session/Session.ts"
import { NoticeOf } from "./evaluations.ts"
import { change, inSession } from "./request.ts"
import {
  comparisonFields,
  ComparisonOf,
  DifferenceOf,
  Engine,
  flag,
  list,
  losses,
  maybe,
  nullOr,
  number,
  orNone,
  OutcomeOf,
  struct,
  text,
} from "./shapes.ts"

const CompareRequestOf: Schema.Codec<CompareRequest> = struct({
  between: Schema.Tuple([text, text]),
  code: orNone(text),
  file: orNone(text),
  session: text,
  timeoutMs: orNone(number),
  changes: orNone(flag),
})
const ComparedOf: Schema.Codec<ComparedSides> = struct({ ...comparisonFields, began: maybe(number), notices: maybe(list(NoticeOf)) })

const DriftRequestOf: Schema.Codec<DriftRequest> = struct({ file: text, session: text, timeoutMs: orNone(number) })
const DriftOf: Schema.Codec<Drift> = struct({
  differing: list(DifferenceOf),
  unsure: list(DifferenceOf),
  same: number,
  ageMs: maybe(nullOr(number)),
  ended: OutcomeOf,
  isKnown: flag,
})

const ReloadRequestOf: Schema.Codec<ReloadRequest> = struct({
  preserveState: flag,
  build: orNone(flag),
  check: orNone(list(text)),
  changes: orNone(flag),
  checkFile: orNone(text),
  timeoutMs: orNone(number),
})
const ReloadedOf: Schema.Codec<Reloaded> = struct({
  engine: Engine,
  oldHash: nullOr(text),
  newHash: nullOr(text),
  generation: number,
  ms: number,
  variables: nullOr(struct({ restored: number, lost: losses, missed: number })),
  built: maybe(struct({ ms: number, warningCount: number })),
  check: maybe(nullOr(ComparisonOf)),
})

export const comparisons = {
  Compare: change(
    { request: CompareRequestOf },
    ComparedOf,
    ({ request }) => `the comparison of ${request.between.join(" and ")}`,
    ({ here }, { request }) => here.compare(request),
  ),
  Drift: change(
    { request: DriftRequestOf },
    DriftOf,
    ({ request }) => `the comparison with ${request.file}`,
    ({ here }, { request }) => here.drift(request),
  ),
  Reload: change(
    { request: ReloadRequestOf },
    ReloadedOf,
    () => "the reload",
    inSession((session, { request }) => session.reload(request)),
  ),
}
