/** Judges three interpreters' answers to one program: where both others agree on a value, this one gives it too, or a row of `known.ts` says why not. */
import type { Answer, Program } from "./engines.ts"
import { known, type Disagreement } from "./known.ts"
import { alike, isWide } from "./printed.ts"

/** `unjudged`: the others do not agree on a value, or ours takes more than it may use here. `unexplained` is a failure; anything else is the id of a row. */
export type Verdict = "agrees" | "unjudged" | "unexplained" | (string & {})

export const judge = (program: Program, ours: Answer, k3csharp: Answer, kona: Answer): Verdict => {
  if (ours.kind === "error" && /^(?:wsfull|limit|stack) /.test(ours.text)) return "unjudged"
  if (k3csharp.kind !== "value" || kona.kind !== "value" || !alike(k3csharp.value, kona.value)) return "unjudged"
  if (ours.kind === "value" && alike(ours.value, kona.value)) return "agrees"
  const disagreement: Disagreement = { code: program.join("\n"), ours, theirs: kona.value }
  return known.find((row) => row.covers(disagreement))?.id ?? "unexplained"
}

/** Does one other interpreter say the same? Undefined where there is nothing to compare. */
export const sameAs = (ours: Answer, other: Answer): boolean | undefined =>
  ours.kind !== "value" || other.kind !== "value" || isWide(other.value) ? undefined : alike(ours.value, other.value)
