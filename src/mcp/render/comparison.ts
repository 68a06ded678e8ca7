/** The same code on two sides, as text and as the structured fields that say the same; `k_reload` and `k_compare` show it. */
import * as Schema from "effect/Schema"
import type { Comparison, Row } from "../../session/builds/compare.ts"
import type { Outcome } from "../../session/builds/Scratch.ts"
import { shortened } from "../../shortened.ts"
import { duration, indent, paragraphs, plural, roundMs } from "./words.ts"

/** What the two sides are called. */
export type Sides = readonly [a: string, b: string]

const Side = Schema.Struct({
  printed: Schema.String,
  /** Absent when it answered. */
  how: Schema.optionalKey(Schema.String),
  ms: Schema.Finite,
})

export const ComparisonOutput = Schema.Struct({
  items: Schema.Finite,
  differing: Schema.Finite,
  unanswered: Schema.optionalKey(Schema.Finite),
  as_expected: Schema.optionalKey(Schema.Struct({ items: Schema.Finite, a: Schema.Finite, b: Schema.Finite })),
  ms: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
  rows: Schema.Array(
    Schema.Struct({
      name: Schema.optionalKey(Schema.String),
      code: Schema.String,
      differ: Schema.Boolean,
      expected: Schema.optionalKey(Schema.String),
      a: Side,
      b: Side,
    }),
  ),
  not_run: Schema.optionalKey(Schema.Finite),
})

const { items, differing, unanswered, as_expected, ms, rows, not_run } = ComparisonOutput.fields

/** The same, where they are part of a reply that may be another. */
export const comparisonFields = {
  items: Schema.optionalKey(items),
  differing: Schema.optionalKey(differing),
  unanswered,
  as_expected,
  ms: Schema.optionalKey(ms),
  rows: Schema.optionalKey(rows),
  not_run,
}

/** Characters of a print that are shown, from a little before where the two part. */
const shown = 400
const lead = 60

const partAt = (a: string, b: string): number => {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return i
}

const cut = (text: string, from: number): string => {
  const start = from + lead <= shown ? 0 : from - lead
  const part = text.slice(start, start + shown).replace(/\n$/, "")
  return `${start > 0 ? "…" : ""}${part}${start + shown < text.length ? "…" : ""}`
}

const told = ({ how, why }: Outcome, printed: string): string =>
  how === "answered" ? printed : paragraphs(`${how}: ${why ?? ""}`, printed)

const line = (label: string, text: string): string =>
  text === "" ? `${label}: (nothing)` : text.includes("\n") ? `${label}:\n${indent(text)}` : `${label}: ${text}`

const rowText = ({ name, code, expected, a, b, differ }: Row, [left, right]: Sides): string => {
  const at = partAt(a.printed, b.printed)
  const meets = ({ how, printed }: Outcome) => how === "answered" && printed.replace(/\n$/, "") === expected
  const print = (side: string, of: Outcome) =>
    line(`${side} (${meets(of) ? "as expected, " : ""}${duration(of.ms)})`, told(of, cut(of.printed, at)))
  return paragraphs(
    name === "" || name === code ? undefined : `/ ${shortened(name)}`,
    shortened(code),
    indent(
      paragraphs(
        ...(differ ? [print(left, a), print(right, b)] : [line("both", told(b, cut(b.printed, at)))]),
        expected === undefined || meets(a) || meets(b) ? undefined : line("expected", cut(expected, 0)),
      ),
    ),
  )
}

/** An item that neither side answered is no item that prints the same. */
const verdictOf = ({ differing, unanswered }: Comparison, ran: number, what: string): string => {
  const some = (n: number): string => (ran === 1 ? `The ${what}` : `${n === ran ? "All" : `${n} of`} ${plural(ran, what)}`)
  const ended = unanswered === 0 ? undefined : `${some(unanswered)} ended without an answer on both`
  const differ = differing === 0 ? undefined : `${some(differing)} ${differing === 1 ? "differs" : "differ"}`
  const alike = ran - differing - unanswered
  const same = differing > 0 || alike === 0 ? undefined : `${some(alike)} ${alike === 1 ? "prints" : "print"} the same on both`
  return [differ, same, ended].filter((part) => part !== undefined).join("; ")
}

/** `what`: how one item is called. */
export const comparisonText = (of: Comparison, sides: Sides, what: string): string => {
  const ran = of.items - of.left
  const verdict = verdictOf(of, ran, what)
  const expected =
    of.expected === undefined
      ? undefined
      : `As expected: ${sides[0]} ${of.expected.a}, ${sides[1]} ${of.expected.b} of ${of.expected.items}.`
  const listed = of.rows.filter(({ differ }) => differ).length
  return paragraphs(
    `${verdict} (${sides[0]} ${duration(of.ms.a)}, ${sides[1]} ${duration(of.ms.b)}).`,
    expected,
    ...of.rows.map((row) => rowText(row, sides)),
    listed < of.differing ? `${of.differing - listed} more differ.` : undefined,
    of.left > 0 ? `${plural(of.left, what)} ${of.left === 1 ? "was" : "were"} not run any more: the time for all was up.` : undefined,
  )
}

const side = (outcome: Outcome, at: number): typeof Side.Type => ({
  printed: cut(outcome.printed, at),
  ...(outcome.how !== "answered" && { how: `${outcome.how}: ${outcome.why ?? ""}` }),
  ms: roundMs(outcome.ms),
})

export const comparisonOutput = (of: Comparison): typeof ComparisonOutput.Type => ({
  items: of.items,
  differing: of.differing,
  ...(of.unanswered > 0 && { unanswered: of.unanswered }),
  ...(of.expected !== undefined && { as_expected: of.expected }),
  ms: { a: roundMs(of.ms.a), b: roundMs(of.ms.b) },
  rows: of.rows.map(({ name, code, expected, a, b, differ }) => {
    const at = partAt(a.printed, b.printed)
    return {
      ...(name !== "" && { name: shortened(name) }),
      code: shortened(code),
      differ,
      ...(expected !== undefined && { expected: cut(expected, 0) }),
      a: side(a, at),
      b: side(b, at),
    }
  }),
  ...(of.left > 0 && { not_run: of.left }),
})
