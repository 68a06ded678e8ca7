/** The reply of `k_compare`. */
import * as Schema from "effect/Schema"
import type { BadCaseFile } from "../../session/builds/caseFile.ts"
import type { Compared, CompareRequest, NotComparable } from "../../session/builds/sides.ts"
import type { Reply } from "../Reply.ts"
import { comparisonFields, comparisonOutput, comparisonText, type Sides } from "./comparison.ts"
import { Failed, type Failure, refused } from "./failure.ts"
import { plural } from "./words.ts"

export const CompareOutput = Schema.Struct({
  ok: Schema.Boolean,
  between: Schema.optionalKey(Schema.Array(Schema.String)),
  variables: Schema.optionalKey(Schema.Finite),
  ...comparisonFields,
  ...Failed,
})

const beganWith = ({ began }: Compared, between: CompareRequest["between"], session: string): string | undefined =>
  began === undefined
    ? undefined
    : `${isNamed(between) ? "The other side" : "Both"} began with ${plural(began, "variable")} of session ${session}.`

/** Is one side a session that runs the code itself? */
const isNamed = (between: CompareRequest["between"]): boolean =>
  between.some((side) => !["embedded", "k3csharp", "running", "disk"].includes(side))

export const compared = (done: Compared, { between, file, session }: CompareRequest): Reply<typeof CompareOutput.Type> => {
  const sides: Sides = between[0] === between[1] ? [`${between[0]} (a)`, `${between[1]} (b)`] : between
  return {
    text: comparisonText(done, sides, file === undefined ? "statement" : "step", beganWith(done, between, session)),
    structured: { ok: true, between, ...comparisonOutput(done), ...(done.began !== undefined && { variables: done.began }) },
  }
}

export const notCompared = (error: NotComparable | BadCaseFile, { session, code, file }: CompareRequest): Reply<Failure> => {
  if (error._tag === "BadCaseFile")
    return refused("arguments", `${error.file}: ${error.reason}.\nCall k_compare with a file of cases below K3_ROOTS.`)
  switch (error.problem) {
    case "what":
      return refused(
        "arguments",
        code !== undefined && file !== undefined
          ? "Give code or file, not both. Call k_compare with one of them."
          : code === undefined
            ? "There is nothing to compare. Call k_compare with code or file."
            : "The code has no statement. Call k_compare with one, or with file.",
      )
    case "side":
      return refused(
        "arguments",
        `${JSON.stringify(error.side)} is neither an engine, a build nor an open session.\nCall k_compare with between made of embedded, k3csharp, running, disk or the name of an open session.`,
      )
    case "idle":
      return refused("arguments", `Session ${session} has not started. Call k_eval in it first, or k_compare with disk instead of running.`)
    case "changes":
      return refused(
        "arguments",
        "Each case of a file begins in a clean workspace, so its changes are not told. Call k_compare without changes, or with code.",
      )
    case "file":
      return refused(
        "arguments",
        `Each case of a file begins in a clean workspace, and session ${error.side.replace(/^session:/, "")} is not cleared for that.\nCall k_compare with engines or builds, or with code.`,
      )
  }
}
