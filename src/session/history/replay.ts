/** The history run again, and written down so that it can be: what of each entry ran and counts. */
import * as Effect from "effect/Effect"
import { type Case, caseText, expectedText } from "../../repl/cases.ts"
import type { Entry } from "./HistoryLog.ts"
import { isCutShort, ranOf } from "./ranOf.ts"
import type { Session } from "../Session.ts"
import type { Evaluation } from "../Evaluation.ts"
import type { SessionError } from "../SessionError.ts"

export interface Replayed {
  readonly ran: readonly number[]
  /** Nothing of these counts: nothing ran, or it was undone, or ended by force at the first statement. */
  readonly skipped: readonly number[]
  /** The entry that ended otherwise than it did then. */
  readonly stopped?: { readonly n: number; readonly evaluation: Evaluation } | { readonly n: number; readonly error: SessionError }
}

/** As `ranOf`; of a copy of another session what makes the variables that it began with. */
const codeOf = (entry: Entry): string | undefined =>
  entry.event === "fork" && entry.codeCut === undefined ? entry.code || undefined : ranOf(entry)

/** In order, until the first that does not end as it did: an error of K that was one then as well stops nothing. */
export const replay = Effect.fnUntraced(function* (entries: readonly Entry[], session: Session): Effect.fn.Return<Replayed> {
  const ran: number[] = []
  const skipped: number[] = []
  for (const entry of entries) {
    const { n } = entry
    const code = codeOf(entry)
    if (code === undefined) {
      if (entry.event === undefined) skipped.push(n)
      continue
    }
    const done = yield* Effect.result(session.evaluate({ code }))
    if (done._tag === "Failure") return { ran, skipped, stopped: { n, error: done.failure } }
    const then = isCutShort(entry) ? undefined : entry.error?.name
    if (done.success.error?.name !== then) return { ran, skipped, stopped: { n, evaluation: done.success } }
    ran.push(n)
  }
  return { ran, skipped }
})

type Step = Case["steps"][number]

/** What was entered and printed; undefined for an entry that nothing is known of that would come again. */
const stepOf = (entry: Entry): Omit<Step, "line"> | undefined => {
  const code = codeOf(entry)
  if (code === undefined) return undefined
  const { output, bytes, error, event } = entry
  if (event !== undefined) return { code, expected: expectedText("") }
  if (bytes !== undefined || isCutShort(entry)) return { code, expected: expectedText(undefined) }
  const printed = output === "" || output.endsWith("\n") ? output : `${output}\n`
  return { code, expected: expectedText(printed + (error?.text ?? "")) }
}

/** A file of cases: one for each workspace, which begins where the one before it was emptied. */
export const testOf = (session: string, entries: readonly Entry[]): string => {
  const groups: Entry[][] = [[]]
  const events: (Entry["event"] | undefined)[] = [undefined]
  for (const entry of entries) {
    if (entry.event === undefined) groups.at(-1)!.push(entry)
    else {
      groups.push(codeOf(entry) === undefined ? [] : [entry])
      events.push(entry.event)
    }
  }
  return groups
    .map((group, i) => ({ group, steps: group.map(stepOf).filter((step) => step !== undefined), after: events[i] }))
    .filter(({ group, steps }) => steps.length > (group[0]?.event === undefined ? 0 : 1))
    .map(({ group, steps, after }) => {
      const [from, to] = [group[0]!.n, group.at(-1)!.n]
      const name = `${session} ${from} to ${to}`
      return caseText({
        name:
          after === "reset" || after === "reload" || group[0]!.event !== undefined || from === 1
            ? name
            : `${name}\nwhat was there before ${from} is not in it`,
        steps,
      })
    })
    .join("\n")
}
