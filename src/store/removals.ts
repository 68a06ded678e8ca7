/**
 * Removals of a session's stored variables and snapshots, over any store.
 *
 * Guarantees: a removal that the store refuses is retried, and made once more when the scope closes. Until it is made, its data count as removed,
 * and each use of the session's variables or snapshots makes it first; without it nothing is written. So a retry removes nothing that was written
 * after the removal. Does not: retry a removal after another server has had the session, or more than `most` at a time.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { makeRetry, Store } from "./Store.ts"

const most = 1000

interface Removal {
  readonly session: string
  /** The epoch of the session in which it was asked for. */
  readonly epoch: number | undefined
  readonly remove: Effect.Effect<boolean>
  /** One attempt runs at a time: none goes on after another has made the removal. */
  readonly lock: Semaphore.Semaphore
}

/** `epochOf`: changes when another server may have written the session. */
export const retryRemovals = Effect.fnUntraced(function* (store: Store["Service"], epochOf: (session: string) => number | undefined) {
  /** The refused removals, by the names of their data. */
  const due = new Map<string, Removal>()
  const dueOf = (key: string): Removal | undefined => {
    const removal = due.get(key)
    if (removal === undefined || removal.epoch === epochOf(removal.session)) return removal
    due.delete(key)
    return undefined
  }

  /** Makes a removal that is due. True when none is due any more. */
  const settle = (key: string): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const lock = dueOf(key)?.lock
      if (lock === undefined) return Effect.succeed(true)
      const attempt = Effect.suspend(() => {
        const removal = dueOf(key)
        // Made meanwhile. Another one may be due by now.
        if (removal?.lock !== lock) return settle(key)
        return Effect.map(removal.remove, (done) => {
          if (done) due.delete(key)
          return done
        })
      })
      return lock.withPermit(attempt)
    })
  /** A store that does not answer keeps the server waiting once, not for each removal. */
  const settleAll: Effect.Effect<unknown> = Effect.suspend(() =>
    due.size === 0
      ? Effect.void
      : Effect.flatMap(store.available, (yes) =>
          yes ? Effect.forEach([...due.keys()], settle, { concurrency: 10, discard: true }) : Effect.void,
        ),
  )
  yield* Effect.addFinalizer(() => settleAll)
  const retry: Effect.Effect<void> = Effect.flatMap(settleAll, () => (due.size > 0 ? retryLater : Effect.void))
  const retryLater = yield* Effect.provideService(makeRetry(retry), Store, store)

  const removing = (key: string, session: string, remove: Effect.Effect<boolean>): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      due.set(key, { session, epoch: epochOf(session), remove, lock: dueOf(key)?.lock ?? Semaphore.makeUnsafe(1) })
      if (due.size > most) due.delete(due.keys().next().value!)
      return Effect.ensuring(
        settle(key),
        Effect.suspend(() => (due.has(key) ? retryLater : Effect.void)),
      )
    })
  const after = <A>(key: string, otherwise: A, effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.flatMap(settle(key), (done) => (done ? effect : Effect.succeed(otherwise)))

  const variablesOf = (session: string): string => `variables ${session}`
  return Store.of({
    ...store,
    sessions: Effect.map(store.sessions, (all) => all.filter(({ name }) => dueOf(variablesOf(name)) === undefined)),
    session: (name) => Effect.suspend(() => (dueOf(variablesOf(name)) === undefined ? store.session(name) : Effect.succeed([]))),
    workspace: (session, cwd, madeWith) =>
      Effect.map(store.workspace(session, cwd, madeWith), ({ chosen, load, persist, forget }) => {
        const key = variablesOf(session)
        return {
          chosen: after(key, madeWith, chosen),
          load: (engine) => after(key, undefined, load(engine)),
          persist: (source) => after(key, false, persist(source)),
          forget: removing(key, session, forget),
        }
      }),
    snapshots: (session) => {
      const key = `snapshots ${session}`
      const { load, save, remove, clear } = store.snapshots(session)
      return {
        load: (present) => after(key, [], load(present)),
        save: (snapshot) => after(key, false, save(snapshot)),
        remove: (name) => after(key, false, remove(name)),
        clear: removing(key, session, clear),
      }
    },
  })
})
