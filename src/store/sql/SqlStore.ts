/**
 * The store in PostgreSQL: the space of one principal, shared by any number of machines.
 *
 * Guarantees: the guarantees of the port. Only the machine that owns a session writes it (`Ownership`). Any machine writes documents; the
 * others notice a write at their next check, at the latest after `lookAgain`. Does not: make the tables (`migrations.ts`), or raise an
 * epoch (`epochs.ts`).
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import { ofEachKind } from "../documentKinds.ts"
import { Ownership } from "../Ownership.ts"
import { retryRemovals } from "../removals.ts"
import { Store } from "../Store.ts"
import * as workspaces from "../workspaces.ts"
import * as documents from "./documents.ts"
import * as histories from "./histories.ts"
import { list, placeOf } from "./sessionRows.ts"
import * as snapshots from "./snapshots.ts"
import { loggingDefects } from "../../loggingDefects.ts"
import * as Space from "./SqlSpace.ts"

/** The time between two checks for documents that other machines wrote, ms. */
const lookAgain = 5000

export const layer = (options: Space.SpaceOptions): Layer.Layer<Store, never, SqlClient | Ownership> =>
  Layer.effect(
    Store,
    Effect.gen(function* () {
      const space = yield* Space.make(options)
      yield* Effect.sleep(lookAgain).pipe(
        Effect.andThen(loggingDefects("A check for documents of other machines failed", space.available, Effect.void)),
        Effect.forever,
        Effect.forkScoped,
      )
      const store = Store.of({
        place: space.place,
        available: space.available,
        sessions: list(space),
        session: (name) => workspaces.storedIn(placeOf(space, name)),
        workspace: yield* workspaces.make((session) => placeOf(space, session)),
        snapshots: (session) => snapshots.make(session, space),
        history: (session) => histories.make(session, space),
        documents: ofEachKind((kind) => documents.make(kind, space)),
        takeovers: space.takeovers,
        takenOver: space.takenOver,
        trouble: Effect.sync(() => space.trouble.now),
        takeTrouble: () => space.trouble.take(),
      })
      return yield* retryRemovals(store, (yield* Ownership).epochOf)
    }),
  )
