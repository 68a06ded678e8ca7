/** The reply of `k_validate`. `ok` is true when no issue has severity error. */
import type { differencesIn } from "../../help/k3csharp.ts"
import type { Issue, StatementTrees } from "../../k3/documents.ts"
import type { HeldNames } from "../../session/Session.ts"
import { noticed } from "./Reply.ts"
import { duration, indent, paragraphs, plural, roundMs } from "./words.ts"

type Difference = ReturnType<typeof differencesIn>[number]

export const lineText = ({ line, column, severity, code, message, source, caret, opened, instead }: Issue): string => {
  const isElsewhere = opened !== undefined && (opened.line !== line || opened.column !== column)
  return paragraphs(
    `${line}:${column} ${severity} ${code}: ${message}${isElsewhere ? ` (opened at ${opened.line}:${opened.column})` : ""}`,
    indent(source),
    `  ${caret}`,
    instead === undefined ? undefined : `  write: ${instead}`,
  )
}

/** A difference of K3CSharp as an issue at its position in the code. */
const engineIssue = ({ code, there, here, line, column, source, caret }: Difference): Issue => ({
  severity: "hint",
  code: `k3csharp-${code}`,
  message: `${there} (in K ${here})`,
  line,
  column,
  source,
  caret,
})

const namesNotice = ({ ageMs }: HeldNames): string | undefined => {
  if (ageMs === null) return "An evaluation is running and the names of the session are not known yet: unknown names are not reported."
  return ageMs > 0 ? `Names are those of ${duration(ageMs)} ago: an evaluation is running.` : undefined
}

const treesText = ({ trees }: StatementTrees, { engine }: HeldNames): string =>
  paragraphs(
    engine === "k3csharp"
      ? "As K reads it; K3CSharp may read it otherwise:"
      : "As K reads it, what is applied first; `x is the name x, and ,`x a symbol:",
    ...trees.map(({ line, tree }) => `  ${line}: ${tree ?? "no code that can be read"}`),
  )

/** `issues` are the language's; `differences` are those of the session's engine. */
export const validation = (issues: readonly Issue[], differences: readonly Difference[], held: HeldNames, read?: StatementTrees) => {
  const known = held.ageMs === null ? issues.filter((each) => each.code !== "unknown-name") : issues
  const all = [...known, ...differences.map((each) => engineIssue(each))]
  const errors = known.filter(({ severity }) => severity === "error").length
  return noticed(
    [
      all.map(lineText).join("\n") || "No issues.",
      read && treesText(read, held),
      errors > 0 ? `${plural(errors, "error")}: it would not run. Fix, then k_eval.` : undefined,
    ],
    {
      ok: errors === 0,
      issues: all,
      ...(read !== undefined && { tree: read.trees }),
      ...(held.ageMs !== null && held.ageMs > 0 && { names_age_ms: roundMs(held.ageMs) }),
    },
    [
      namesNotice(held),
      read?.isCut === true
        ? `The trees are of the first ${read.trees.length} statements; call k_validate with the others for theirs.`
        : undefined,
      errors > 0 && held.engine === "k3csharp" ? "K3CSharp passes over many such errors in silence: it prints nothing at all." : undefined,
    ],
  )
}
