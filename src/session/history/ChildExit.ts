/** An unexpected end of a child as data, and the crash record made of it. */
import * as Match from "effect/Match"
import type { ChildEnded } from "../../child/Child.ts"
import type { CrashRecord } from "./CrashRecord.ts"
import type { Workspace } from "../variables/Workspace.ts"
import type { Engine } from "../../child/engines/Engine.ts"
import type { ChildProgram } from "../../child/Launcher.ts"
import { readable } from "./HistoryLog.ts"
import { firstOf } from "./ranOf.ts"
import type { EvaluationRecorder } from "./EvaluationRecorder.ts"
import { scriptOf } from "../variables/workspaceScript.ts"
import { shortened } from "../../shortened.ts"
import type { LaunchFailed } from "../../child/ChildError.ts"

export type ChildExit = {
  readonly program: ChildProgram
  readonly generation: number
  /** The statement that the child evaluated; undefined when it was idle. */
  readonly statement: string | undefined
} & (
  | { readonly kind: "ended"; readonly how: ChildEnded }
  | { readonly kind: "launch"; readonly error: LaunchFailed }
  | { readonly kind: "killed"; readonly stderr: string }
)

/** Characters of the script of the last capture; the whole reproduction has at most twice as many. */
const mostScript = 256 * 1024
const mostStatement = 16 * 1024
const mostInputs = 10
const shownInput = 500

/** Why a child ended by itself. */
export const reasonOf = ({ outOfMemory }: Engine, { reason, stderr }: ChildEnded): ChildEnded["reason"] | "memory" =>
  reason === "exit" && outOfMemory(stderr) ? "memory" : reason

const endOf = (exit: ChildExit): Pick<CrashRecord, "reason" | "exitCode" | "signal" | "stderr"> =>
  Match.value(exit).pipe(
    Match.discriminatorsExhaustive("kind")({
      ended: ({ program, how }) => ({
        reason: reasonOf(program.engine, how),
        exitCode: how.exit.code,
        signal: how.exit.signal,
        stderr: how.stderr,
      }),
      launch: ({ error: { exitCode, signal, stderr } }) => ({ reason: "launch", exitCode, signal, stderr }) as const,
      killed: ({ stderr }) => ({ reason: "killed", exitCode: null, signal: "SIGKILL", stderr }) as const,
    }),
  )

/** K code that reproduces the exit in an empty workspace: the last capture, the evaluations after it, and the running evaluation. */
const reproduction = ({ program, statement }: ChildExit, workspace: Workspace, recorder: EvaluationRecorder["Service"]): string => {
  const { text } = scriptOf(program.engine.kind, workspace.held, mostScript)
  const { codes, left } = recorder.since(workspace.missed)
  const current = statement === undefined ? undefined : recorder.current()
  const now = current === undefined ? "" : firstOf(current.code, current.number)
  const since = codes.join("\n")
  const parts = [
    text === "" ? "" : `/ variables as they were last captured\n${text.trimEnd()}`,
    left === 0 ? "" : `/ not in it: ${left} evaluations before the next`,
    since === "" ? "" : `/ evaluated since\n${since}`,
    now === "" ? "" : `/ under way; the last statement is to blame\n${now}`,
  ].filter((part) => part !== "")
  return parts.length === 0 ? "" : `${shortened(parts.join("\n"), 2 * mostScript)}\n`
}

export const recordOf = (
  session: string,
  exit: ChildExit,
  workspace: Workspace,
  recorder: EvaluationRecorder["Service"],
  memory: number | null,
): Omit<CrashRecord, "n" | "at" | "times"> => ({
  session,
  ...endOf(exit),
  ...(exit.statement !== undefined && { statement: shortened(exit.statement, mostStatement) }),
  engine: exit.program.engine.kind,
  build: exit.program.prepared.build?.hash ?? null,
  generation: exit.generation,
  memory: exit.kind === "launch" ? null : memory,
  inputs: recorder
    .inputs(mostInputs, exit.statement !== undefined)
    .map((each) => ({ at: each.at, code: shortened(readable(each, shownInput), shownInput) })),
  script: exit.kind === "launch" ? "" : reproduction(exit, workspace, recorder),
})
