/**
 * When the snapshots of a session are written to the store, and removed from it.
 *
 * Guarantees: a change is written at once, one write at a time. A write or removal that the store refuses, or that the client cancels, is
 * retried. A rename removes the old name only after the store has the new one. Does not: hold the snapshots; `SnapshotSet.ts` does.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import { makeRetry, type SnapshotStore, Store } from "../../store/Store.ts"
import type { SnapshotSet } from "./SnapshotSet.ts"
import type { Unwritten } from "./Snapshots.ts"

export const makeSnapshotWrites = Effect.fnUntraced(function* (set: SnapshotSet, stored: SnapshotStore) {
  const { place } = yield* Store
  /** Names that may differ in the store, each with the name that has to be written before it, if there is one. */
  const differing = new Map<string, string | undefined>()
  /** A slow write would undo a later change of the same snapshot. */
  const lock = yield* Semaphore.make(1)

  /** False when the store refuses, or when another name has to be written first. */
  const update = (name: string) =>
    Effect.suspend(() => {
      if (set.has(name)) return Effect.flatMap(set.get(name), stored.save)
      const before = differing.get(name)
      return before !== undefined && differing.has(before) ? Effect.succeed(false) : stored.remove(name)
    }).pipe(lock.withPermit)

  const noted = (name: string) => (exit: Exit.Exit<boolean, unknown>) =>
    Effect.suspend(() => {
      if (Exit.isSuccess(exit) && exit.value) {
        differing.delete(name)
        return Effect.void
      }
      if (!differing.has(name)) differing.set(name, undefined)
      return retryLater
    })

  const write = (name: string) => Effect.ignore(Effect.onExit(update(name), noted(name)))

  /** Writes all that differs. True when the store has the same snapshots as the session. */
  const persist: Effect.Effect<boolean> = Effect.suspend(() =>
    Effect.map(Effect.forEach([...differing.keys()], write), () => differing.size === 0),
  )
  const retryLater = yield* makeRetry(persist)

  /** Runs `effect`, which changes the snapshot `name`, and removes `old` if it is a rename. Then writes both. */
  const change = <A, E>(effect: Effect.Effect<A, E>, name: string, old?: string) =>
    Effect.tap(effect, () => {
      // Both are noted before the first write, which the client may cancel.
      differing.set(name, undefined)
      if (old !== undefined) differing.set(old, name)
      return Effect.forEach(old === undefined ? [name] : [name, old], write)
    })

  const unwritten = (name: string): Unwritten | undefined => (place !== null && differing.has(name) ? { isUnwritten: true } : undefined)

  return { persist, change, unwritten }
})
