/**
 * The rows of one session: for each engine, a state and the segments that the state names.
 *
 * Guarantees: a write is one transaction. A stored state is replaced only if this process wrote or read its version and no reading for the session
 * failed. An unusable state is set aside with its segments. Does not: decide when to write, or which segments (`workspaces.ts`).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type EngineKind, engineKinds } from "../../engineKinds.ts"
import { sealed, unsealed } from "../sealed.ts"
import { type State, stateForm, stateLines, stateOf, valuesForm, valuesOf } from "../sessionState.ts"
import { type StoredSession } from "../Store.ts"
import { linesOf } from "../variableLines.ts"
import type { SessionPlace, Writing, Written } from "../workspaces.ts"
import { Overtaken } from "./problems.ts"
import { type SqlSpace, whenWritten } from "./SqlSpace.ts"

const valuesName = (engine: EngineKind, number: number): string => `${engine}.${number}`
const isEngine = (name: string): name is EngineKind => engineKinds.some((each) => each === name)

/** The condition for the state and the segments of an engine. */
const ofEngine = ({ sql, rows }: SqlSpace, session: string, engine: EngineKind) =>
  sql`(${rows.where(session, "state")} AND name = ${engine}
    OR ${rows.where(session, "values")} AND starts_with(name, ${`${engine}.`}))`

/** The state in the lines of a session's row, or the reason why it cannot be used. */
const stateIn = (lines: Result.Result<readonly string[], string>, session: string): Result.Result<State, string> =>
  Result.flatMap(lines, (all) => stateOf(all, (name) => name === session))

const setAside = (space: SqlSpace, session: string, engine: EngineKind, why: string): Effect.Effect<boolean> =>
  space.setAside(`session ${session} (${engine})`, why, session, ofEngine(space, session, engine))

/** The sessions in the space, sorted by name and engine. Sets unusable states aside. */
export const list = Effect.fnUntraced(function* (space: SqlSpace): Effect.fn.Return<readonly StoredSession[]> {
  const { sql, rows } = space
  const states = yield* space.reading(
    "the list of sessions",
    [],
    sql<{ readonly session: string; readonly engine: string; readonly content: Uint8Array }>`
      SELECT session, name AS engine, content FROM k3_contents
      WHERE ${rows.inSpace("state")} AND part = 0 ORDER BY session, name`,
  )
  const found: StoredSession[] = []
  for (const { session, engine, content } of states) {
    if (!isEngine(engine)) continue
    const state = stateIn(yield* unsealed(stateForm, content), session)
    if (Result.isFailure(state)) yield* setAside(space, session, engine, state.failure)
    else found.push({ name: session, engine, savedAt: state.success.savedAt, variables: state.success.variables })
  }
  return found
})

export const placeOf = (space: SqlSpace, session: string): SessionPlace => {
  const { rows, reading } = space
  const what = `session ${session}`
  /** For each engine, the stored versions that a write may replace: those read or written by this process; undefined: no stored state. */
  const versions = new Map<EngineKind, Set<string | undefined>>()

  /** The number of the latest contained history entry, as this process wrote it last. */
  let contained: number | undefined

  const thing = (engine: EngineKind) => ({ session, kind: "state", name: engine }) as const
  const segmentThing = (engine: EngineKind, number: number) => ({ session, kind: "values", name: valuesName(engine, number) }) as const

  const state = Effect.fnUntraced(function* (engine: EngineKind): Effect.fn.Return<State | "unread" | undefined> {
    versions.delete(engine)
    const found = yield* reading(what, "unread", rows.sealed(thing(engine), stateForm))
    if (found === "unread") return found
    const state = found && stateIn(found.lines, session)
    if (state !== undefined && Result.isFailure(state)) return yield* Effect.as(putAside(engine, state.failure), undefined)
    versions.set(engine, new Set([found?.version]))
    return state?.success
  })

  /** Sets the state and the segments of an engine aside. False when that failed. */
  const putAside = (engine: EngineKind, why: string): Effect.Effect<boolean> =>
    whenWritten(setAside(space, session, engine, why), () => versions.set(engine, new Set([undefined])))

  const segment = (engine: EngineKind, number: number) =>
    Effect.map(rows.sealed(segmentThing(engine, number), valuesForm), (found) => found && Result.getOrUndefined(found.lines))

  const values: SessionPlace["values"] = Effect.fnUntraced(function* (engine, state) {
    const read = yield* reading(
      what,
      "unread",
      valuesOf(state, (number) => segment(engine, number)),
    )
    if (read === "unread") return read
    if (Result.isSuccess(read)) return read.success
    return (yield* putAside(engine, read.failure)) ? undefined : "unread"
  })

  /** Removes the state, and the segments that are absorbed; all segments when none is known. Returns the growth of the space in bytes, 0 or less. */
  const replaced = Effect.fnUntraced(function* (engine: EngineKind, { added, known, absorbed }: Writing) {
    const numbers = added === undefined ? absorbed : [...absorbed, added.number]
    const names = numbers.map((number) => valuesName(engine, number))
    const grown = yield* known.length === 0 ? rows.removeAll(session, "values", `${engine}.`) : rows.remove(session, "values", names)
    return grown + (yield* rows.remove(session, "state", [engine]))
  })

  const write = (engine: EngineKind, writing: Writing): Effect.Effect<Written> => {
    const { state: next, added, known, contains, isUnread } = writing
    const version = crypto.randomUUID()
    const mine = versions.get(engine)
    let isIncomplete = false
    const persist = Effect.gen(function* () {
      isIncomplete = false
      if (isUnread) return yield* new Overtaken({ isUnread })
      if (mine === undefined || !mine.has(yield* rows.versionOf(thing(engine)))) return yield* new Overtaken({})
      const staying = known.map((number) => valuesName(engine, number))
      isIncomplete = (yield* rows.count(session, "values", staying)) < staying.length
      if (isIncomplete) return 0
      let grown = yield* replaced(engine, writing)
      if (added !== undefined)
        grown += yield* rows.add(segmentThing(engine, added.number), version, sealed(valuesForm, linesOf(added.entries)))
      return grown + (yield* rows.add(thing(engine), version, sealed(stateForm, stateLines(next))))
    })
    // The commit may succeed without an answer. A later write must then be able to replace this version.
    mine?.add(version)
    return Effect.map(space.writing(what, session, persist, contains), (done) => {
      if (!done) return "failed"
      if (isIncomplete) return "incomplete"
      contained = contains ?? contained
      versions.set(engine, new Set([version]))
      return "written"
    })
  }

  const contain = (number: number): Effect.Effect<boolean> =>
    number === contained
      ? Effect.succeed(true)
      : whenWritten(space.writing(what, session, Effect.succeed(0), number), () => (contained = number))

  const removeAll = Effect.gen(function* () {
    let grown = yield* rows.remove(session, "state", engineKinds)
    for (const engine of engineKinds) grown += yield* rows.removeAll(session, "values", `${engine}.`)
    return grown
  })

  return {
    available: Effect.succeed(true),
    state,
    values,
    write,
    contain: (number) => Effect.suspend(() => contain(number)),
    // Nothing to do: `write` adds and removes segments in the transaction that writes the state.
    sweep: () => Effect.void,
    forget: Effect.suspend(() => {
      contained = undefined
      return space.writing(what, session, removeAll, null)
    }),
  }
}
