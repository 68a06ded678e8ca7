/**
 * The sessions of a principal that are in the store and not open, resets of all, and names for new ones; on one machine or through a front end.
 *
 * Guarantees: no open, stored or recorded session has the name that the server chooses for a new one.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { since } from "../elapsed.ts"
import type { Store, StoredSession } from "../store/Store.ts"
import type { Reset } from "./Session.ts"
import type { SessionError } from "./SessionError.ts"

/** The store, its problems, and the sessions in it. */
export interface Disk {
  /** Null when the settings turn the store off. */
  readonly folder: string | null
  readonly trouble: readonly string[]
  /** Sessions that are in the store and not open, the latest written first. The first use of one opens it. */
  readonly stored: readonly (Omit<StoredSession, "savedAt"> & { readonly ageMs: number })[]
}

interface Named {
  readonly name: string
}

/** `history`: the greatest number in the history of a session. */
export const makeStoredSessions = (
  { place, session, sessions, trouble }: Store["Service"],
  opened: Effect.Effect<readonly Named[]>,
  history: (name: string) => Effect.Effect<{ readonly last: number }>,
) => {
  const names = Effect.map(opened, (all) => all.map(({ name }) => name))
  const closedOf = (found: typeof sessions) =>
    Effect.zipWith(found, names, (all, open) => all.filter(({ name, variables }) => variables > 0 && !open.includes(name)))
  const stored = closedOf(sessions)
  /** The session if it is in the store and not open. */
  const storedOne = (name: string) => Effect.map(closedOf(session(name)), ([first]) => first)

  const isStored = (name: string) => Effect.map(storedOne(name), (found) => found !== undefined)

  const disk: Effect.Effect<Disk> = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const kept = (yield* stored).map(({ name, engine, variables, savedAt }) => ({ name, engine, variables, ageMs: since(savedAt, now) }))
    return { folder: place, trouble: yield* trouble, stored: kept.sort((a, b) => a.ageMs - b.ageMs) }
  })

  let made = 0
  const freeName = Effect.gen(function* () {
    const taken = yield* names
    const isFree = Effect.fnUntraced(function* (n: number) {
      const name = `s${n}`
      return !taken.includes(name) && (yield* session(name)).length === 0 && (yield* history(name)).last === 0
    })
    // Closed sessions keep their histories, and there may be thousands: the steps double, and then halve.
    let [used, free] = [made, made + 1]
    while (!(yield* isFree(free))) [used, free] = [free, made + 2 * (free - made)]
    while (free - used > 1) {
      const middle = Math.floor((used + free) / 2)
      if (yield* isFree(middle)) free = middle
      else used = middle
    }
    made = free
    return `s${free}`
  })
  /** Makes a session under its name; without a name under a free one, and under another one when somebody took that one first. */
  const named = <A>(name: string | undefined, make: (name: string) => Effect.Effect<A, SessionError>): Effect.Effect<A, SessionError> =>
    name !== undefined ? make(name) : Effect.retry(Effect.flatMap(freeName, make), { while: ({ _tag }) => _tag === "NameTaken" })

  /** Resets all sessions: those that are only stored, then those that are open by then, also when some cannot be reset. */
  const resetAll = (reset: (name: string) => Effect.Effect<Reset, SessionError>) => {
    const resetOne = ({ name }: Named) => Effect.exit(Effect.map(reset(name), (done) => ({ name, ...done })))
    return Effect.gen(function* () {
      const cleared = yield* Effect.forEach(yield* stored, resetOne)
      return yield* Effect.all([...(yield* Effect.forEach(yield* opened, resetOne, { concurrency: "unbounded" })), ...cleared])
    })
  }

  return { storedOne, isStored, disk, named, resetAll }
}
