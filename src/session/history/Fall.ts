/** An end of a child that nobody asked for, as the session's lifecycle tells it, and the record made of it. */
import { statements } from "../../k3/text/statements.ts"
import type { ChildEnded } from "../../child/Child.ts"
import type { CrashRecord } from "./CrashRecord.ts"
import type { Keeper } from "../variables/Keeper.ts"
import type { Program } from "../../child/Launcher.ts"
import type { Recording } from "./recording.ts"
import { scriptOf } from "../variables/script.ts"
import type { LaunchFailed } from "../../child/ChildError.ts"

export type Fall = {
  readonly program: Program
  readonly generation: number
  /** What it evaluated; undefined when it was idle. */
  readonly statement: string | undefined
} & (
  | { readonly kind: "ended"; readonly how: ChildEnded }
  | { readonly kind: "launch"; readonly error: LaunchFailed }
  | { readonly kind: "killed"; readonly stderr: string }
)

/** Characters of a script that a record holds. */
const mostScript = 256 * 1024
const mostStatement = 16 * 1024
const mostInputs = 10
const shownInput = 500

const endOf = (fall: Fall): Pick<CrashRecord, "reason" | "exitCode" | "signal" | "stderr"> => {
  switch (fall.kind) {
    case "ended": {
      const { reason, exit, stderr } = fall.how
      const memory = reason === "exit" && fall.program.engine.outOfMemory(stderr)
      return { reason: memory ? "memory" : reason, exitCode: exit.code, signal: exit.signal, stderr }
    }
    case "launch":
      return { reason: "launch", exitCode: fall.error.exitCode, signal: fall.error.signal, stderr: fall.error.stderr }
    case "killed":
      return { reason: "killed", exitCode: null, signal: "SIGKILL", stderr: fall.stderr }
  }
}

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)

/** The last capture, what came after it, and what was under way, as K to run in an empty workspace. */
const reproduction = ({ program, statement }: Fall, keeper: Keeper, recording: Recording): string => {
  const { text } = scriptOf(program.engine.kind, keeper.contents, mostScript)
  const { codes, left } = recording.since(keeper.summary.missed)
  const current = statement === undefined ? undefined : recording.current()
  const now =
    current === undefined
      ? undefined
      : statements(current.code)
          .slice(0, current.number)
          .map(({ source }) => source)
  const since = codes.join("\n")
  const parts = [
    text === "" ? "" : `/ variables as they were last captured\n${text.trimEnd()}`,
    left === 0 ? "" : `/ not in it: ${left} evaluations before the next`,
    since === "" ? "" : `/ evaluated since\n${since}`,
    now === undefined || now.length === 0 ? "" : `/ under way; the last statement is to blame\n${now.join("\n")}`,
  ].filter((part) => part !== "")
  return parts.length === 0 ? "" : `${cut(parts.join("\n"), 2 * mostScript)}\n`
}

export const recordOf = (
  session: string,
  fall: Fall,
  keeper: Keeper,
  recording: Recording,
  memory: number | null,
): Omit<CrashRecord, "n" | "at" | "times"> => ({
  session,
  ...endOf(fall),
  ...(fall.statement !== undefined && { statement: cut(fall.statement, mostStatement) }),
  engine: fall.program.engine.kind,
  build: fall.program.prepared.build?.hash ?? null,
  generation: fall.generation,
  memory: fall.kind === "launch" ? null : memory,
  inputs: recording.inputs(mostInputs, fall.statement !== undefined).map(({ at, code }) => ({ at, code: cut(code, shownInput) })),
  script: fall.kind === "launch" ? "" : reproduction(fall, keeper, recording),
})
