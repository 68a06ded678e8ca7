/**
 * The lines with which a console shows the results of evaluations, its own and others'. Pure. Guarantees: no character of the text moves the cursor
 * or changes a colour.
 */
import { visible } from "../visible.ts"
import type { HistoryReplyEntry, EvalReply } from "./follow.ts"
import { forPeople } from "./forPeople.ts"
import type { Plot } from "./wire.ts"

/** Text and its ANSI style. */
export interface Line {
  readonly text: string
  readonly style?: "2" | "31" | "36"
}

const whole = (text: string): string => (text === "" || text.endsWith("\n") ? visible(text) : `${visible(text)}\n`)

const line = (text: string | undefined, style?: Line["style"]): readonly Line[] =>
  text === undefined || text === "" ? [] : [{ text: whole(text), ...(style !== undefined && { style }) }]

/** The reply to a statement that was typed at this console. */
export const replyLines = ({ output, error, notice }: EvalReply): readonly Line[] => [
  ...line(output),
  ...line(error && forPeople(error.text), "31"),
  ...line(notice && forPeople(notice), "2"),
]

const effects: ReadonlyMap<string, string> = new Map([
  ["none", "; nothing ran"],
  ["undone", "; undone"],
])

/** An entry of the history: `agent> x:1`, then its output and error. */
export const entryLines = ({ by = "agent", code, output, error, effect, event }: HistoryReplyEntry): readonly Line[] => {
  const mark = `${by}> `
  if (event !== undefined) return line(`${mark}(${event}${output === undefined ? "" : ` ${output.trim()}`})`, "36")
  return [
    ...line(`${mark}${code.trimEnd().replaceAll("\n", `\n${" ".repeat(mark.length)}`)}`, "36"),
    ...line(output),
    ...line(error === undefined ? undefined : `${error.trimEnd()}${effects.get(effect ?? "") ?? ""}`, "31"),
  ]
}

/** A picture, which a terminal cannot show, as its title and its figures in words. */
export const plotLines = ({ title, summary }: Plot): readonly Line[] => [...line(`plot> ${title}`, "36"), ...line(summary)]

/** The line for a running evaluation of another caller. */
export const runningLine = (statement: string): Line => ({ text: `  … runs: ${visible(statement)}   (\\stop ends it)\n`, style: "2" })
