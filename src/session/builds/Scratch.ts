/**
 * A scratch child: runs code on a build outside all sessions. It touches no session's variables, and its death is a result.
 *
 * Guarantees: code that a session refuses is refused here too. After a child died or exceeded the deadline, the next run has a new one,
 * which begins with the same state as the first. Closing the scope ends the child. Does not: keep K from writing files, or launch again after
 * `mostFailures` launches in a row have failed.
 */
import * as Effect from "effect/Effect"
import * as Match from "effect/Match"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { timed } from "../../elapsed.ts"
import type { Statement } from "../../k3/text/statements.ts"
import { describeEnd, endsOf } from "../../child/Child.ts"
import { type FenceMissing, type LaunchFailed, Refused } from "../../child/ChildError.ts"
import { type Contents, type Difference, empty, type Lost } from "../../child/Contents.ts"
import type { EngineReply } from "../../child/engines/Engine.ts"
import { close, type Launched, type Launcher, make as makeLauncher, type ChildProgram } from "../../child/Launcher.ts"
import { Fence } from "../../child/Fence.ts"
import { Settings } from "../../Settings.ts"
import { Announce } from "../Announce.ts"
import { Output } from "../output/Output.ts"
import { EvaluationPlaces } from "../EvaluationPlaces.ts"
import { runStatements, statementsIn } from "../runStatements.ts"
import { contentsAfter, readAfter } from "../variables/copies.ts"
import { restore, type RestoreDied } from "../variables/restore.ts"
import type { Workspace } from "../variables/Workspace.ts"

/** The outcome of a run. */
export interface RunResult {
  /** `died`: the child ended or could not be launched. `refused`: the code was not sent to the child. */
  readonly how: "answered" | "deadline" | "died" | "refused"
  /** The printed text, errors of K in the engine's words included. */
  readonly printed: string
  /** The error of K that stopped the run, in the engine's words. */
  readonly error?: string
  /** The reason in words, when `how` is not `answered`. */
  readonly why?: string
  readonly ms: number
}

/** A side on which code can be run: a scratch child or a session. */
export interface CodeRunner {
  /** `goOn`: continue with the next statement after an error of K, as a console does. */
  readonly run: (code: string, goOn: boolean) => Effect.Effect<RunResult>
  /** Restores the state that the first run began with. */
  readonly renew: Effect.Effect<void>
  /** Variables of the initial state that could not be restored. */
  readonly missing?: () => readonly Lost[]
  /** The changes of all runs together, if requested. Null when they are unknown. */
  readonly changes: () => readonly Difference[] | null
}

/** Joins the changes of several runs into one list. */
export class JoinedChanges {
  private readonly byPath = new Map<string, Difference>()
  private isKnown = true

  add(differences: readonly Difference[] | null | undefined): void {
    if (differences === null || differences === undefined) {
      this.isKnown = false
      return
    }
    for (const each of differences) {
      const { before } = this.byPath.get(each.path) ?? each
      if (before === undefined && each.after === undefined) this.byPath.delete(each.path)
      else this.byPath.set(each.path, { ...each, before })
    }
  }

  get all(): readonly Difference[] | null {
    return this.isKnown ? [...this.byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) : null
  }
}

/** Characters of the printed text that are kept and compared. */
const mostPrinted = 1024 ** 2
const mostFailures = 3
const mostDeaths = 4

/** Why there is no child, in words. */
const whyOf = (error: LaunchFailed | FenceMissing | RestoreDied): string =>
  Match.valueTags(error, {
    LaunchFailed: ({ reason, stderr }) => `it could not be launched (${reason}): ${endsOf(stderr)}`,
    FenceMissing: ({ why }) => why,
    RestoreDied: ({ how }) => describeEnd(how),
  })

interface Parts {
  readonly program: ChildProgram
  /** Restored in each child before its first run. */
  readonly workspace: Workspace | undefined
  /** Report the changes of the runs. */
  readonly watched: boolean
  readonly launchTimeout: number
  /** Deadline of each run, ms. */
  readonly deadlineMs: number
  readonly scope: Scope.Scope
  readonly fence: Fence["Service"]
  readonly places: EvaluationPlaces["Service"]
  readonly launch: Launcher
}

class ScratchChild implements CodeRunner {
  private live: Launched | undefined
  /** Code that the child ran since it was new; undefined after an error of K, which leaves its state uncertain. */
  private ran: string[] | undefined = []
  private failures = 0
  private lastFailure = ""
  private lost: readonly Lost[] = []
  private seen: Contents = empty
  private readonly joined = new JoinedChanges()

  constructor(private readonly parts: Parts) {}

  /** A wait for a place is not announced, since the comparison announces its items. */
  readonly run = (code: string, goOn: boolean): Effect.Effect<RunResult> =>
    Effect.provideService(
      this.parts.places.within(this.runCode(code, goOn), () => {}),
      Announce,
      () => {},
    )

  readonly renew = Effect.suspend(() => {
    const { program, workspace, deadlineMs } = this.parts
    if (this.live === undefined || workspace !== undefined) return this.end
    return program.engine.renew(this.live.child, this.ran).pipe(
      Effect.timeout(deadlineMs),
      Effect.orElseSucceed(() => false),
      Effect.flatMap((isNew) => (isNew ? Effect.sync(() => void (this.ran = [])) : this.end)),
    )
  })

  readonly missing = (): readonly Lost[] => this.lost

  readonly changes = (): readonly Difference[] | null => this.joined.all

  private readonly runCode = Effect.fnUntraced({ self: this }, function* (code: string, goOn: boolean): Effect.fn.Return<RunResult> {
    const { program, fence, watched, deadlineMs } = this.parts
    const { engine } = program
    const list = statementsIn(code, engine)
    if (list instanceof Refused) return { how: "refused", printed: "", why: list.detail, ms: 0 }
    const launched = yield* this.connect
    if (launched === undefined) return { how: "died", printed: "", why: this.lastFailure, ms: 0 }
    this.ran?.push(code)
    const output = new Output(mostPrinted)
    const onRead = (_: Statement, { failure }: EngineReply): void => {
      if (failure === undefined) return
      this.ran = undefined
      output.addInstead({ bytes: failure.text.length, omitted: 0 }, failure.text)
    }
    const all = fence.during(launched, runStatements({ child: launched.child, engine, output, onRead, goOn }, list))
    const [ms, ended] = yield* timed(Effect.map(Effect.timeoutOption(Effect.result(all), deadlineMs), Option.getOrUndefined))
    if (ended?._tag === "Success") {
      if (watched) this.joined.add(yield* this.readChanges(launched))
      const error = ended.success?.text
      return { how: "answered", printed: output.text, ms, ...(error !== undefined && { error }) }
    }
    const died = ended?.failure
    output.add(died?.partial ?? launched.child.partial())
    yield* this.end
    const printed = output.text
    return died === undefined
      ? { how: "deadline", printed, why: `it was ended after ${deadlineMs} ms`, ms }
      : { how: "died", printed, why: describeEnd(died), ms }
  })

  private readonly connect = Effect.suspend(() => {
    if (this.live !== undefined || this.failures >= mostFailures) return Effect.succeed(this.live)
    return Effect.tap(this.launchFilled, (launched) =>
      Effect.sync(() => {
        this.live = launched
        this.ran = []
        this.failures = launched === undefined ? this.failures + 1 : 0
      }),
    )
  })

  private readonly launchOnce = Effect.gen({ self: this }, function* () {
    const { program, workspace, watched, launch, launchTimeout } = this.parts
    const launched = yield* launch(program)
    const filled = yield* Effect.tapError(workspace === undefined ? Effect.undefined : restore(workspace, launched, launchTimeout), () =>
      close(launched),
    )
    this.lost = filled?.lost ?? []
    this.seen = contentsAfter(filled, workspace)
    if (watched) yield* this.readChanges(launched)
    return launched
  })

  /** Launches a child and restores the initial state in it. Undefined when the launch fails, or the restore ended `mostDeaths` children. */
  private readonly launchFilled = this.launchOnce.pipe(
    Effect.retry({ times: mostDeaths - 1, while: ({ _tag }) => _tag === "RestoreDied" }),
    Effect.catch((error) =>
      Effect.sync(() => {
        this.lastFailure = whyOf(error)
        return undefined
      }),
    ),
  )

  /** Reads the child's variables, and gives the differences from the last read. */
  private readonly readChanges = Effect.fnUntraced({ self: this }, function* ({ tracker }: Launched) {
    const reading = Effect.timeout(readAfter(tracker, this.seen), this.parts.deadlineMs)
    const read = yield* Effect.orElseSucceed(reading, () => undefined)
    this.seen = read?.held ?? this.seen
    return read?.differences
  })

  private readonly end = Effect.suspend(() => {
    const before = this.live
    this.live = undefined
    return before === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(close(before), this.parts.scope))
  })
}

/** `timeoutMs`: deadline of each run, with the default and the limit of an evaluation. */
export const make = Effect.fnUntraced(function* (
  program: ChildProgram,
  workspace: Workspace | undefined,
  timeoutMs: number | undefined,
  watched: boolean,
) {
  const scope = yield* Scope.Scope
  const { launchTimeout, evalTimeout, evalTimeoutMax } = yield* Settings
  return new ScratchChild({
    program,
    workspace,
    watched,
    launchTimeout,
    deadlineMs: Math.min(timeoutMs ?? evalTimeout, evalTimeoutMax),
    scope,
    fence: yield* Fence,
    places: yield* EvaluationPlaces,
    launch: yield* makeLauncher(scope, workspace?.written ?? new Map()),
  })
})
