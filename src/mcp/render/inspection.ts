/** The reply of `k_inspect`. */
import type { Inspection } from "../../session/Session.ts"
import type { ListedValue, ListedName } from "../../child/engines/Listing.ts"
import { noticed, type Reply } from "./Reply.ts"
import { duration, paragraphs, plural, roundMs, size, some } from "./words.ts"

const entryLine = ({ name, kind, shape, preview }: ListedName): string =>
  [name, kind, shape, preview].filter((part) => part !== "").join("  ")

const list = (label: string, all: readonly string[]): string | undefined => (all.length === 0 ? undefined : `${label}: ${all.join(", ")}`)

const detailLines = (value: ListedValue): string => {
  const { bytes, bytesAtLeast, tail, least, greatest, mean, distinct, nulls, sampled, function: known } = value
  if (known !== undefined)
    return paragraphs(
      `${value.name}  function of ${plural(known.valence, "argument")}`,
      known.text,
      list("locals", known.locals),
      list("uses", known.uses),
      list("assigns", known.assigns),
      list("used by", known.usedBy),
      list("touches", known.touches),
    )
  const figures = [
    bytes === undefined ? undefined : size(bytes),
    bytesAtLeast === undefined ? undefined : `at least ${size(bytesAtLeast)}`,
    least === undefined ? undefined : `least ${least}`,
    greatest === undefined ? undefined : `greatest ${greatest}`,
    mean === undefined ? undefined : `mean ${mean}`,
    distinct === undefined ? undefined : `${distinct} distinct`,
    nulls === undefined ? undefined : plural(nulls, "null"),
    sampled === undefined ? undefined : `figures of a sample of ${sampled}`,
  ].filter((part) => part !== undefined)
  return paragraphs(
    entryLine(value),
    tail === undefined ? undefined : `… ${tail}`,
    value.type === 0 || tail !== undefined || sampled !== undefined || least !== undefined || (distinct ?? nulls) !== undefined
      ? figures.join(", ")
      : undefined,
  )
}

const detailOutput = ({ function: known, bytesAtLeast, ...value }: ListedValue) => ({
  ...value,
  ...(bytesAtLeast !== undefined && { bytes_at_least: bytesAtLeast }),
  ...(known !== undefined && {
    text: known.text,
    valence: known.valence,
    locals: known.locals,
    uses: known.uses,
    assigns: known.assigns,
    used_by: known.usedBy,
    touches: known.touches,
  }),
})

const notSearched = (unread: number): string | undefined =>
  unread === 0
    ? undefined
    : `${plural(unread, "variable")} too large to be searched ${unread === 1 ? "was" : "were"} looked at by name only.`

/** The fields on the state that was looked at, and on what is left out. */
const stateOf = ({ generation, ageMs, omitted, next }: Inspection) => ({
  generation,
  ...(ageMs > 0 && { age_ms: roundMs(ageMs) }),
  ...(omitted > 0 && { omitted }),
  ...(next !== undefined && { cursor: String(next) }),
})

const ageNotice = ({ ageMs }: Inspection): string | undefined =>
  ageMs > 0 ? `As it was ${duration(ageMs)} ago: an evaluation is running.` : undefined

/** The reply with the variables whose name or value contains the text. */
export const found = (text: string, seen: Inspection & { readonly unread: number }): Reply => {
  const { entries, omitted, next, unknown, unread } = seen
  const nothing =
    unknown === true
      ? undefined
      : `No name and no text of the session holds ${JSON.stringify(text)}. Call k_inspect with path . to see the names.`
  return noticed([entries.map(entryLine).join("\n") || nothing], { entries, ...stateOf(seen) }, [
    unknown === true
      ? "An evaluation is running, and nothing was looked at before it; call k_inspect again when k_status says ready."
      : undefined,
    omitted > 0 ? `${omitted} more are left out; k_inspect with cursor "${next}" goes on.` : undefined,
    notSearched(unread),
    ageNotice(seen),
  ])
}

/** The sentence for a path without a value. For `b[...]` it says to give the index as `slice`. */
const noValue = (path: string): string => {
  const [, head, index] = /^([^[\]]+)(\[.*\])$/.exec(path) ?? []
  return head === undefined
    ? `${path} has no value. Call k_inspect without path to see the names there are.`
    : `${path} has no value. Call k_inspect with path ${head} and slice ${index}.`
}

const mostOthers = 20
const otherDirectories = (others: readonly string[]): string =>
  `Other directories: ${some(others, mostOthers)}; k_inspect with path . lists all.`

/** `skip`: the number of names that the call left out. */
export const inspection = (seen: Inspection, skip = 0): Reply => {
  const { path, entries, value, omitted, next, problem, unknown, others = [] } = seen
  const nothing = value?.kind === "no value" && unknown !== true
  const isEmpty = value === undefined && entries.length === 0 && unknown !== true && problem === undefined
  return noticed(
    isEmpty
      ? [skip > 0 ? `There is nothing more: ${path} has no name after the first ${skip}.` : `${path} is empty: it holds no variable.`]
      : [nothing ? undefined : value && detailLines(value), ...entries.map(entryLine)],
    {
      path,
      ...((value === undefined || entries.length > 0) && { entries }),
      ...(value !== undefined && { value: detailOutput(value) }),
      ...(others.length > 0 && { others }),
      ...stateOf(seen),
    },
    [
      nothing ? noValue(path) : undefined,
      problem === undefined ? undefined : `That slice of ${path} shows nothing: ${problem}. Call k_inspect without slice to see its shape.`,
      unknown === true
        ? "An evaluation is running, and this was not looked at before it; call k_inspect again when k_status says ready."
        : undefined,
      omitted > 0
        ? `${omitted} more are left out; ${next === undefined ? "call k_inspect with a path further down" : `k_inspect with cursor "${next}" goes on`}.`
        : undefined,
      others.length === 0 ? undefined : otherDirectories(others),
      ageNotice(seen),
    ],
  )
}
