/**
 * Drift: the definitions of a script that differ from the variables of a session.
 *
 * Guarantees: the script runs in a scratch child with the session's engine and build, up to the first error of K, and the variables of that child
 * are compared. The session runs nothing. Values are compared exactly where both are held. Does not: keep the script from writing files.
 */
import * as Effect from "effect/Effect"
import { compare, type Difference } from "../../child/Contents.ts"
import { Engines } from "../../child/engines/Engines.ts"
import { programOf } from "../../child/Launcher.ts"
import { scriptText } from "../../k3/text/statements.ts"
import type { ManagedSession } from "../ManagedSession.ts"
import { RootFiles } from "../RootFiles.ts"
import type { NoSession, TooManySessions } from "../SessionError.ts"
import { newWorkspace } from "../variables/Workspace.ts"
import { mostBytes } from "./caseFile.ts"
import * as Scratch from "./Scratch.ts"

export interface DriftRequest {
  readonly file: string
  readonly session: string
  /** Deadline of the script, ms. */
  readonly timeoutMs?: number | undefined
}

export interface Drift {
  /** `before` is the script's value; `after` is the session's, undefined when the session lacks the name. */
  readonly differing: readonly Difference[]
  /** Variables that look alike, but one of them has no exact value. */
  readonly unsure: readonly Difference[]
  readonly same: number
  /** Age of the session's variables, ms, while an evaluation runs; null when they were not looked at before it. Absent when they are the present ones. */
  readonly ageMs?: number | null
  /** The outcome of the script. When it stopped early, only the names defined by then are compared. */
  readonly ended: Scratch.RunResult
  /** False when the script's definitions could not be read. */
  readonly isKnown: boolean
}

/** Reads a script, by its path from the working folder, else by its name in the list of scripts. */
const textOf = Effect.fnUntraced(function* (file: string) {
  const files = yield* RootFiles
  const direct = yield* Effect.result(files.read(file, mostBytes))
  if (direct._tag === "Success") return direct.success
  const { files: all } = yield* files.scripts
  const found = all.find(({ name }) => name === file || name === `${file}.k`)
  if (found === undefined) return yield* direct.failure
  return yield* files.read(found.path, mostBytes)
})

export const drift = Effect.fnUntraced(function* (
  find: (name: string) => Effect.Effect<ManagedSession, NoSession | TooManySessions>,
  { file, session, timeoutMs }: DriftRequest,
) {
  const engines = yield* Engines
  const of = yield* find(session)
  const code = scriptText((yield* textOf(file)).replace(/^\ufeff/, ""))
  const { ageMs } = yield* of.names
  const { held, written } = yield* of.held
  const program = of.program() ?? (yield* Effect.flatMap(engines.pick, programOf))
  const run = Effect.gen(function* () {
    const scratch = yield* Scratch.make(program, { ...newWorkspace(), written }, timeoutMs, true)
    const ended = yield* scratch.run(code, false)
    return { ended, changes: scratch.changes() }
  })
  const { ended, changes } = yield* Effect.scoped(run)
  const defined = new Map((changes ?? []).flatMap(({ path, after }) => (after === undefined ? [] : [[path, after] as const])))
  const own = new Map([...held.variables].filter(([path]) => defined.has(path)))
  const { differences, unsure } = compare(defined, own, true)
  return {
    differing: differences,
    unsure,
    same: defined.size - differences.length - unsure.length,
    ...(ageMs !== 0 && { ageMs }),
    ended,
    isKnown: changes !== null,
  } satisfies Drift
})
