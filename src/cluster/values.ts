/**
 * What a session is asked and answers, as it crosses between machines. The types are those of `session/` and `child/`, which load no schema
 * for them; the compiler holds the two together. Of a later version of a peer, fields that are not known here are dropped.
 */
import * as Schema from "effect/Schema"
import type { Difference, Lost, Variable } from "../child/Contents.ts"
import type { KFailure } from "../child/engines/Engine.ts"
import type { Detail, Entry as Name } from "../child/engines/Sight.ts"
import type { View } from "../child/engines/view.ts"
import type { FenceState } from "../child/Fence.ts"
import type { BackgroundEvaluation } from "../session/Backgrounds.ts"
import type { EvaluateRequest, Evaluation, Notice } from "../session/Evaluation.ts"
import { Entry } from "../session/history/HistoryLog.ts"
import type { Page } from "../session/history/HistoryLog.ts"
import type { Made } from "../session/Origin.ts"
import type { Find, Found, Page as OutputPage, PageRequest as OutputRequest } from "../session/output/pages.ts"
import type { HeldNames, Inspection, Rows, RowsWanted } from "../session/Session.ts"
import type { SessionStatus } from "../session/SessionStatus.ts"
import type { Script } from "../session/variables/script.ts"
import type { Compared, Present, Restored, SnapshotInfo, Undone } from "../session/variables/Snapshots.ts"
import { SessionError } from "./errors.ts"

const { Boolean: flag, Finite: number, String: text, Struct: struct, Literals: oneOf, Array: list, NullOr: nullOr } = Schema
/** May be absent. */
const maybe = Schema.optionalKey
/** May be absent, or undefined. */
const orNone = Schema.optional
const pair = Schema.Tuple([number, number])

const Engine = oneOf(["k3csharp", "embedded"])

export const LostOne: Schema.Codec<Lost> = struct({ path: text, why: text })
const losses = list(LostOne)

const VariableLook: Schema.Codec<Variable> = struct({
  path: text,
  type: number,
  shape: text,
  bytes: number,
  text,
  image: orNone(text),
  attributes: orNone(text),
  why: orNone(text),
})

const DifferenceOf: Schema.Codec<Difference> = struct({
  path: text,
  before: Schema.UndefinedOr(VariableLook),
  after: Schema.UndefinedOr(VariableLook),
})

const Failure: Schema.Codec<KFailure> = struct({
  name: text,
  text,
  line: maybe(number),
  column: maybe(number),
  source: maybe(text),
  caret: maybe(text),
  at: maybe(text),
  valence: orNone(number),
})

const limited = struct({ steps: orNone(number), memory: orNone(number) })

export const EvaluateRequestOf: Schema.Codec<EvaluateRequest> = struct({
  code: text,
  args: orNone(list(struct({ name: text, text }))),
  timeoutMs: orNone(number),
  expectGeneration: orNone(number),
  rollback: orNone(flag),
  dryRun: orNone(flag),
  changes: orNone(flag),
  limits: orNone(limited),
  value: orNone(struct({ image: number, memory: orNone(number), quiet: maybe(flag) })),
})

const kind = Schema.Literal
const NoticeOf: Schema.Codec<Notice> = Schema.Union([
  struct({ kind: kind("fresh"), generation: number, why: text, lost: losses }),
  struct({
    kind: kind("restored"),
    generation: number,
    why: text,
    restored: number,
    lost: losses,
    missed: number,
    savedMsAgo: maybe(number),
  }),
  struct({ kind: kind("dry-run"), missing: losses }),
  struct({ kind: kind("unheld"), variables: losses }),
  struct({ kind: oneOf(["disk", "fence"]), sentence: text }),
  struct({ kind: kind("engine"), sentence: text }),
  struct({ kind: kind("stale"), runningHash: text, buildHash: text }),
  struct({ kind: kind("brace"), line: number }),
  struct({ kind: kind("silent"), statement: text }),
  struct({ kind: kind("quotes") }),
  struct({ kind: kind("timeout-capped"), askedMs: number, usedMs: number, setting: text }),
])

export const EvaluationOf: Schema.Codec<Evaluation, unknown> = struct({
  ok: flag,
  output: text,
  truncated: maybe(struct({ bytes: number, kept: number, handle: maybe(text) })),
  error: maybe(Failure),
  failedStatement: maybe(number),
  statements: number,
  generation: number,
  ms: number,
  notices: list(NoticeOf),
  rolledBack: maybe(Schema.Literal(true)),
  dryRun: maybe(Schema.Literal(true)),
  changes: maybe(nullOr(list(DifferenceOf))),
  value: maybe(struct({ image: Schema.Uint8Array, engine: Engine })),
})

const FenceOf: Schema.Codec<FenceState> = Schema.Union([
  struct({ _tag: kind("Fenced"), by: oneOf(["bubblewrap", "sandbox-exec"]) }),
  struct({ _tag: kind("Off") }),
  struct({ _tag: kind("None"), why: text }),
])

export const StatusOf: Schema.Codec<SessionStatus> = struct({
  name: text,
  phase: oneOf(["down", "launching", "ready", "evaluating", "interrupting", "killing", "failed", "closed"]),
  isEphemeral: flag,
  engine: Engine,
  engineWhy: text,
  pid: nullOr(number),
  generation: number,
  fence: FenceOf,
  shadow: nullOr(text),
  buildFolder: nullOr(text),
  buildFolderWhy: nullOr(text),
  runningHash: nullOr(text),
  buildHash: nullOr(text),
  stale: nullOr(flag),
  engineVersion: nullOr(text),
  uptimeMs: nullOr(number),
  evaluations: number,
  doing: nullOr(text),
  running: nullOr(struct({ statement: text, nth: maybe(pair), forMs: number, waiting: number })),
  lastCrash: nullOr(text),
  ageMs: number,
  idleMs: number,
  memoryBytes: nullOr(number),
  spare: nullOr(struct({ pid: number, memoryBytes: nullOr(number) })),
  held: struct({ variables: number, missed: number, lost: losses }),
  onDisk: nullOr(struct({ ageMs: number, behind: number })),
  owner: maybe(struct({ machine: text, epoch: number })),
})

const nameFields = { name: text, type: number, kind: text, shape: text, preview: text }
const NameOf: Schema.Codec<Name> = struct(nameFields)
const DetailOf: Schema.Codec<Detail> = struct({
  ...nameFields,
  bytes: maybe(number),
  bytesAtLeast: maybe(number),
  tail: maybe(text),
  least: maybe(number),
  greatest: maybe(number),
  mean: maybe(number),
  distinct: maybe(number),
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
export const InspectionOf: Schema.Codec<Inspection> = struct(inspected)
export const FoundNames: Schema.Codec<Inspection & { readonly unread: number }> = struct({ ...inspected, unread: number })

export const ViewOf: Schema.Codec<View> = struct({
  depth: orNone(number),
  slice: orNone(Schema.Union([struct({ range: pair }), struct({ index: list(Schema.Union([number, text])) })])),
  skip: orNone(number),
})

export const RowsWantedOf: Schema.Codec<RowsWanted> = struct({ path: text, names: orNone(list(text)), from: number, count: number })
export const RowsOf: Schema.Codec<Rows> = struct({ total: number, columns: list(text), cells: list(list(text)), isUnreadable: flag })

export const HeldNamesOf: Schema.Codec<HeldNames, unknown> = struct({
  engine: Engine,
  names: Schema.ReadonlyMap(text, number),
  directory: text,
  ageMs: nullOr(number),
})

export const ScriptOf: Schema.Codec<Script & { readonly missed: number }> = struct({
  text,
  variables: number,
  left: losses,
  missed: number,
})

export const SnapshotOf: Schema.Codec<SnapshotInfo> = struct({
  name: text,
  ageMs: number,
  generation: number,
  engine: Engine,
  build: nullOr(text),
  variables: number,
  lost: losses,
})
const PresentOf: Schema.Codec<Present> = struct({ generation: number, engine: Engine, build: nullOr(text) })
export const ComparedOf: Schema.Codec<Compared> = struct({
  snapshot: SnapshotOf,
  present: PresentOf,
  ageMs: number,
  differences: list(DifferenceOf),
  unsure: list(DifferenceOf),
})
const restored = { generation: number, restored: list(text), removed: list(text), lost: losses, renewed: flag }
export const RestoredOf: Schema.Codec<Restored> = struct({ snapshot: SnapshotOf, ...restored })
export const UndoneOf: Schema.Codec<Undone> = struct({ ...restored, evaluations: number, left: number })

export const MadeOf: Schema.Codec<Made> = struct({
  name: text,
  isEphemeral: flag,
  engine: Engine,
  generation: number,
  givenBack: Schema.UndefinedOr(struct({ restored: number, lost: losses, missed: number })),
})

export const HistoryPage: Schema.Codec<Page> = struct({ entries: list(Entry), cursor: maybe(number), damaged: number })

export const OutputRequestOf: Schema.Codec<OutputRequest> = struct({ from: number, unit: oneOf(["line", "byte"]), shown: number })
export const OutputPageOf: Schema.Codec<OutputPage> = struct({
  bytes: number,
  gap: pair,
  span: pair,
  line: maybe(number),
  text,
  next: maybe(struct({ from: number, unit: oneOf(["line", "byte"]) })),
})
export const FindOf: Schema.Codec<Find> = struct({ text, from: number, shown: number })
export const FoundOf: Schema.Codec<Found> = struct({
  bytes: number,
  gap: pair,
  lines: list(struct({ line: number, text })),
  next: maybe(number),
})

export const BackgroundOf: Schema.Codec<BackgroundEvaluation, unknown> = struct({
  handle: text,
  session: text,
  secret: text,
  at: number,
  code: text,
  phase: oneOf(["waiting", "running", "ended"]),
  ms: number,
  bytes: number,
  exit: Schema.UndefinedOr(Schema.Exit(EvaluationOf, SessionError, Schema.Defect())),
  wantsValue: flag,
})
