/**
 * The named snapshots of a session in the database.
 *
 * Guarantees: `save` replaces a snapshot in one transaction; `load` sets an unusable snapshot aside. Does not: cache snapshots.
 */
import * as Effect from "effect/Effect"
import { sealed, unsealed } from "../sealed.ts"
import { snapshotForm, snapshotLines, snapshotsIn } from "../snapshotLines.ts"
import type { SnapshotStore } from "../Store.ts"
import { joined } from "./contents.ts"
import type { Space } from "./Space.ts"

export const make = (session: string, space: Space): SnapshotStore => {
  const { sql, rows, reading, writing } = space
  const thing = (name: string) => ({ session, kind: "snapshot", name }) as const
  const what = (name: string): string => `snapshot ${name} of session ${session}`
  /** Unusable snapshots that could not be set aside, each with the reason. `save` does not replace them until they are set aside. */
  const unusable = new Map<string, string>()

  const setAside = Effect.fnUntraced(function* (name: string, why: string) {
    const done = yield* space.setAside(what(name), why, session, sql`${rows.where(session, "snapshot")} AND name = ${name}`)
    if (done) unusable.delete(name)
    else unusable.set(name, why)
  })

  const read = Effect.fnUntraced(function* (name: string) {
    const parts = yield* reading(what(name), [], rows.parts(thing(name)))
    if (parts.length === 0) return undefined
    const lines = yield* unsealed(snapshotForm, joined(parts.map(({ content }) => content)))
    if (lines._tag === "Success") return lines.success
    yield* setAside(name, lines.failure)
    return undefined
  })

  const usable = Effect.fnUntraced(function* (name: string) {
    const why = unusable.get(name)
    if (why !== undefined) yield* setAside(name, why)
    return !unusable.has(name)
  })

  return {
    load: (present) =>
      Effect.flatMap(reading(`the snapshots of session ${session}`, [], rows.names(session, "snapshot")), (names) =>
        snapshotsIn(names, present, { read, isNamed: (name, own) => name === own, setAside }),
      ),
    save: Effect.fnUntraced(function* (snapshot) {
      const { name } = snapshot
      if (!(yield* usable(name))) return false
      const version = crypto.randomUUID()
      return yield* writing(
        what(name),
        session,
        Effect.gen(function* () {
          const gone = yield* rows.remove(session, "snapshot", [name])
          return (yield* rows.add(thing(name), version, sealed(snapshotForm, snapshotLines(snapshot)))) - gone
        }),
      )
    }),
    remove: (name) =>
      writing(
        what(name),
        session,
        Effect.map(rows.remove(session, "snapshot", [name]), (gone) => -gone),
      ),
    clear: writing(
      `the snapshots of session ${session}`,
      session,
      Effect.map(rows.removeOthers(session, "snapshot", "", []), (gone) => -gone),
    ),
  }
}
