/**
 * Loads, writes and forgets stored workspaces, in any kind of store.
 *
 * Guarantees: a load gives the whole workspace of one persist. A persist writes the changes since the last one, and sometimes the content of
 * small or outdated segments, so that segments are few and their bytes stay within a small multiple of the held ones. A segment is never
 * changed; an invalid one is removed. For all stores of one name, one operation runs at a time, and only the store that last began to load,
 * write or forget writes. Does not: decide when to write, or talk to a child.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { type EngineKind, engineKinds } from "../engineKinds.ts"
import { type Contents, empty, holds, type Lost, settingsIn } from "../child/Contents.ts"
import { numbersOf, plan, type Segment } from "./segments.ts"
import type { State, Values } from "./sessionState.ts"
import { type Returned, type StoredSession, type WorkspaceSource, type Store, type WorkspaceStore } from "./Store.ts"
import { type VariableEntry, plain } from "./variableLines.ts"

/** `incomplete`: the stored state, or a segment that should stay, is missing or is not this session's; nothing was written. */
export type Written = "written" | "failed" | "incomplete"

/** The changes of one persist. Segments are identified by their numbers. */
export interface Writing {
  readonly state: State
  readonly added: { readonly number: number; readonly entries: readonly VariableEntry[] } | undefined
  /** The segments that this server knows in the store. When there are none, all segments but those of `state` are removed. */
  readonly known: readonly number[]
  /** Whether this server read or wrote the stored state with this time. Any other state, and its segments, are not this session's. */
  readonly isKnown: (savedAt: number) => boolean
  /** The known segments that the new one absorbs. */
  readonly absorbed: readonly number[]
  /** The number of the latest history entry whose changes the variables have; undefined when that is not known. */
  readonly contains: number | undefined
  /** The stored variables of the engine could not be read: the session lacks them, and the write must not lose them. */
  readonly isUnread: boolean
}

/**
 * The place of one session in a store: a state and segments for each engine. No operation fails; problems are reported as trouble of the store.
 * `unread`: the store has it, or may have it, and could not read it.
 */
export interface SessionPlace {
  readonly available: Effect.Effect<boolean>
  /** Reads the state. An unusable one is set aside with its segments. */
  readonly state: (engine: EngineKind) => Effect.Effect<State | "unread" | undefined>
  readonly values: (engine: EngineKind, state: State) => Effect.Effect<Values | "unread" | undefined>
  /** Writes atomically. */
  readonly write: (engine: EngineKind, writing: Writing) => Effect.Effect<Written>
  /** Notes that the stored variables have the changes of history entries up to this number. */
  readonly contain: (number: number) => Effect.Effect<boolean>
  /** Removes all segments but these. */
  readonly sweep: (engine: EngineKind, numbers: readonly number[]) => Effect.Effect<void>
  readonly forget: Effect.Effect<boolean>
}

/** At most this many variables of another engine are listed by name. */
const mostNamed = 50

/** The data that this server knows in the store. */
interface Known {
  readonly engine: EngineKind
  readonly next: number
  readonly segments: readonly Segment[]
  /** The settings of the workspace as JSON. */
  readonly settings: string | undefined
  /** The store has no state for this engine. */
  readonly fresh: boolean
}

/** Shared by all stores of one name. */
interface Shared {
  readonly lock: Semaphore.Semaphore
  /** The store that began last to load, write or forget. */
  owner: object | undefined
}

/** Workspaces by name. */
export const make = Effect.fnUntraced(function* (
  placeOf: (session: string) => SessionPlace,
): Effect.fn.Return<Store["Service"]["workspace"], never, Scope.Scope> {
  const shared = yield* RcMap.make({
    lookup: (_name: string) => Effect.map(Semaphore.make(1), (lock): Shared => ({ lock, owner: undefined })),
  })
  return (name, cwd, madeWith) =>
    Effect.map(RcMap.get(shared, name), (own) => new StoredWorkspace({ name, place: placeOf(name), cwd, shared: own }, madeWith))
})

interface Parts {
  readonly name: string
  readonly place: SessionPlace
  readonly cwd: string
  readonly shared: Shared
}

class StoredWorkspace implements WorkspaceStore {
  private known: Known | undefined
  /** The times of the states that the store may have from this server. */
  private times = new Set<number>()
  /** Engines whose stored variables could not be read. */
  private readonly unread = new Set<EngineKind>()
  private began = false

  /** `fixed`: the engine that a call chose for the session. */
  constructor(
    private readonly parts: Parts,
    private fixed: EngineKind | undefined,
  ) {}

  readonly chosen = Effect.suspend(() => this.parts.shared.lock.withPermit(this.choose))

  readonly load = (engine: EngineKind): Effect.Effect<Returned | undefined> => this.own(this.read(engine))

  readonly persist = (source: WorkspaceSource): Effect.Effect<boolean> =>
    Effect.suspend(() => (this.began && this.parts.shared.owner !== this ? Effect.succeed(false) : this.own(this.save(source))))

  readonly forget = Effect.suspend(() =>
    this.own(
      Effect.suspend(() => {
        this.known = undefined
        this.unread.clear()
        return this.parts.place.forget
      }),
    ),
  )

  private own<A>(effect: Effect.Effect<A>): Effect.Effect<A> {
    const { shared } = this.parts
    return shared.lock.withPermit(
      Effect.suspend(() => {
        this.began = true
        shared.owner = this
        return effect
      }),
    )
  }

  private readonly choose = Effect.gen({ self: this }, function* () {
    if (this.fixed !== undefined) return this.fixed
    const { place } = this.parts
    const states = yield* Effect.forEach(engineKinds, (engine) => Effect.map(stateOf(place, engine), (state) => ({ engine, ...state })))
    const last = states.reduce((one, other) => ((other.savedAt ?? -1) > (one.savedAt ?? -1) ? other : one))
    this.fixed = last.chosen === true ? last.engine : undefined
    return this.fixed
  })

  private readonly read = Effect.fnUntraced({ self: this }, function* (engine: EngineKind): Effect.fn.Return<Returned | undefined> {
    const { place, cwd } = this.parts
    const state = yield* place.state(engine)
    const read = typeof state === "object" ? yield* place.values(engine, state) : state
    if (read === "unread") this.unread.add(engine)
    else this.unread.delete(engine)
    const isRead = typeof state === "object" && typeof read === "object"
    const { lost, savedAt } = yield* elsewhere(place, this.unread, engine, isRead ? state.savedAt : Number.NEGATIVE_INFINITY)
    if (!isRead) {
      this.known = undefined
      return lost.length === 0 ? undefined : { held: empty, savedAt, lost }
    }
    this.known = { engine, next: state.next, segments: read.segments, settings: JSON.stringify(state.workspace), fresh: false }
    this.times = new Set([state.savedAt])
    yield* place.sweep(engine, numbersOf(read.segments))
    return {
      held: { variables: read.variables, settings: settingsIn(cwd, state.cwd, state.workspace) },
      savedAt: state.savedAt,
      lost,
    }
  })

  /**
   * The start of a persist when nothing of the engine is known. The stored segments are replaced by new ones, whose numbers continue the old ones.
   */
  private begin(engine: EngineKind): Effect.Effect<Known> {
    return Effect.map(stateOf(this.parts.place, engine), (state) => ({
      engine,
      next: state?.next ?? 1,
      segments: [],
      settings: "",
      fresh: state === undefined,
    }))
  }

  private readonly save: (source: WorkspaceSource) => Effect.Effect<boolean> = Effect.fnUntraced({ self: this }, function* (source) {
    const { engine } = source
    if (!(yield* this.parts.place.available)) return false
    if (engine === undefined) return true
    const anew = this.known?.engine !== engine
    const before = anew ? yield* this.begin(engine) : this.known!
    if (source.engine !== engine) return yield* this.save(source)
    const { held, changed, contains } = source.takeUnsaved()
    // Uninterruptible, so that `known` always matches the store, and the taken changes are either written or given back.
    return yield* Effect.uninterruptible(
      Effect.map(this.write(before, held, anew ? new Set(held.variables.keys()) : changed, contains), (done) => {
        if (!done) source.stillUnsaved(changed)
        return done
      }),
    )
  })

  /** One persist. The data to write are fixed before the first wait, so they belong to one moment. */
  private readonly write = Effect.fnUntraced(
    { self: this },
    function* (before: Known, held: Contents, names: ReadonlySet<string>, contains: number | undefined): Effect.fn.Return<boolean> {
      const { place } = this.parts
      const settings = JSON.stringify(held.settings)
      if (names.size === 0 && (settings === before.settings || (before.fresh && !holds(held))))
        return contains === undefined || (yield* place.contain(contains))
      const { engine, next } = before
      const { kept, absorbed, entries, bytes } = plan(before.segments, held, names)
      const added =
        entries.length === 0 ? [] : [{ number: next, bytes, size: entries.length, names: new Set(entries.map(({ path }) => path)) }]
      const segments: readonly Segment[] = [...kept, ...added]
      const state = this.stateWith(engine, held, segments, { savedAt: yield* Clock.currentTimeMillis, next: next + 1 })
      const done = yield* place.write(engine, {
        state,
        added: added.length === 0 ? undefined : { number: next, entries },
        known: numbersOf(before.segments),
        isKnown: (savedAt) => this.times.has(savedAt),
        absorbed: numbersOf(absorbed),
        contains,
        isUnread: this.unread.has(engine),
      })
      // A write can fail after its state has taken the place of the earlier one.
      this.times.add(state.savedAt)
      if (done === "incomplete") return yield* this.write(yield* this.begin(engine), held, new Set(held.variables.keys()), contains)
      if (done === "failed") return false
      this.unread.delete(engine)
      this.times = new Set([state.savedAt])
      for (const segment of kept) for (const path of names) segment.names.delete(path)
      this.known = { engine, next: state.next, segments, settings, fresh: false }
      return true
    },
  )

  private stateWith(
    engine: EngineKind,
    { settings, variables }: Contents,
    segments: readonly Segment[],
    { savedAt, next }: Pick<State, "savedAt" | "next">,
  ): State {
    const { name: session, cwd } = this.parts
    // A name that no state may hold counts as the next server's own folder.
    const home = plain.test(cwd) ? cwd : ""
    return {
      session,
      cwd: home,
      savedAt,
      variables: variables.size,
      ...(this.fixed === engine && { chosen: true }),
      ...(settings !== undefined && { workspace: plain.test(settings.folder) ? settings : { ...settings, folder: home } }),
      next,
      segments: segments.map(({ number, bytes }) => ({ number, bytes })),
    }
  }
}

const stateOf = (place: SessionPlace, engine: EngineKind): Effect.Effect<State | undefined> =>
  Effect.map(place.state(engine), (state) => (state === "unread" ? undefined : state))

/** The list entry of a stored workspace; none for one that is missing or was not read. */
export const entriesOf = (engine: EngineKind, state: State | "unread" | undefined): readonly StoredSession[] =>
  typeof state === "object" ? [{ name: state.session, engine, savedAt: state.savedAt, variables: state.variables }] : []

/** The list entries of one session, for each engine that has a stored workspace. */
export const storedIn = (place: SessionPlace): Effect.Effect<readonly StoredSession[]> =>
  Effect.map(
    Effect.forEach(engineKinds, (engine) => Effect.map(place.state(engine), (state) => entriesOf(engine, state))),
    (all) => all.flat(),
  )

/** The variables that the other engine saved after `since`, as lost ones. */
const elsewhere = Effect.fnUntraced(function* (place: SessionPlace, unread: Set<EngineKind>, engine: EngineKind, since: number) {
  const other = engineKinds.find((kind) => kind !== engine)!
  const state = yield* stateOf(place, other)
  if (state === undefined || state.savedAt <= since) return { lost: [], savedAt: since }
  const why = `${other} made it, and ${engine} cannot read its values; it is kept for when ${other} answers again`
  const values = yield* place.values(other, state)
  if (values === "unread") unread.add(other)
  const paths = typeof values === "object" ? [...values.variables.keys()] : []
  const named = paths.length <= mostNamed ? paths : [...paths.slice(0, mostNamed), `${paths.length - mostNamed} more`]
  return { lost: named.map((path): Lost => ({ path, why })), savedAt: state.savedAt }
})
