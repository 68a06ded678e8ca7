/**
 * When a session is read from disk and written to it.
 *
 * Guarantees: it is read once, before its first child is given to anybody; it is written behind evaluations and never in front of one,
 * `persistEvery` of them after the last time, as soon as a capture has seen them all. Does not: know how (`store/Store.ts`), or order itself
 * with evaluations.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { Settings } from "../../Settings.ts"
import { elapsedMs, since } from "../../elapsed.ts"
import type { Engine } from "../../child/engines/Engine.ts"
import { type Keeper, patient } from "./Keeper.ts"
import { Store } from "../../store/Store.ts"
import type { Pace } from "../../child/engines/Tracker.ts"

/** Why the variables are not those of an earlier evaluation; `savedMsAgo` when they came from disk. */
interface News {
  readonly why: string
  readonly savedMsAgo?: number
}

export interface Persistence {
  /** The engine that the session was made with, in this server or an earlier one; none when it takes what the settings say. */
  readonly madeWith: Effect.Effect<Engine["kind"] | undefined>
  /** The same, as far as it is known without a look at the disk. */
  readonly knownMadeWith: () => Engine["kind"] | undefined
  /** Hands the keeper what an earlier life of the session held; does nothing when it was done. */
  readonly load: (engine: Engine["kind"]) => Effect.Effect<void>
  /** Something was evaluated. */
  readonly evaluated: () => void
  /** A capture is complete: writes behind it when it is time. */
  readonly captured: Effect.Effect<void>
  /** Writes what is held, after as much of a `look` as that time allows; false when it is not on disk afterwards. */
  readonly now: (look: (pace: Pace) => Effect.Effect<unknown>, lookMs: number) => Effect.Effect<boolean>
  readonly forget: Effect.Effect<void>
  /** Told once. */
  readonly takeNews: () => News | undefined
  /** Null when it was never written or read. */
  readonly status: Effect.Effect<{ readonly ageMs: number; readonly behind: number } | null>
}

interface Parts {
  readonly name: string
  readonly scope: Scope.Scope
  readonly keeper: Keeper
  readonly madeWith: Engine["kind"] | undefined
  /** Why an earlier life of it in this server is over. */
  readonly ended: string | undefined
}

export const make = Effect.fnUntraced(function* ({ name, scope, keeper, madeWith, ended }: Parts) {
  const { persistEvery, cwd } = yield* Settings
  const store = yield* Store
  const stored = yield* Scope.provide(store.workspace(name, cwd, madeWith), scope)

  let engine = madeWith
  let read = false
  let writing = false
  let behind = 0
  let savedAt: number | undefined
  let news: News | undefined

  const load = Effect.fnUntraced(function* (engine: Engine["kind"]) {
    if (read) return
    const returned = yield* stored.load(engine)
    const now = yield* Clock.currentTimeMillis
    read = true
    if (returned === undefined) {
      news = ended === undefined ? undefined : { why: ended }
      return
    }
    const { held, lost } = returned
    keeper.adopt(engine, held, lost)
    if (held.variables.size > 0) savedAt = returned.savedAt
    if (held.variables.size + lost.length > 0) news = { why: ended ?? "the server was restarted", savedMsAgo: since(returned.savedAt, now) }
  })

  const write = Effect.gen(function* () {
    const counted = behind
    const done = yield* stored.persist(keeper)
    if (!done) return false
    behind -= Math.min(counted, behind)
    if (keeper.engine !== undefined) savedAt = yield* Clock.currentTimeMillis
    return true
  })

  const captured = Effect.suspend(() => {
    if (writing || behind < persistEvery || !keeper.isCurrent) return Effect.void
    writing = true
    const done = Effect.sync(() => void (writing = false))
    return Effect.asVoid(Effect.forkIn(Effect.ensuring(write, done), scope))
  })

  const now: Persistence["now"] = Effect.fnUntraced(function* (look, lookMs) {
    if (!(yield* store.available)) return false
    const clock = yield* Clock.Clock
    const end = elapsedMs(clock) + lookMs
    const pace = { ...patient, hurry: () => elapsedMs(clock) > end }
    if (!keeper.isCurrent) yield* Effect.timeoutOption(look(pace), lookMs)
    return yield* write
  })

  return {
    madeWith: Effect.suspend(() => {
      if (engine !== undefined || read) return Effect.succeed(engine)
      return Effect.tap(stored.chosen, (found) => Effect.sync(() => void (engine = found)))
    }),
    knownMadeWith: () => engine,
    load,
    evaluated: () => void behind++,
    captured,
    now,
    forget: Effect.suspend(() => {
      read = true
      behind = 0
      savedAt = undefined
      news = undefined
      return Effect.asVoid(stored.forget)
    }),
    takeNews: () => {
      const told = news
      news = undefined
      return told
    },
    status: Effect.map(Clock.currentTimeMillis, (at) => (savedAt === undefined ? null : { ageMs: since(savedAt, at), behind })),
  } satisfies Persistence
})
