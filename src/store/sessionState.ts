/**
 * The stored data of one session and engine: a state, which lists the valid segments in order, and the segments. A segment has the variables
 * that were written at one persist, and the names removed by then.
 *
 * Guarantees: lines that are read are validated, whoever wrote them. Other fibers run while a large segment is read. Does not: know the place of
 * the lines.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Variable } from "../child/Contents.ts"
import { namePattern } from "../limits.ts"
import type { Form } from "./sealed.ts"
import type { Segment } from "./segments.ts"
import { entriesOf, plain, WorkspaceSettings } from "./variableLines.ts"

/** A limit for validation. Sizes of segments double, so there are far fewer. */
const mostSegments = 1000

/** Entries that are read between two yields to other fibers. */
const mostAtOnce = 1000

export const stateForm: Form = { kind: "session", version: 1 }
export const valuesForm: Form = { kind: "values", version: 1 }

const Text = Schema.String.check(Schema.isPattern(plain))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Positive = Schema.Int.check(Schema.isGreaterThan(0))

const State = Schema.Struct({
  session: Schema.String.check(Schema.isPattern(namePattern)),
  /** The working folder of the server that wrote the state. A session in that folder begins in the working folder of the next server. */
  cwd: Text,
  /** ms since 1970. */
  savedAt: Schema.Finite,
  variables: Count,
  /** A call chose this engine for the session, so the settings do not apply. */
  chosen: Schema.optionalKey(Schema.Boolean),
  workspace: Schema.optionalKey(WorkspaceSettings),
  /** The number of the next segment. */
  next: Positive,
  segments: Schema.Array(Schema.Struct({ number: Positive, bytes: Count })).check(Schema.isMaxLength(mostSegments)),
})
export type State = typeof State.Type
const decodeState = Schema.decodeUnknownOption(Schema.fromJsonString(State))

export const stateLines = (state: State): readonly string[] => [JSON.stringify(state)]

/** Each number of a segment occurs once, and is below the next one. */
const isSound = ({ segments, next }: State): boolean =>
  new Set(segments.map(({ number }) => number)).size === segments.length && segments.every(({ number }) => number < next)

/** The state in the lines, or the reason why it cannot be used, which completes "it …". */
export const stateOf = (lines: readonly string[], isName: (session: string) => boolean): Result.Result<State, string> =>
  Result.fromOption(
    Option.filter(decodeState(lines.join("")), (state) => isName(state.session) && isSound(state)),
    () => "is damaged: its state does not read as it should",
  )

/** The variables of all segments of an engine, in which later segments replace earlier ones. */
export interface Values {
  readonly variables: ReadonlyMap<string, Variable>
  readonly segments: readonly Segment[]
}

/** Reads all segments. When one cannot be used, gives the reason, which completes "it …". */
export const valuesOf = Effect.fnUntraced(function* <E = never>(
  { session, segments }: State,
  read: (number: number) => Effect.Effect<readonly string[] | undefined, E>,
): Effect.fn.Return<Result.Result<Values, string>, E> {
  const variables = new Map<string, Variable>()
  const lastWord = new Map<string, number>()
  const sizes = new Map<number, number>()
  for (const { number } of segments) {
    const lines = yield* read(number)
    if (lines === undefined) return Result.fail(`lacks a part of session ${session}`)
    let size = 0
    for (const entry of entriesOf(lines)) {
      if (entry === undefined) return Result.fail("is damaged: its values do not read as they should")
      lastWord.set(entry.path, number)
      if ("gone" in entry) variables.delete(entry.path)
      else variables.set(entry.path, entry)
      size++
      if (size % mostAtOnce === 0) yield* Effect.yieldNow
    }
    sizes.set(number, size)
  }
  const names = new Map(segments.map(({ number }) => [number, new Set<string>()]))
  for (const [path, number] of lastWord) names.get(number)!.add(path)
  return Result.succeed({
    variables,
    segments: segments.map((each) => ({ ...each, size: sizes.get(each.number)!, names: names.get(each.number)! })),
  })
})
