/** The reply of `k_compare`. */
import { engineKinds } from "../../engineKinds.ts"
import type { BadCaseFile } from "../../session/builds/caseFile.ts"
import type { ComparedSides, CompareRequest, NotComparable } from "../../session/builds/sides.ts"
import { failed, noticed, type Reply } from "./Reply.ts"
import { comparisonOutput, comparisonText, type Sides } from "./comparison.ts"
import type { Tried } from "../examples.ts"
import { examplesOutput, notRunText, ranText } from "./examples.ts"
import { notice } from "./evaluation.ts"
import { shortened } from "../../shortened.ts"
import type { Difference } from "../../child/Contents.ts"
import type { Drift } from "../../session/builds/drift.ts"
import { preview } from "./variables.ts"
import { duration, indent, paragraphs, plural, some } from "./words.ts"

const beganWith = ({ began }: ComparedSides, between: CompareRequest["between"], session: string): string | undefined =>
  began === undefined
    ? undefined
    : `${isNamed(between) ? "The other side" : "Both"} began with ${plural(began, "variable")} of session ${session}.`

/** Is one side the name of an open session, which runs the code itself? */
const isNamed = (between: CompareRequest["between"]): boolean => between.some((side) => ![...engineKinds, "running", "disk"].includes(side))

export const compared = (done: ComparedSides, { between, file, session }: CompareRequest): Reply => {
  const sides: Sides = between[0] === between[1] ? [`${between[0]} (a)`, `${between[1]} (b)`] : between
  return noticed(
    [comparisonText(done, sides, file === undefined ? "statement" : "step", beganWith(done, between, session))],
    { between, ...comparisonOutput(done), ...(done.began !== undefined && { variables: done.began }) },
    [...new Set((done.notices ?? []).map(notice))],
  )
}

const mostDrift = 50
const driftRow = ({ path, before, after }: Difference) => ({
  name: path,
  script: preview(before!),
  ...(after !== undefined && { session: preview(after) }),
})

/** The reply for a script compared with a session. In each difference, `before` is the script's value and `after` the session's. */
export const drifted = (file: string, session: string, drift: Drift): Reply => {
  const { differing, unsure, same, ageMs, ended, isKnown } = drift
  const { how, why, printed, error } = ended
  if (how !== "answered" || !isKnown)
    return failed(
      how === "answered" ? "busy" : how,
      paragraphs(
        `${file} did not come to its end in the scratch interpreter: ${why ?? "what it defined could not be told"}.`,
        printed,
        "Try it with k_eval in a session of its own, then call k_compare again.",
      ),
    )
  const count = differing.length
  const shown = differing.slice(0, mostDrift).map(driftRow)
  return noticed(
    [
      `${file} and session ${session}: ${plural(count, "definition")} ${count === 1 ? "differs" : "differ"}, ${same} the same.`,
      ...shown.map((row) => `${row.name}: script ${row.script}; session ${row.session ?? "has none"}`),
    ],
    { drift: shown, same },
    [
      ageMs === undefined
        ? undefined
        : ageMs === null
          ? `An evaluation is running in session ${session}, and its variables were not looked at before it.`
          : `Session ${session} as it was ${duration(ageMs)} ago: an evaluation is running.`,
      count > shown.length ? `${count - shown.length} more are left out.` : undefined,
      unsure.length === 0 ? undefined : `Looks the same, but no exact value is held: ${some(unsure.map(({ path }) => path))}`,
      error === undefined
        ? undefined
        : `An error stopped the script, and what comes behind it is not compared:\n${indent(shortened(error.trimEnd(), 1000))}`,
      count === 0 ? undefined : "k_eval with those lines of the script makes the session's the same.",
    ],
  )
}

/** The results of the tools' kept examples on each side. The same tools are left out on both. */
export const examplesCompared = (between: readonly string[], sides: readonly Tried[]): Reply =>
  noticed(
    sides.map((tried, i) => ranText(tried, ` on ${between[i]}`)),
    { between, examples: sides.map(examplesOutput) },
    sides.slice(0, 1).map(notRunText),
  )

export const notCompared = (error: NotComparable | BadCaseFile, { session, code, file }: CompareRequest): Reply => {
  if (error._tag === "BadCaseFile")
    return failed("arguments", `${error.file}: ${error.reason}.\nCall k_compare with a file of cases below K3_ROOTS.`)
  const text = {
    what:
      code !== undefined && file !== undefined
        ? "Give code or file, not both. Call k_compare with one of them."
        : code === undefined
          ? "There is nothing to compare. Call k_compare with code or file."
          : "The code has no statement. Call k_compare with one, or with file.",
    side: `${JSON.stringify(error.side)} is neither an engine, a build nor an open session.\nCall k_compare with between made of embedded, k3csharp, running, disk or the name of an open session.`,
    idle: `Session ${session} has not started. Call k_eval in it first, or k_compare with disk instead of running.`,
    changes: "Each case of a file begins in a clean workspace, so its changes are not told. Call k_compare without changes, or with code.",
    file: `Each case of a file begins in a clean workspace, and session ${error.side.replace(/^session:/, "")} is not cleared for that.\nCall k_compare with engines or builds, or with code; without between, for how a script's definitions differ from a session's.`,
  }[error.problem]
  return failed("arguments", text)
}
