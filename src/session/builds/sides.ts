/**
 * Comparing two sides that are named: an engine, a build, or a session.
 *
 * Guarantees: engines and builds run on children of their own beside the sessions; two builds of the same engine, the running one and the
 * one on disk, are given what the session held when it was last captured, engines and files of cases begin with clean workspaces. A
 * session that is named runs the code itself, and keeps what it does to it. Does not: fence off files that K writes.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { statements } from "../../k3/text/statements.ts"
import type { RootFiles } from "../RootFiles.ts"
import { namePattern } from "../../limits.ts"
import { Settings } from "../../Settings.ts"
import { shortened } from "../../shortened.ts"
import { itemsOf } from "./caseFile.ts"
import { compare } from "./compare.ts"
import type { Item } from "./caseFile.ts"
import type { Engine } from "../../child/engines/Engine.ts"
import { Engines } from "../../child/engines/Engines.ts"
import type { Program } from "../../child/Launcher.ts"
import type { OpenSession } from "../OpenSession.ts"
import type { Process } from "../../child/Process.ts"
import * as Scratch from "./Scratch.ts"
import type { NoSession, SessionError, TooManySessions } from "../SessionError.ts"
import type { Session } from "../Session.ts"

/** A comparison that cannot be made. */
export class NotComparable extends Data.TaggedError("NotComparable")<{
  /** `what`: not one of code and file; `side`: no such; `idle`: the session runs nothing; `file`: a session cannot be made clean for each case. */
  readonly problem: "what" | "side" | "idle" | "file"
  readonly side: string
}> {}

export interface CompareRequest {
  readonly between: readonly [a: string, b: string]
  /** One of these two. */
  readonly code?: string | undefined
  readonly file?: string | undefined
  /** Whose running build is meant. */
  readonly session: string
  /** Deadline of each statement or step, ms. */
  readonly timeoutMs?: number | undefined
}

type Side = { readonly kind: "engine" | "build"; readonly program: Program } | { readonly kind: "session"; readonly session: OpenSession }

/** So few items are shown also when they do not differ. */
const fewItems = 3

/** What a session answers, as a side. */
const runnerOf = (session: Session, timeoutMs: number): Scratch.Runner => ({
  run: (code) =>
    session.evaluate({ code, timeoutMs }).pipe(
      Effect.map(({ output, error, ms }): Scratch.Outcome => {
        const between = output === "" || output.endsWith("\n") ? "" : "\n"
        return { how: "answered", printed: error === undefined ? output : `${output}${between}${error.text}`, ms }
      }),
      Effect.catch((error) => Effect.succeed(failed(error))),
    ),
  renew: Effect.void,
})

const failed = (error: SessionError): Scratch.Outcome => {
  switch (error._tag) {
    case "DeadlineExceeded":
      return { how: "deadline", printed: error.output, why: `it was ended after ${error.timeoutMs} ms`, ms: error.timeoutMs }
    case "Refused":
      return { how: "refused", printed: "", why: error.detail, ms: 0 }
    case "ChildDied":
      return { how: "died", printed: error.output, why: `the interpreter ended (${error.signal ?? error.exitCode ?? error.reason})`, ms: 0 }
    default:
      return { how: "died", printed: "", why: error._tag, ms: 0 }
  }
}

export const make = Effect.fnUntraced(function* (find: (name: string) => Effect.Effect<OpenSession, NoSession | TooManySessions>) {
  const context = yield* Effect.context<Settings | Process | RootFiles>()
  const settings = yield* Settings
  const engines = yield* Engines

  const prepared = (engine: Engine) => Effect.map(engine.prepare, (prepared): Program => ({ engine, prepared }))

  const sideOf = Effect.fnUntraced(function* (side: string, session: string) {
    if (side === "embedded" || side === "k3csharp")
      return { kind: "engine", program: yield* prepared(engines.named(side, "it is compared")) } satisfies Side
    if (side === "disk") return { kind: "build", program: yield* Effect.flatMap(engines.pick, prepared) } satisfies Side
    if (side === "running") {
      const idle = new NotComparable({ problem: "idle", side })
      const program = (yield* Effect.mapError(find(session), () => idle)).program()
      return program === undefined ? yield* idle : ({ kind: "build", program } satisfies Side)
    }
    const name = /^session:(.+)$/.exec(side)?.[1]
    if (!namePattern.test(name ?? side)) return yield* new NotComparable({ problem: "side", side: shortened(side, 80) })
    const found = find(name ?? side)
    // A name without the prefix may as well be a slip in one of the words above.
    const opened = name === undefined ? Effect.mapError(found, () => new NotComparable({ problem: "side", side })) : found
    return { kind: "session", session: yield* opened } satisfies Side
  })

  return Effect.fnUntraced(function* ({ between, code, file, session, timeoutMs }: CompareRequest) {
    const list = code === undefined ? [] : statements(code)
    if ((code === undefined) === (file === undefined) || (code !== undefined && list.length === 0))
      return yield* new NotComparable({ problem: "what", side: "" })
    const sides: readonly [Side, Side] = [yield* sideOf(between[0], session), yield* sideOf(between[1], session)]
    const named = sides.findIndex(({ kind }) => kind === "session")
    if (file !== undefined && named >= 0) return yield* new NotComparable({ problem: "file", side: between[named]! })
    const items: readonly Item[] =
      file === undefined
        ? list.map(({ source }) => ({ name: "", code: source, how: "exact", fresh: false, goOn: true }))
        : yield* Effect.provide(itemsOf(file), context)

    const [a, b] = sides
    const builds = a.kind === "build" && b.kind === "build" && a.program.engine.kind === b.program.engine.kind
    const state = builds && file === undefined ? yield* Effect.flatMap(find(session), ({ held }) => held) : undefined
    const deadline = Math.min(timeoutMs ?? settings.evalTimeout, settings.evalTimeoutMax)
    const runner = (side: Side) =>
      side.kind === "session" ? Effect.succeed(runnerOf(side.session, deadline)) : Scratch.make(side.program, state, deadline)
    const run = Effect.gen(function* () {
      const what = file === undefined ? "statement" : "step"
      return yield* compare(items, yield* runner(a), yield* runner(b), {
        withinMs: settings.evalTimeoutMax,
        all: file === undefined && items.length <= fewItems,
        what,
      })
    })
    return yield* Effect.provide(Effect.scoped(run), context)
  })
})
