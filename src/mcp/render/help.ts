/** The reply of `k_help`: an entry whole, or a list of what could be meant and how to open each. */
import * as Schema from "effect/Schema"
import type { Answer } from "../../help/help.ts"
import type { Reply } from "../Reply.ts"
import { Failed } from "./failure.ts"
import { paragraphs } from "./words.ts"

export const HelpOutput = Schema.Struct({
  ok: Schema.Boolean,
  text: Schema.optionalKey(Schema.String),
  matches: Schema.optionalKey(Schema.Array(Schema.Struct({ open: Schema.String, what: Schema.String }))),
  next: Schema.optionalKey(Schema.String),
  ...Failed,
})

export const help = (query: string, answer: Answer): Reply<typeof HelpOutput.Type> => {
  if (answer.kind === "entry") return { text: answer.text, structured: { ok: true, text: answer.text } }
  const { matches } = answer
  const next =
    matches.length === 0
      ? `Nothing is like ${JSON.stringify(query.slice(0, 60))}. Call k_help with other words, or without query for the topics.`
      : "Call k_help with the name on the left as query to open one."
  const width = Math.min(24, Math.max(0, ...matches.map(({ open }) => open.length)))
  return {
    text: paragraphs(...matches.map(({ open, what }) => `${open.padEnd(width)}  ${what}`), next),
    structured: { ok: true, matches, next },
  }
}
