/** The store in a folder of this machine. `sessionFiles`, `snapshots`, `histories` and `documents` define its files. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { documentStores } from "../documentKinds.ts"
import { retryRemovals } from "../removals.ts"
import { Store } from "../Store.ts"
import * as workspaces from "../workspaces.ts"
import * as documents from "./documents.ts"
import * as histories from "./histories.ts"
import { list, placeOf } from "./sessionFiles.ts"
import * as snapshots from "./snapshots.ts"
import { StateFolder } from "./StateFolder.ts"

export const layer: Layer.Layer<Store, never, StateFolder> = Layer.effect(
  Store,
  Effect.gen(function* () {
    const disk = yield* StateFolder
    const store = Store.of({
      place: disk.folder,
      available: disk.available,
      sessions: list(disk),
      workspace: yield* workspaces.make((session) => placeOf(disk, session)),
      snapshots: (session) => snapshots.make(session, disk),
      history: (session) => histories.make(session, disk),
      ...documentStores((kind) => documents.make(kind, disk)),
      takeovers: disk.takeovers,
      takenOver: disk.takenOver,
      trouble: disk.trouble,
      takeTrouble: disk.takeTrouble,
    })
    return yield* retryRemovals(store, disk.takeovers)
  }),
)
