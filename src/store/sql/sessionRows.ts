/**
 * The rows of one session: for each engine, a state and the segments that the state names.
 *
 * Guarantees: a write is one transaction. A stored state is replaced only if this process wrote or read its version and did not fail to read its
 * values. An unusable state is set aside with its segments. Does not: decide when to write, or which segments (`workspaces.ts`).
 */
import * as Effect from "effect/Effect"
import { sealed, unsealed } from "../sealed.ts"
import { type State, stateForm, stateIsDamaged, stateLines, stateOf, valuesForm, valuesOf } from "../sessionState.ts"
import { type EngineKind, engineKinds, type StoredSession } from "../Store.ts"
import { linesOf } from "../variableLines.ts"
import type { SessionPlace, Writing, Written } from "../workspaces.ts"
import { joined } from "./contents.ts"
import { Overtaken } from "./problems.ts"
import type { Space } from "./Space.ts"

const valuesName = (engine: EngineKind, number: number): string => `${engine}.${number}`
const isEngine = (name: string): name is EngineKind => engineKinds.some((each) => each === name)

/** The condition for the state and the segments of an engine. */
const ofEngine = ({ sql, rows }: Space, session: string, engine: EngineKind) =>
  sql`(${rows.where(session, "state")} AND name = ${engine}
    OR ${rows.where(session, "values")} AND starts_with(name, ${`${engine}.`}))`

const setAside = (space: Space, session: string, engine: EngineKind, why: string): Effect.Effect<boolean> =>
  space.setAside(`session ${session} (${engine})`, why, session, ofEngine(space, session, engine))

/** The sessions in the space, sorted by name and engine. Sets unusable states aside. */
export const list = Effect.fnUntraced(function* (space: Space): Effect.fn.Return<readonly StoredSession[]> {
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
    const lines = yield* unsealed(stateForm, content)
    const state = lines._tag === "Success" ? stateOf(lines.success, (name) => name === session) : undefined
    if (state !== undefined) found.push({ name: session, engine, savedAt: state.savedAt, variables: state.variables })
    else yield* setAside(space, session, engine, lines._tag === "Failure" ? lines.failure : stateIsDamaged)
  }
  return found
})

export const placeOf = (space: Space, session: string): SessionPlace => {
  const { rows, reading } = space
  const what = `session ${session}`
  /** For each engine, the stored versions that a write may replace: those read or written by this process; undefined: no stored state. */
  const versions = new Map<EngineKind, Set<string | undefined>>()
  /** Engines whose stored values could not be read. A write must not replace these values. */
  const unread = new Set<EngineKind>()

  /** The number of the latest contained history entry, as this process wrote it last. */
  let contained: number | undefined

  const thing = (engine: EngineKind) => ({ session, kind: "state", name: engine }) as const

  const state = Effect.fnUntraced(function* (engine: EngineKind): Effect.fn.Return<State | undefined> {
    versions.delete(engine)
    const parts = yield* reading(what, undefined, rows.parts(thing(engine)))
    if (parts === undefined) return undefined
    const lines = yield* unsealed(stateForm, joined(parts.map(({ content }) => content)))
    const found = lines._tag === "Success" ? stateOf(lines.success, (name) => name === session) : undefined
    if (found !== undefined || parts.length === 0) {
      versions.set(engine, new Set([parts[0]?.version]))
      return found
    }
    if (yield* setAside(space, session, engine, lines._tag === "Failure" ? lines.failure : stateIsDamaged))
      versions.set(engine, new Set([undefined]))
    return undefined
  })

  const values: SessionPlace["values"] = (engine, found) => {
    const read = (number: number) =>
      Effect.gen(function* () {
        const parts = yield* rows.parts({ session, kind: "values", name: valuesName(engine, number) })
        const lines = yield* unsealed(valuesForm, joined(parts.map(({ content }) => content)))
        return lines._tag === "Success" ? lines.success : undefined
      })
    return Effect.gen(function* () {
      let problem: string | undefined
      const unusable = (why: string) =>
        Effect.sync(() => {
          problem = why
        })
      const all = yield* reading(
        what,
        undefined,
        Effect.map(valuesOf(found, read, unusable), (values) => ({ values })),
      )
      const isDamaged = all !== undefined && all.values === undefined
      const isAside = isDamaged && (yield* setAside(space, session, engine, problem!))
      if (isAside) versions.set(engine, new Set([undefined]))
      if (all?.values !== undefined || isAside) unread.delete(engine)
      else unread.add(engine)
      return all?.values
    })
  }

  const write = (engine: EngineKind, { state: next, added, known, absorbed, contains }: Writing): Effect.Effect<Written> => {
    const version = crypto.randomUUID()
    const mine = versions.get(engine)
    let isIncomplete = false
    const segment = added && ({ session, kind: "values", name: valuesName(engine, added.number) } as const)
    const persist = Effect.gen(function* () {
      isIncomplete = false
      if (unread.has(engine) || mine === undefined || !mine.has(yield* rows.versionOf(thing(engine)))) return yield* new Overtaken()
      const staying = known.map((number) => valuesName(engine, number))
      isIncomplete = (yield* rows.count(session, "values", staying)) < staying.length
      if (isIncomplete) return 0
      let grown = 0
      if (known.length === 0) grown -= yield* rows.removeOthers(session, "values", `${engine}.`, [])
      else
        grown -= yield* rows.remove(session, "values", [
          ...absorbed.map((number) => valuesName(engine, number)),
          ...(segment === undefined ? [] : [segment.name]),
        ])
      grown -= yield* rows.remove(session, "state", [engine])
      if (segment !== undefined) grown += yield* rows.add(segment, version, sealed(valuesForm, linesOf(added!.entries)))
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

  return {
    available: Effect.succeed(true),
    state,
    values,
    write,
    contain: (number) =>
      Effect.suspend(() => {
        if (number === contained) return Effect.succeed(true)
        return Effect.tap(space.writing(what, session, Effect.succeed(0), number), (done) =>
          Effect.sync(() => {
            if (done) contained = number
          }),
        )
      }),
    // Nothing to do: `write` adds and removes segments in the transaction that writes the state.
    sweep: () => Effect.void,
    forget: Effect.suspend(() =>
      Effect.map(
        space.writing(
          what,
          session,
          Effect.gen(function* () {
            let gone = yield* rows.remove(session, "state", engineKinds)
            for (const engine of engineKinds) gone += yield* rows.removeOthers(session, "values", `${engine}.`, [])
            return -gone
          }),
          null,
        ),
        (done) => {
          if (done) unread.clear()
          contained = undefined
          return done
        },
      ),
    ),
  }
}
