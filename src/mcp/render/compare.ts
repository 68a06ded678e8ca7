/** The reply of `k_compare`. */
import * as Schema from "effect/Schema"
import type { BadCaseFile } from "../../session/builds/caseFile.ts"
import type { Comparison } from "../../session/builds/compare.ts"
import type { CompareRequest, NotComparable } from "../../session/builds/sides.ts"
import type { Reply } from "../Reply.ts"
import { comparisonFields, comparisonOutput, comparisonText, type Sides } from "./comparison.ts"
import { Failed, type Failure, refused } from "./failure.ts"

export const CompareOutput = Schema.Struct({
  ok: Schema.Boolean,
  between: Schema.optionalKey(Schema.Array(Schema.String)),
  ...comparisonFields,
  ...Failed,
})

export const compared = (done: Comparison, { between, file }: CompareRequest): Reply<typeof CompareOutput.Type> => {
  const sides: Sides = between[0] === between[1] ? [`${between[0]} (a)`, `${between[1]} (b)`] : between
  return {
    text: comparisonText(done, sides, file === undefined ? "statement" : "step"),
    structured: { ok: true, between, ...comparisonOutput(done) },
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
        `${JSON.stringify(error.side)} is no side.\nCall k_compare with between made of embedded, k3csharp, running, disk or the name of an open session.`,
      )
    case "idle":
      return refused("arguments", `Session ${session} has not started. Call k_eval in it first, or k_compare with disk instead of running.`)
    case "file":
      return refused(
        "arguments",
        `Each case of a file begins in a clean workspace, and ${error.side} is not cleared for that.\nCall k_compare with engines or builds, or with code.`,
      )
  }
}
