/**
 * Runs the same code on two sides, and compares the printed texts and the times.
 *
 * Guarantees: texts are compared character by character, except for a last newline, which only one of the engines prints. A side that dies,
 * exceeds its deadline or refuses is a result like any other. At most `mostRows` rows are kept. Two sides that end in the same way without an
 * answer do not differ; such items are counted and listed. Does not: choose the sides.
 */
import * as Effect from "effect/Effect"
import { sumAll } from "effect/Number"
import { type OutputComparison, isExpected } from "../../repl/cases.ts"
import { monotonic } from "../../elapsed.ts"
import type { RunItem } from "./caseFile.ts"
import { shortened } from "../../shortened.ts"
import type { Difference, Lost } from "../../child/Contents.ts"
import type { RunResult, CodeRunner } from "./Scratch.ts"
import { Announce } from "../Announce.ts"

export interface ComparedItem {
  readonly name: string
  readonly code: string
  readonly expected?: string
  readonly a: RunResult
  readonly b: RunResult
  readonly differ: boolean
}

export interface Comparison {
  readonly items: number
  readonly differing: number
  /** Number of items with an expected text, and on how many of them each side printed it. */
  readonly expected?: { readonly items: number; readonly a: number; readonly b: number }
  /** Items on which both sides ended in the same way without an answer. */
  readonly unanswered: number
  /** Items on which side b died or exceeded its deadline, and side a did not. */
  readonly fallen: number
  readonly ms: { readonly a: number; readonly b: number }
  /** Items that differ, that neither side answered, or on which b did not print the expected text; with `all`, every item. */
  readonly rows: readonly ComparedItem[]
  /** Items that were not run, for lack of time. */
  readonly left: number
  /** Variables of the initial state that a side lacked, or may have lacked. */
  readonly missing?: { readonly a: readonly Lost[]; readonly b: readonly Lost[] }
  /** The changes of all items on each side, if requested. Null when they are unknown. */
  readonly changes?: { readonly a: readonly Difference[] | null; readonly b: readonly Difference[] | null }
}

const mostRows = 12

const trimmed = (printed: string): string => printed.replace(/\n$/, "")

const alike = (a: RunResult, b: RunResult, how: OutputComparison): boolean => {
  if (a.how !== b.how) return false
  if (a.how !== "answered") return true
  const [left, right] = [trimmed(a.printed), trimmed(b.printed)]
  return left === right || ((how === "shape" || how === "padding") && isExpected(left, right, how))
}

const isAsExpected = ({ how, printed }: RunResult, { expected, how: compared }: RunItem): boolean =>
  expected !== undefined && how === "answered" && isExpected(printed, expected, compared)

const wasEnded = ({ how }: RunResult): boolean => how === "died" || how === "deadline"

/** The facts of an item that are counted, without the printed texts. */
const factsOf = (item: RunItem, a: RunResult, b: RunResult) => ({
  differs: !alike(a, b, item.how),
  isAnswered: a.how === "answered",
  onlyBWasEnded: wasEnded(b) && !wasEnded(a),
  isExpecting: item.expected !== undefined,
  aIsAsExpected: isAsExpected(a, item),
  bIsAsExpected: isAsExpected(b, item),
  aMs: a.ms,
  bMs: b.ms,
})
type ItemFacts = ReturnType<typeof factsOf>

const missingOn = (a: CodeRunner, b: CodeRunner): Pick<Comparison, "missing"> => {
  const missing = { a: a.missing?.() ?? [], b: b.missing?.() ?? [] }
  return missing.a.length + missing.b.length === 0 ? {} : { missing }
}

/**
 * `withinMs`: no item begins later than this many ms after the first. `all`: keep rows that do not differ as well. `changes`: report the changes of
 * the items.
 */
export const compare = Effect.fnUntraced(function* (
  items: readonly RunItem[],
  a: CodeRunner,
  b: CodeRunner,
  options: { readonly withinMs: number; readonly all: boolean; readonly what: string; readonly changes?: boolean | undefined },
): Effect.fn.Return<Comparison> {
  const tell = yield* Announce
  const now = yield* monotonic
  const until = now() + options.withinMs
  const differing: ComparedItem[] = []
  const others: ComparedItem[] = []
  const facts: ItemFacts[] = []
  for (const item of items) {
    if (now() >= until) break
    tell(`${options.what} ${facts.length + 1} of ${items.length}: ${shortened(item.code)}`)
    const on = (side: CodeRunner) => Effect.andThen(item.fresh ? side.renew : Effect.void, side.run(item.code, item.goOn))
    const [left, right] = yield* Effect.all([on(a), on(b)], { concurrency: 2 })
    const found = factsOf(item, left, right)
    facts.push(found)
    const { name, code, expected } = item
    const isShown = options.all || !found.isAnswered || (found.isExpecting && !found.bIsAsExpected)
    const rows = found.differs ? differing : isShown ? others : undefined
    if (rows !== undefined && rows.length < mostRows)
      rows.push({ name, code, ...(expected !== undefined && { expected }), a: left, b: right, differ: found.differs })
  }
  const count = (is: (found: ItemFacts) => boolean): number => facts.filter(is).length
  const expecting = count(({ isExpecting }) => isExpecting)
  return {
    items: items.length,
    differing: count(({ differs }) => differs),
    ...(expecting > 0 && {
      expected: { items: expecting, a: count(({ aIsAsExpected }) => aIsAsExpected), b: count(({ bIsAsExpected }) => bIsAsExpected) },
    }),
    unanswered: count(({ differs, isAnswered }) => !differs && !isAnswered),
    fallen: count(({ onlyBWasEnded }) => onlyBWasEnded),
    ms: { a: sumAll(facts.map(({ aMs }) => aMs)), b: sumAll(facts.map(({ bMs }) => bMs)) },
    rows: [...differing, ...others].slice(0, mostRows),
    left: items.length - facts.length,
    ...missingOn(a, b),
    ...(options.changes === true && { changes: { a: a.changes(), b: b.changes() } }),
  }
})
