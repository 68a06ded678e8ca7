/** The reply of `k_inspect`. */
import * as Schema from "effect/Schema"
import type { Entry, Inspection } from "../../session/Session.ts"
import type { Reply } from "../Reply.ts"
import { Failed } from "./failure.ts"
import { duration, paragraphs, roundMs } from "./words.ts"

const EntryOutput = Schema.Struct({
  name: Schema.String,
  type: Schema.Finite,
  kind: Schema.String,
  shape: Schema.String,
  preview: Schema.String,
})

export const InspectionOutput = Schema.Struct({
  ok: Schema.Boolean,
  path: Schema.optionalKey(Schema.String),
  entries: Schema.optionalKey(Schema.Array(EntryOutput)),
  value: Schema.optionalKey(EntryOutput),
  generation: Schema.optionalKey(Schema.Finite),
  age_ms: Schema.optionalKey(Schema.Finite),
  omitted: Schema.optionalKey(Schema.Finite),
  ...Failed,
})

const entryLine = ({ name, kind, shape, preview }: Entry): string => [name, kind, shape, preview].filter((part) => part !== "").join("  ")

export const inspection = ({ path, entries, value, generation, ageMs, omitted }: Inspection): Reply<typeof InspectionOutput.Type> => {
  const lines = value === undefined ? entries.map(entryLine) : [entryLine(value)]
  return {
    text: paragraphs(
      lines.length === 0 ? `No names in ${path}` : lines.join("\n"),
      omitted > 0 ? `${omitted} more are left out; call k_inspect with a path further down.` : undefined,
      ageMs > 0 ? `As it was ${duration(ageMs)} ago: an evaluation is running.` : undefined,
    ),
    structured: {
      ok: true,
      path,
      ...(value === undefined ? { entries } : { value }),
      generation,
      ...(ageMs > 0 && { age_ms: roundMs(ageMs) }),
      ...(omitted > 0 && { omitted }),
    },
  }
}
