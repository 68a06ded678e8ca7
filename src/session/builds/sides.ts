/**
 * Compares two named sides: engines, builds or sessions.
 *
 * Guarantees: engines and builds run in scratch children, which begin with the session's last capture; variables that could not be restored are
 * named. Each case of a file begins with an empty workspace. A session as a side runs the code itself, and keeps its effects. Does not: confine
 * the files that K writes.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Match from "effect/Match"
import { namePattern } from "../../limits.ts"
import { Settings } from "../../Settings.ts"
import { shortened } from "../../shortened.ts"
import { compare, type Comparison } from "./compare.ts"
import { itemOf, itemsOf } from "./caseFile.ts"
import { translated } from "../../child/engines/translated.ts"
import { Refused } from "../../child/ChildError.ts"
import { Engines } from "../../child/engines/Engines.ts"
import { type ChildProgram, programOf } from "../../child/Launcher.ts"
import { isOfWorkspace, type Notice } from "../Evaluation.ts"
import type { ManagedSession } from "../ManagedSession.ts"
import * as Scratch from "./Scratch.ts"
import { statementsIn } from "../runStatements.ts"
import type { NoSession, SessionError, TooManySessions } from "../SessionError.ts"
import type { Session } from "../Session.ts"
import type { Workspace } from "../variables/Workspace.ts"

/** A comparison that cannot be made. */
export class NotComparable extends Data.TaggedError("NotComparable")<{
  /** `what`: the request does not have exactly one of code and file; `side`: an unknown side; `idle`: the session has no child; `file`: a session
   * cannot begin each case with an empty workspace; `changes`: a comparison of a file does not report them. */
  readonly problem: "what" | "side" | "idle" | "file" | "changes"
  readonly side: string
}> {}

export interface CompareRequest {
  readonly between: readonly [a: string, b: string]
  /** Exactly one of `code` and `file` is given. */
  readonly code?: string | undefined
  readonly file?: string | undefined
  /** The session whose running build and variables are used. */
  readonly session: string
  /** Deadline of each statement or step, in ms. */
  readonly timeoutMs?: number | undefined
  /** Report the changes of the code on each side. */
  readonly changes?: boolean | undefined
}

/** A comparison. `began`: number of the session's variables with which the scratch children began. */
export interface ComparedSides extends Comparison {
  readonly began?: number
  /** Notices about the workspaces of the sessions among the sides. */
  readonly notices?: readonly Notice[]
}

type Side =
  | { readonly kind: "scratch"; readonly program: ChildProgram }
  | { readonly kind: "session"; readonly session: Pick<Session, "evaluate"> }

/** With at most this many items, rows without a difference are shown too. */
const fewItems = 3

/** Makes a session a side. */
const runnerOf = (
  session: Pick<Session, "evaluate">,
  timeoutMs: number | undefined,
  changes: boolean,
  onNotices: (notices: readonly Notice[]) => void,
): Scratch.CodeRunner => {
  const changed = new Scratch.JoinedChanges()
  return {
    run: (code) =>
      session.evaluate({ code, timeoutMs, changes }).pipe(
        Effect.map(({ output, error, ms, changes, notices }): Scratch.RunResult => {
          changed.add(changes)
          onNotices(notices)
          const between = output === "" || output.endsWith("\n") ? "" : "\n"
          return { how: "answered", printed: error === undefined ? output : `${output}${between}${error.text}`, ms }
        }),
        Effect.catch((error) =>
          Effect.sync(() => {
            if (mayHaveRun(error)) changed.add(undefined)
            return failed(error)
          }),
        ),
      ),
    renew: Effect.void,
    changes: () => changed.all,
  }
}

/** May a statement have run, in part? Its changes are not known then. */
const mayHaveRun = (error: SessionError): boolean =>
  error._tag === "MachineLost" || ("statementNumber" in error && error.statementNumber > 0)

const failed = Match.type<SessionError>().pipe(
  Match.withReturnType<Scratch.RunResult>(),
  Match.tags({
    DeadlineExceeded: ({ output, timeoutMs: ms }) => ({ how: "deadline", printed: output, why: `it was ended after ${ms} ms`, ms }),
    EvaluationStopped: ({ output }) => ({ how: "died", printed: output, why: "it was stopped on request", ms: 0 }),
    Refused: ({ detail }) => ({ how: "refused", printed: "", why: detail, ms: 0 }),
    ChildDied: ({ output, signal, exitCode, reason }) => ({
      how: "died",
      printed: output,
      why: `the interpreter ended (${signal ?? exitCode ?? reason})`,
      ms: 0,
    }),
    BreakerOpen: ({ crashes }) => ({
      how: "died",
      printed: "",
      why: `no interpreter is launched after ${crashes} crashes; k_reload launches one and restores the variables`,
      ms: 0,
    }),
  }),
  Match.orElse(({ _tag }) => ({ how: "died", printed: "", why: _tag, ms: 0 })),
)

/** The workspace of a session, as its child has encoded it. */
const heldBy = Effect.fnUntraced(function* ({ held, program }: ManagedSession) {
  const workspace = yield* held
  return { ...workspace, engine: program()?.engine.kind ?? workspace.engine } satisfies Workspace
})

const codedFor = ({ engine: { kind } }: ChildProgram, workspace: Workspace | undefined): Workspace | undefined => {
  if (workspace?.engine === undefined || workspace.engine === kind) return workspace
  return { ...workspace, engine: kind, held: translated(workspace.held, workspace.engine, kind) }
}

interface Finders {
  /** A session on this machine. */
  readonly find: (name: string) => Effect.Effect<ManagedSession, NoSession | TooManySessions>
  /** A session on any machine. */
  readonly source: (name: string) => Effect.Effect<Pick<Session, "evaluate">, SessionError>
}

const sideOf = Effect.fnUntraced(function* ({ find, source }: Finders, side: string, session: string) {
  const engines = yield* Engines
  if (side === "embedded" || side === "k3csharp")
    return { kind: "scratch", program: yield* programOf(engines.named(side, "it is compared")) } satisfies Side
  if (side === "disk") return { kind: "scratch", program: yield* Effect.flatMap(engines.pick, programOf) } satisfies Side
  if (side === "running") {
    const idle = new NotComparable({ problem: "idle", side })
    const program = (yield* Effect.mapError(find(session), () => idle)).program()
    return program === undefined ? yield* idle : ({ kind: "scratch", program } satisfies Side)
  }
  const name = /^session:(.+)$/.exec(side)?.[1]
  if (!namePattern.test(name ?? side)) return yield* new NotComparable({ problem: "side", side: shortened(side, 80) })
  const found = source(name ?? side)
  // A name without the prefix may be a misspelt engine or build, so the error lists the sides.
  const opened = name === undefined ? Effect.mapError(found, () => new NotComparable({ problem: "side", side })) : found
  return { kind: "session", session: yield* opened } satisfies Side
})

export const compareSides = Effect.fnUntraced(function* (finders: Finders, request: CompareRequest) {
  const { between, code, file, session, timeoutMs, changes = false } = request
  const { evalTimeoutMax } = yield* Settings
  const list = statementsIn(code ?? "")
  if (list instanceof Refused) return yield* list
  if ((code === undefined) === (file === undefined) || (code !== undefined && list.length === 0))
    return yield* new NotComparable({ problem: "what", side: "" })
  if (file !== undefined && changes) return yield* new NotComparable({ problem: "changes", side: "" })
  const a = yield* sideOf(finders, between[0], session)
  const b = yield* sideOf(finders, between[1], session)
  const sides: readonly Side[] = [a, b]
  const named = sides.findIndex(({ kind }) => kind === "session")
  if (file !== undefined && named >= 0) return yield* new NotComparable({ problem: "file", side: between[named]! })
  const items = file === undefined ? list.map(({ source }) => itemOf(source, true)) : yield* itemsOf(file)
  const isWithState = file === undefined && sides.some(({ kind }) => kind !== "session")
  const from = isWithState ? yield* Effect.catchTag(finders.find(session), "NoSession", () => Effect.undefined) : undefined
  const workspace = from && (yield* heldBy(from))
  const notices: Notice[] = []
  const runner = (side: Side) =>
    side.kind === "session"
      ? Effect.succeed(runnerOf(side.session, timeoutMs, changes, (each) => notices.push(...each.filter(isOfWorkspace))))
      : Scratch.make(side.program, codedFor(side.program, workspace), timeoutMs, changes)
  const runners = Effect.all([runner(a), runner(b)])
  const options = {
    withinMs: evalTimeoutMax,
    all: file === undefined && items.length <= fewItems,
    what: file === undefined ? "statement" : "step",
    changes,
  }
  const done = yield* Effect.scoped(Effect.flatMap(runners, ([left, right]) => compare(items, left, right, options)))
  const began = workspace?.held.variables.size ?? 0
  return { ...done, ...(began > 0 && { began }), ...(notices.length > 0 && { notices }) } satisfies ComparedSides
})
