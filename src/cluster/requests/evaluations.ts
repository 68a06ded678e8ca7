/** Evaluations, background evaluations, and requests that interrupt or stop them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { KFailure } from "../../child/engines/Engine.ts"
import type { BackgroundEvaluation } from "../../session/Backgrounds.ts"
import type { EvaluateRequest, Evaluation, Notice } from "../../session/Evaluation.ts"
import { EvaluationStopped, SessionError } from "../../session/SessionError.ts"
import { change, read } from "./request.ts"
import { DifferenceOf, Engine, flag, kind, list, losses, maybe, nullOr, number, oneOf, orNone, struct, text } from "./shapes.ts"

const FailureOf: Schema.Codec<KFailure> = struct({
  name: text,
  text,
  line: maybe(number),
  column: maybe(number),
  source: maybe(text),
  caret: maybe(text),
  at: maybe(text),
  valence: orNone(number),
})

const EvaluateRequestOf: Schema.Codec<EvaluateRequest> = struct({
  code: text,
  args: orNone(list(struct({ name: text, text }))),
  timeoutMs: orNone(number),
  waited: orNone(number),
  expectGeneration: orNone(number),
  rollback: orNone(flag),
  dryRun: orNone(flag),
  changes: orNone(flag),
  limits: orNone(struct({ steps: orNone(number), memory: orNone(number) })),
  value: orNone(struct({ image: number, memory: orNone(number), quiet: maybe(flag) })),
})

/** For each kind of notice its form: a kind without one does not compile. */
const notices: { readonly [Kind in Notice["kind"]]: Schema.Codec<Extract<Notice, { readonly kind: Kind }>> } = {
  fresh: struct({ kind: kind("fresh"), generation: number, why: text, lost: losses }),
  restored: struct({
    kind: kind("restored"),
    generation: number,
    why: text,
    restored: number,
    lost: losses,
    missed: number,
    savedMsAgo: maybe(number),
  }),
  missing: struct({ kind: kind("missing"), from: number, to: number }),
  "dry-run": struct({ kind: kind("dry-run"), missing: losses }),
  unheld: struct({ kind: kind("unheld"), variables: losses }),
  disk: struct({ kind: kind("disk"), sentence: text }),
  fence: struct({ kind: kind("fence"), sentence: text }),
  engine: struct({ kind: kind("engine"), sentence: text }),
  stale: struct({ kind: kind("stale"), runningHash: text, buildHash: text }),
  brace: struct({ kind: kind("brace"), line: number }),
  silent: struct({ kind: kind("silent"), statement: text }),
  quotes: struct({ kind: kind("quotes") }),
  "timeout-capped": struct({ kind: kind("timeout-capped"), askedMs: number, usedMs: number, setting: text }),
}

export const NoticeOf: Schema.Codec<Notice> = Schema.Union(Object.values(notices))

const evaluationFields = {
  ok: flag,
  engine: maybe(Engine),
  output: text,
  truncated: maybe(struct({ bytes: number, kept: number, handle: maybe(text) })),
  error: maybe(FailureOf),
  failedStatement: maybe(number),
  statements: number,
  generation: number,
  ms: number,
  notices: list(NoticeOf),
  rolledBack: maybe(Schema.Literal(true)),
  dryRun: maybe(Schema.Literal(true)),
  changes: maybe(nullOr(list(DifferenceOf))),
  value: maybe(struct({ image: Schema.Uint8Array, engine: Engine, at: maybe(number) })),
}
const EvaluationOf: Schema.Codec<Evaluation, unknown> = struct(evaluationFields)
/** `last`: the greatest number in the history of the session after the evaluation; absent for an ephemeral session. */
const NumberedOf: Schema.Codec<Evaluation & { readonly last?: number }, unknown> = struct({ ...evaluationFields, last: maybe(number) })

const BackgroundOf: Schema.Codec<BackgroundEvaluation, unknown> = struct({
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

const Stopped = Schema.UndefinedOr(EvaluationStopped)
const request = { request: EvaluateRequestOf }
const handle = { handle: text }

export const evaluations = {
  Evaluate: change(
    request,
    NumberedOf,
    (given) => given.request.code,
    (at, given) =>
      Effect.flatMap(at.get, (session) => {
        const answer = session.evaluate(given.request)
        if (session.isEphemeral) return answer
        return Effect.zipWith(answer, at.relocation.history(at.name), (evaluation, { last }) => ({ ...evaluation, last }))
      }),
  ),
  Interrupt: change(
    {},
    Stopped,
    () => "the interrupt",
    ({ here, name }) => here.interrupt(name),
  ),
  BackgroundBegin: change(
    request,
    BackgroundOf,
    (given) => given.request.code,
    ({ here, name, get, stayFor }, given) =>
      Effect.tap(Effect.andThen(get, here.backgrounds.begin(name, given.request)), (begun) => stayFor(begun.handle)),
  ),
  BackgroundStop: change(
    handle,
    Stopped,
    (given) => `stop ${given.handle}`,
    ({ here }, given) => here.backgrounds.stop(given.handle),
  ),
  BackgroundFind: read(handle, BackgroundOf, ({ here }, given) => here.backgrounds.find(given.handle)),
  BackgroundList: read({}, list(BackgroundOf), ({ here, name }) =>
    Effect.map(here.backgrounds.list, (all) => all.filter(({ session }) => session === name)),
  ),
  BackgroundWait: read({ handle: text, bytes: number, ms: number }, Schema.Void, ({ here }, given) =>
    here.backgrounds.wait(given.handle, given.bytes, given.ms),
  ),
}
