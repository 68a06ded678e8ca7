/** The reply of `k_help`: a whole entry, or a list of matches with the query that opens each. */
import type { HelpAnswer, answerText } from "../../help/help.ts"
import type { Reply } from "./Reply.ts"

/** `lines`: the function `answerText` of the help, which is passed in because the help is loaded late. */
export const help = (query: string, answer: HelpAnswer, lines: typeof answerText): Reply => {
  const next =
    answer.kind === "entry"
      ? ""
      : answer.matches.length === 0
        ? `Nothing is like ${JSON.stringify(query.slice(0, 60))}. Call k_help with other words, or without query for the topics.`
        : "Call k_help with the name on the left as query to open one."
  const text = lines(answer, next)
  return { text, structured: answer.kind === "entry" ? { ok: true, text } : { ok: true, matches: answer.matches, next } }
}
