/** The results of the same code on two sides, as text and as fields that say the same, for `k_reload` and `k_compare`. */
import type { Comparison, ComparedItem } from "../../session/builds/compare.ts"
import type { RunResult } from "../../session/builds/Scratch.ts"
import type { Difference } from "../../child/Contents.ts"
import { shortened } from "../../shortened.ts"
import { changesLine, changesOutput, lostLine, lostOutput } from "./variables.ts"
import { duration, indent, paragraphs, plural, roundMs } from "./words.ts"

/** The names of the two sides. */
export type Sides = readonly [a: string, b: string]

/** Characters of an output that are shown, and how many of them come before the first difference. */
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

const withEnd = ({ how, why }: RunResult, printed: string): string =>
  how === "answered" ? printed : paragraphs(`${how}: ${why ?? ""}`, printed)

const line = (label: string, text: string): string =>
  text === "" ? `${label}: (nothing)` : text.includes("\n") ? `${label}:\n${indent(text)}` : `${label}: ${text}`

const rowText = ({ name, code, expected, a, b, differ }: ComparedItem, [left, right]: Sides): string => {
  const at = partAt(a.printed, b.printed)
  const meets = ({ how, printed }: RunResult) => how === "answered" && printed.replace(/\n$/, "") === expected
  const print = (side: string, of: RunResult) =>
    line(`${side} (${meets(of) ? "as expected, " : ""}${duration(of.ms)})`, withEnd(of, cut(of.printed, at)))
  return paragraphs(
    name === "" || name === code ? undefined : `/ ${shortened(name)}`,
    shortened(code),
    indent(
      paragraphs(
        ...(differ
          ? [print(left, a), print(right, b)]
          : [line(`both (${duration(a.ms)}, ${duration(b.ms)})`, withEnd(b, cut(b.printed, at)))]),
        expected === undefined || meets(a) || meets(b) ? undefined : line("expected", cut(expected, 0)),
      ),
    ),
  )
}

/** An item that neither side answered does not count as one that prints the same. */
const verdictOf = ({ differing, unanswered }: Comparison, ran: number, what: string): string => {
  const some = (n: number): string => (ran === 1 ? `The ${what}` : `${n === ran ? "All" : `${n} of`} ${plural(ran, what)}`)
  const ended = unanswered === 0 ? undefined : `${some(unanswered)} ended without an answer on both`
  const differ = differing === 0 ? undefined : `${some(differing)} ${differing === 1 ? "differs" : "differ"}`
  const alike = ran - differing - unanswered
  const same = differing > 0 || alike === 0 ? undefined : `${some(alike)} ${alike === 1 ? "prints" : "print"} the same on both`
  return [differ, same, ended].filter((part) => part !== undefined).join("; ")
}

const missingText = ({ missing }: Comparison, [left, right]: Sides): readonly (string | undefined)[] => {
  if (missing === undefined) return []
  const on = (side: string): string => `Not as in the session, on ${side}`
  const { a, b } = missing
  if (JSON.stringify(a) === JSON.stringify(b)) return [lostLine(a, on("both"))]
  return [lostLine(a, on(left)), lostLine(b, on(right))]
}

/** The changes of both sides in one line if they look alike, else line by line. */
const changesText = ({ changes }: Comparison, [left, right]: Sides): readonly string[] => {
  if (changes === undefined) return []
  const { a, b } = changes
  const looks = (all: typeof a): string =>
    JSON.stringify(all?.map(({ path, before, after }) => [path, before?.text, after?.type, after?.shape, after?.text]))
  if (a !== null && looks(a) === looks(b)) return [changesLine(a, "Changes on both")]
  return [changesLine(a, `Changes on ${left}`), changesLine(b, `Changes on ${right}`), ...differingValues(a ?? [], b ?? [], [left, right])]
}

/** A line for each name that both sides set to values that look different. */
const differingValues = (a: readonly Difference[], b: readonly Difference[], [left, right]: Sides): readonly string[] =>
  a.flatMap(({ path, after }) => {
    const other = b.find((each) => each.path === path)?.after
    if (after === undefined || other === undefined || (after.text === other.text && after.type === other.type)) return []
    return [`${path} differs: ${left} ${after.text}, ${right} ${other.text}`]
  })

/** `what`: the word for an item, such as `statement`. `began`: a sentence on the variables at the start. */
export const comparisonText = (of: Comparison, sides: Sides, what: string, began?: string): string => {
  const ran = of.items - of.left
  const verdict = verdictOf(of, ran, what)
  const expected =
    of.expected === undefined
      ? undefined
      : `Printed what the file expects: ${sides[0]} ${of.expected.a}, ${sides[1]} ${of.expected.b} of ${plural(of.expected.items, what)}.`
  const listed = of.rows.filter(({ differ }) => differ).length
  return paragraphs(
    `${verdict} (${sides[0]} ${duration(of.ms.a)}, ${sides[1]} ${duration(of.ms.b)}).`,
    expected,
    began,
    ...missingText(of, sides),
    ...of.rows.map((row) => rowText(row, sides)),
    listed < of.differing ? `${of.differing - listed} more differ.` : undefined,
    ...changesText(of, sides),
    of.left > 0
      ? `${plural(of.left, what)} ${of.left === 1 ? "was" : "were"} not run: the time for all of them was up (K3_EVAL_TIMEOUT_MAX).`
      : undefined,
  )
}

const side = (outcome: RunResult, at: number) => ({
  printed: cut(outcome.printed, at),
  ...(outcome.how !== "answered" && { how: `${outcome.how}: ${outcome.why ?? ""}` }),
  ms: roundMs(outcome.ms),
})

export const comparisonOutput = (of: Comparison) => ({
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
  ...(of.missing !== undefined && {
    missing: { a: lostOutput(of.missing.a).lost ?? [], b: lostOutput(of.missing.b).lost ?? [] },
  }),
  ...(of.changes !== undefined && {
    changes: { ...(of.changes.a && { a: changesOutput(of.changes.a) }), ...(of.changes.b && { b: changesOutput(of.changes.b) }) },
  }),
})
