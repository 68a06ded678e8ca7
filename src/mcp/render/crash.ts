/** A crash record as text, and in one line. */
import { shortStack } from "../../child/standardError.ts"
import type { CrashRecord } from "../../session/history/CrashRecord.ts"
import { duration, howEnded, indent, mebibytes, paragraphs, time } from "./words.ts"

const how = ({ reason, exitCode, signal }: CrashRecord): string => {
  const end = howEnded(exitCode, signal)
  return {
    exit: `the interpreter ended ${end}`,
    memory: `the interpreter ran out of memory and ended ${end}`,
    "out-of-step": "the interpreter sent output that nobody had asked for, and was ended",
    unread: "the server failed to read the interpreter's output, and ended it",
    launch: exitCode === null && signal === null ? "the interpreter could not be launched" : `the interpreter ended ${end} at its launch`,
    killed: "the interpreter did not stop in time, and was killed",
  }[reason]
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]!.slice(0, 80)

/** The line of `k_status` on a crash: its number, age, session and cause. */
export const crashLine = (crash: CrashRecord, now: number): string =>
  `${crash.n}, ${duration(Math.max(0, now - crash.at))} ago in session ${crash.session}: ${how(crash)}${crash.statement === undefined ? "" : `, in ${firstLine(crash.statement)}`}${crash.times > 1 ? `, ${crash.times} times` : ""} (k_history, action crash, tells all)`

/** The whole record but its script. */
export const crashText = (crash: CrashRecord): string =>
  paragraphs(
    `Crash ${crash.n}, ${time(crash.at)}, session ${crash.session}, generation ${crash.generation}, ${crash.engine}, build ${crash.build ?? "unknown"}${crash.times > 1 ? `, ${crash.times} times` : ""}: ${how(crash)}.`,
    crash.statement === undefined ? "Nothing was evaluated." : `To blame:\n${indent(crash.statement)}`,
    crash.stderr.trim() === "" ? undefined : `Standard error ends with:\n${indent(shortStack(crash.stderr))}`,
    crash.memory === null ? undefined : `Memory when last looked at: ${mebibytes(crash.memory)}`,
    crash.inputs.length === 0
      ? undefined
      : `The last inputs:\n${crash.inputs.map(({ at, code }) => `  ${time(at)}  ${code.replaceAll("\n", "\n    ")}`).join("\n")}`,
  )
