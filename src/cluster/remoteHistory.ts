/** Histories of the sessions of a cluster: read from the machine that has the session, or from the store when no machine has it or answers. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { History, type HistoryView } from "../session/history/History.ts"
import { Settings } from "../Settings.ts"
import { Store } from "../store/Store.ts"
import { type Asking, brief } from "./asking.ts"

export const remoteHistory = Effect.fnUntraced(function* ({ read }: Asking, isOwned: (name: string) => Effect.Effect<boolean>) {
  const parts = Layer.merge(Layer.succeed(Settings, yield* Settings), Layer.succeed(Store, yield* Store))
  /** Reads the store anew each time, since another machine may have written. */
  const stored = <A>(work: (view: HistoryView) => Effect.Effect<A>, name: string): Effect.Effect<A> =>
    Effect.provide(
      Effect.flatMap(History, (history) => Effect.flatMap(history.of(name), (log) => work(log.view()))),
      Layer.provide(Layer.fresh(History.layer), parts),
      { local: true },
    )

  const ofOwner = (name: string) =>
    Effect.map(read("HistoryEnds", name, {}, brief), (ends): HistoryView => ({
      ...ends,
      page: (request) => read("HistoryPage", name, request, brief).pipe(Effect.catch(() => stored(({ page }) => page(request), name))),
    }))
  const ofStore = (name: string) =>
    stored(
      ({ first, last }) => Effect.succeed<HistoryView>({ first, last, page: (request) => stored(({ page }) => page(request), name) }),
      name,
    )

  return {
    of: (name: string): Effect.Effect<HistoryView> =>
      Effect.flatMap(isOwned(name), (owned) => (owned ? ofOwner(name).pipe(Effect.catch(() => ofStore(name))) : ofStore(name))),
  }
})
