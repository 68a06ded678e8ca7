/**
 * The named snapshots of a session in the database.
 *
 * Guarantees: `save` replaces a snapshot in one transaction; `load` sets an unusable snapshot aside. Does not: cache snapshots.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { sealed } from "../sealed.ts"
import { snapshotForm, snapshotLines, snapshotsIn } from "../snapshotLines.ts"
import type { SnapshotStore } from "../Store.ts"
import { type SqlSpace, whenWritten } from "./SqlSpace.ts"

export const make = (session: string, space: SqlSpace): SnapshotStore => {
  const { rows, reading, writing } = space
  const thing = (name: string) => ({ session, kind: "snapshot", name }) as const
  const what = (name: string): string => `snapshot ${name} of session ${session}`
  /** Unusable snapshots that could not be set aside, each with the reason. `save` does not replace them until they are set aside. */
  const unusable = new Map<string, string>()

  const setAside = Effect.fnUntraced(function* (name: string, why: string) {
    const done = yield* space.setAside(what(name), why, session, rows.of(thing(name)))
    if (done) unusable.delete(name)
    else unusable.set(name, why)
  })

  const read = Effect.fnUntraced(function* (name: string) {
    const found = yield* reading(what(name), undefined, rows.sealed(thing(name), snapshotForm))
    if (found === undefined) return undefined
    const { lines } = found
    return Result.isSuccess(lines) ? lines.success : yield* Effect.as(setAside(name, lines.failure), undefined)
  })

  return {
    load: (present) =>
      Effect.flatMap(reading(`the snapshots of session ${session}`, [], rows.names(session, "snapshot")), (names) =>
        snapshotsIn(names, present, { read, isNamed: (name, own) => name === own, setAside }),
      ),
    save: Effect.fnUntraced(function* (snapshot) {
      const { name } = snapshot
      const why = unusable.get(name)
      if (why !== undefined) yield* setAside(name, why)
      if (unusable.has(name)) return false
      const version = crypto.randomUUID()
      return yield* writing(
        what(name),
        session,
        Effect.gen(function* () {
          const grown = yield* rows.remove(session, "snapshot", [name])
          return grown + (yield* rows.add(thing(name), version, sealed(snapshotForm, snapshotLines(snapshot))))
        }),
      )
    }),
    remove: (name) => writing(what(name), session, rows.remove(session, "snapshot", [name])),
    clear: whenWritten(writing(`the snapshots of session ${session}`, session, rows.removeAll(session, "snapshot")), () =>
      space.giveUp(session),
    ),
  }
}
