/**
 * Workspaces: read back, written, and forgotten, wherever they lie.
 *
 * Guarantees: a session comes back as it was at one persist, whole. A persist writes what changed since the last one; now and then also what
 * a small or mostly outdated segment before it still says, so that what is kept stays within a small multiple of what is held and segments
 * are few. A segment is never written to again; one that does not count is removed. Stores of one name run one operation at a time, and only
 * the latest that began to load, write or forget writes. Does not: decide when, or speak to a child.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Semaphore from "effect/Semaphore"
import { empty, holds, type Lost, type Holdings, holdingsOf } from "../child/Contents.ts"
import { plan, type Segment } from "./segments.ts"
import type { State, Values } from "./sessionState.ts"
import { type EngineKind, engineKinds, type Returned, type Source, type Store, type WorkspaceStore } from "./Store.ts"
import type { Entry } from "./variableLines.ts"

/** `incomplete`: a segment that is to stay is not there any more, and nothing was written. */
export type Written = "written" | "failed" | "incomplete"

/** One persist. Segments go by their numbers. */
export interface Writing {
  readonly state: State
  readonly added: { readonly number: number; readonly entries: readonly Entry[] } | undefined
  /** What this server knows to be there: with none, all but what `state` names goes. */
  readonly known: readonly number[]
  /** Those of them that do not count any more. */
  readonly absorbed: readonly number[]
}

/** Where one session is kept: a state and segments for each engine. Nothing here fails; what is wrong is told as trouble of the store. */
export interface SessionPlace {
  readonly available: Effect.Effect<boolean>
  /** One that cannot be used is set aside, with the segments. */
  readonly state: (engine: EngineKind) => Effect.Effect<State | undefined>
  readonly values: (engine: EngineKind, state: State) => Effect.Effect<Values | undefined>
  /** All of it in one step, or nothing. */
  readonly write: (engine: EngineKind, writing: Writing) => Effect.Effect<Written>
  /** Removes the segments but these. */
  readonly sweep: (engine: EngineKind, numbers: readonly number[]) => Effect.Effect<void>
  readonly forget: Effect.Effect<boolean>
}

/** Names that another engine holds are told, this many of them. */
const mostNamed = 50

/** What this server knows to be there. */
interface Known {
  readonly engine: EngineKind
  readonly next: number
  readonly segments: readonly Segment[]
  readonly workspace: string | undefined
  /** There is nothing. */
  readonly fresh: boolean
}

/** What all stores of one name share while there are any. */
interface Shared {
  readonly lock: Semaphore.Semaphore
  /** The store that began last to load, write or forget. */
  owner: object | undefined
}

/** Workspaces by name. */
export const make = Effect.fnUntraced(function* (placeOf: (session: string) => SessionPlace) {
  const shared = yield* RcMap.make({
    lookup: (_name: string) => Effect.map(Semaphore.make(1), (lock): Shared => ({ lock, owner: undefined })),
  })
  const workspace: Store["Service"]["workspace"] = (name, cwd, madeWith) =>
    Effect.map(RcMap.get(shared, name), (own) => storeOf(name, placeOf(name), cwd, own, madeWith))
  return workspace
})

const storeOf = (name: string, place: SessionPlace, cwd: string, shared: Shared, madeWith?: EngineKind): WorkspaceStore => {
  let always = madeWith
  let known: Known | undefined
  const self = {}
  let began = false
  const own = <A>(effect: Effect.Effect<A>) =>
    shared.lock.withPermit(
      Effect.suspend(() => {
        began = true
        shared.owner = self
        return effect
      }),
    )

  const chosen = Effect.gen(function* () {
    if (always !== undefined) return always
    let last: { readonly engine: EngineKind; readonly state: State } | undefined
    for (const engine of engineKinds) {
      const state = yield* place.state(engine)
      if (state !== undefined && state.savedAt > (last?.state.savedAt ?? Number.NEGATIVE_INFINITY)) last = { engine, state }
    }
    always = last?.state.chosen === true ? last.engine : undefined
    return always
  })

  const load = Effect.fnUntraced(function* (engine: EngineKind): Effect.fn.Return<Returned | undefined> {
    const state = yield* place.state(engine)
    const read = state === undefined ? undefined : yield* place.values(engine, state)
    const { lost, savedAt } = yield* elsewhere(place, engine, read === undefined ? Number.NEGATIVE_INFINITY : state!.savedAt)
    if (state === undefined || read === undefined) {
      known = undefined
      return lost.length === 0 ? undefined : { held: empty, savedAt, lost }
    }
    known = { engine, next: state.next, segments: read.segments, workspace: JSON.stringify(state.workspace), fresh: false }
    yield* place.sweep(engine, numbersOf(read.segments))
    const workspace = state.workspace?.folder === state.cwd ? { ...state.workspace, folder: cwd } : state.workspace
    return { held: holdingsOf({ variables: read.variables, workspace }), savedAt: state.savedAt, lost }
  })

  /** Nothing of this engine is known: what is there is replaced whole, under numbers of its own. */
  const begin = (engine: EngineKind) =>
    Effect.map(place.state(engine), (state): Known => ({
      engine,
      next: state?.next ?? 1,
      segments: [],
      workspace: "",
      fresh: state === undefined,
    }))

  const persist = Effect.fnUntraced(function* (source: Source): Effect.fn.Return<boolean> {
    const { engine } = source
    if (!(yield* place.available)) return false
    if (engine === undefined) return true
    const anew = known?.engine !== engine
    const before = anew ? yield* begin(engine) : known!
    const { held, changed } = source.takeUnsaved()
    const done = yield* write(before, held, anew ? new Set(held.variables.keys()) : changed)
    if (!done) source.stillUnsaved(changed)
    return done
  })

  /** One persist, of one moment: what is to be written is settled before anything is waited for. */
  const write = Effect.fnUntraced(function* (before: Known, held: Holdings, names: ReadonlySet<string>): Effect.fn.Return<boolean> {
    const workspace = JSON.stringify(held.workspace)
    if (names.size === 0 && (workspace === before.workspace || (before.fresh && !holds(held)))) return true
    const { engine, next } = before
    const { kept, absorbed, entries, bytes } = plan(before.segments, held, names)
    const added =
      entries.length === 0 ? [] : [{ number: next, bytes, size: entries.length, names: new Set(entries.map(({ path }) => path)) }]
    const segments: readonly Segment[] = [...kept, ...added]
    const state: State = {
      session: name,
      cwd,
      savedAt: yield* Clock.currentTimeMillis,
      variables: held.variables.size,
      ...(always === engine && { chosen: true }),
      ...(held.workspace !== undefined && { workspace: held.workspace }),
      next: next + 1,
      segments: segments.map(({ number, bytes }) => ({ number, bytes })),
    }
    const writing: Writing = {
      state,
      added: added.length === 0 ? undefined : { number: next, entries },
      known: numbersOf(before.segments),
      absorbed: numbersOf(absorbed),
    }
    // What was written has to be known, whoever interrupts.
    const done = yield* Effect.uninterruptible(
      Effect.map(place.write(engine, writing), (done) => {
        if (done !== "written") return done
        for (const segment of kept) for (const path of names) segment.names.delete(path)
        known = { engine, next: state.next, segments, workspace, fresh: false }
        return done
      }),
    )
    return done === "incomplete" ? yield* write(yield* begin(engine), held, new Set(held.variables.keys())) : done === "written"
  })

  const forget = Effect.suspend(() => {
    known = undefined
    return place.forget
  })

  return {
    chosen: shared.lock.withPermit(chosen),
    load: (engine) => own(load(engine)),
    persist: (source) => Effect.suspend(() => (began && shared.owner !== self ? Effect.succeed(false) : own(persist(source)))),
    forget: own(forget),
  }
}

const numbersOf = (segments: readonly Segment[]): readonly number[] => segments.map(({ number }) => number)

/** Names that the other engines hold, when they were the last to hold anything. */
const elsewhere = Effect.fnUntraced(function* (place: SessionPlace, engine: EngineKind, since: number) {
  const lost: Lost[] = []
  let savedAt = since
  for (const other of engineKinds) {
    if (other === engine) continue
    const state = yield* place.state(other)
    if (state === undefined || state.savedAt <= since) continue
    savedAt = state.savedAt
    const why = `${other} made it, and ${engine} cannot read its values; it is kept for when ${other} answers again`
    const paths = [...((yield* place.values(other, state))?.variables.keys() ?? [])]
    lost.push(...paths.slice(0, mostNamed).map((path) => ({ path, why })))
    if (paths.length > mostNamed) lost.push({ path: `${paths.length - mostNamed} more`, why })
  }
  return { lost, savedAt }
})
