/**
 * A dry run: evaluates code in a temporary copy of the session, and reports its output and the changes it would make.
 *
 * Guarantees: the session and its history stay as they are, and K writes no file and runs no command there; the copy's child is gone when
 * the dry run ends, in every outcome. Does not: take the session's queue, which its caller holds, or copy variables without a captured value; the
 * reply names those.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { elapsed } from "../elapsed.ts"
import { type ChildEnded, describeEnd } from "../child/Child.ts"
import { Refused } from "../child/ChildError.ts"
import { Fence } from "../child/Fence.ts"
import { make as makeLauncher } from "../child/Launcher.ts"
import { Process } from "../child/Process.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { bindArguments, unbind } from "./bindArguments.ts"
import type { Evaluation, Progress } from "./Evaluation.ts"
import { evaluationOf, makeOptionsOf, type Run } from "./Run.ts"
import { runStatements } from "./runStatements.ts"
import { SessionIdentity } from "./SessionIdentity.ts"
import { DryRunEnded, type SessionError, StateUnread } from "./SessionError.ts"
import type { Live } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"
import { Captures } from "./variables/Captures.ts"
import { contentsAfter, readAfter } from "./variables/copies.ts"
import { restore } from "./variables/restore.ts"
import { isCurrent } from "./variables/Workspace.ts"

export class DryRun extends Context.Service<
  DryRun,
  {
    readonly run: (run: Run) => Effect.Effect<Evaluation, SessionError>
    /** The running dry run, in words; null when none runs. */
    readonly doing: () => string | null
  }
>()("k3-mcp/session/DryRun") {
  static readonly layer = Layer.effect(
    DryRun,
    Effect.suspend(() => make),
  )
}

/** The work before the first statement, in words. */
const copying = "a copy of the session"

const endedBy = (session: string, { statement, number, output }: Progress, how: ChildEnded): DryRunEnded => {
  output.add(how.partial)
  const why = describeEnd(how)
  return new DryRunEnded({ session, why, statement: shortened(statement), statementNumber: number, output: output.text })
}

const make = Effect.gen(function* () {
  const context = yield* Effect.context<Settings | Process | Fence>()
  const { launchTimeout } = yield* Settings
  const { name: session } = yield* SessionIdentity
  const { state } = yield* Supervisor
  const captures = yield* Captures
  const optionsOf = yield* makeOptionsOf
  let running: Run | undefined

  /** Launches a child, restores the session's variables in it, and seals it against writing. */
  const copyOf = Effect.fnUntraced(function* ({ engine, prepared }: Live, seal: NonNullable<Live["engine"]["seal"]>) {
    const { workspace } = state()
    const launch = yield* makeLauncher(yield* Scope.Scope, workspace.written)
    const launched = yield* launch({ engine, prepared })
    const given = yield* Effect.mapError(restore(workspace, launched, launchTimeout), ({ how }) => how)
    yield* seal(launched.child)
    const seen = contentsAfter(given, workspace)
    const read = yield* readAfter(launched.tracker, seen)
    return { launched, held: read?.held ?? seen, lost: given?.lost ?? [] }
  })

  const evaluated = Effect.fnUntraced(function* (run: Run, seal: NonNullable<Live["engine"]["seal"]>) {
    const { live, progress, list } = run
    const began = yield* elapsed
    const { launched, held, lost } = yield* copyOf(live, seal)
    progress.number = 1
    progress.statement = list[0]?.source ?? ""
    yield* bindArguments(launched, run)
    const error = yield* runStatements({ ...optionsOf(run), child: launched.child, engine: launched.engine }, list)
    yield* unbind(launched, progress)
    const read = yield* readAfter(launched.tracker, held)
    progress.notices.unshift({ kind: "dry-run", missing: lost })
    const end = { error, generation: live.generation, ms: (yield* elapsed) - began, changes: read?.differences ?? [] }
    return { ...evaluationOf(run, end), dryRun: true } satisfies Evaluation
  })

  const run = Effect.fnUntraced(
    function* (run: Run) {
      const { live, progress, list } = run
      const { seal } = live.engine
      if (seal === null)
        return yield* new Refused({
          statement: shortened(list[0]?.source ?? ""),
          reason: "dry-run",
          detail: "K3CSharp cannot be kept from writing files, so it makes no dry run",
        })
      progress.statement = copying
      // At a deadline, and after a stop: the copy is thrown away, with the changes of the statements that ran.
      progress.state = "rolled-back"
      running = run
      yield* captures.all(live)
      if (!isCurrent(state().workspace)) return yield* new StateUnread({ session })
      return yield* Effect.provide(Effect.scoped(evaluated(run, seal)), context).pipe(
        Effect.catchTag("ChildEnded", (how) => Effect.fail(endedBy(session, progress, how))),
      )
    },
    Effect.ensuring(Effect.sync(() => void (running = undefined))),
  )

  const statementOf = ({ progress, list }: Run) => (progress.number === 0 ? (list[0]?.source ?? "") : progress.statement)

  return DryRun.of({ run, doing: () => (running === undefined ? null : `a dry run: ${shortened(statementOf(running))}`) })
})
