/**
 * What is on disk of one session's variables: read back, written, and forgotten, one at a time.
 *
 * Guarantees: `state` is replaced in one step, so a session comes back as it was at one persist, whole. A persist writes what changed
 * since the last one; now and then also what a small or mostly outdated segment before it still says, so that what is on disk stays
 * within a small multiple of what is held and segments are few. A segment is never written to again; one that does not count is
 * removed. Does not: decide when, or speak to a child.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { empty, holds, type Lost, type Holdings, holdingsOf } from "../../child/Contents.ts"
import { plan, type Segment } from "./segments.ts"
import { areThere, engineFolder, type Kind, kinds, readSegments, readState, removeSegments, type State } from "./sessionFiles.ts"
import { sweep, writeSegment, writeState } from "./sessionFiles.ts"
import type { StateFolder } from "./StateFolder.ts"

/** Names that another engine holds are told, this many of them. */
const mostNamed = 50

/** What comes back of a session. */
export interface Returned {
  readonly held: Holdings
  /** When it was written, or what is lost, when that is all; ms since 1970. */
  readonly savedAt: number
  /** What another engine holds. */
  readonly lost: readonly Lost[]
}

export interface Stored {
  /** The engine that the session was made with, whatever the settings say, when it was the last to be written. */
  readonly chosen: Effect.Effect<Kind | undefined>
  /** What is on disk, for this engine; nothing when there is nothing, or when it cannot be used, which is told as trouble of the folder. */
  readonly load: (engine: Kind) => Effect.Effect<Returned | undefined>
  /** Writes what changed since the last time; true when all that is held is on disk now. */
  readonly persist: (source: Source) => Effect.Effect<boolean>
  /** Nothing of it is on disk any more. */
  readonly forget: Effect.Effect<boolean>
}

/** What this server knows to be on disk. */
interface Known {
  readonly engine: Kind
  readonly next: number
  readonly segments: readonly Segment[]
  readonly workspace: string | undefined
  /** There is nothing on disk. */
  readonly fresh: boolean
}

/** What is held of a session, as its keeper tells it. */
interface Source {
  /** The one whose values are held; without one nothing was held yet, and what is on disk stays. */
  readonly engine: Kind | undefined
  /** All that is held now, and the names that may differ since this was last asked. */
  readonly takeUnsaved: () => { readonly held: Holdings; readonly changed: ReadonlySet<string> }
  /** These were not written. */
  readonly stillUnsaved: (changed: ReadonlySet<string>) => void
}

export const make = Effect.fnUntraced(function* (name: string, disk: StateFolder["Service"], cwd: string, madeWith?: Kind) {
  let always = madeWith
  const turn = yield* Semaphore.make(1)
  let known: Known | undefined

  const chosen = Effect.gen(function* () {
    if (always !== undefined) return always
    let last: { readonly engine: Kind; readonly state: State } | undefined
    for (const engine of kinds) {
      const state = yield* readState(disk, engineFolder(name, engine))
      if (state !== undefined && state.savedAt > (last?.state.savedAt ?? Number.NEGATIVE_INFINITY)) last = { engine, state }
    }
    always = last?.state.chosen === true ? last.engine : undefined
    return always
  })

  const load = Effect.fnUntraced(function* (engine: Kind): Effect.fn.Return<Returned | undefined> {
    const folder = engineFolder(name, engine)
    const state = yield* readState(disk, folder)
    const read = state === undefined ? undefined : yield* readSegments(disk, folder, state)
    const { lost, savedAt } = yield* elsewhere(disk, name, engine, read === undefined ? Number.NEGATIVE_INFINITY : state!.savedAt)
    if (state === undefined || read === undefined) {
      known = undefined
      return lost.length === 0 ? undefined : { held: empty(), savedAt, lost }
    }
    known = { engine, next: state.next, segments: read.segments, workspace: JSON.stringify(state.workspace), fresh: false }
    yield* sweep(disk, folder, read.segments)
    const workspace = state.workspace?.folder === state.cwd ? { ...state.workspace, folder: cwd } : state.workspace
    return { held: holdingsOf({ variables: read.variables, workspace }), savedAt: state.savedAt, lost }
  })

  /** Nothing of this engine is known: what is there is replaced whole, under numbers of its own. */
  const begin = (engine: Kind) =>
    Effect.map(readState(disk, engineFolder(name, engine)), (state): Known => ({
      engine,
      next: state?.next ?? 1,
      segments: [],
      workspace: "",
      fresh: state === undefined,
    }))

  const persist = Effect.fnUntraced(function* (source: Source): Effect.fn.Return<boolean> {
    const { engine } = source
    if (!(yield* disk.available)) return false
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
    const folder = engineFolder(name, engine)
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
    if (!(yield* areThere(disk, folder, before.segments))) return yield* write(yield* begin(engine), held, new Set(held.variables.keys()))
    if (added.length > 0 && !(yield* writeSegment(disk, folder, next, entries))) return false
    if (!(yield* writeState(disk, folder, state))) return false
    for (const segment of kept) for (const path of names) segment.names.delete(path)
    known = { engine, next: state.next, segments, workspace, fresh: false }
    yield* before.segments.length === 0 ? sweep(disk, folder, segments) : removeSegments(disk, folder, absorbed)
    return true
  })

  const forget = Effect.gen(function* () {
    known = undefined
    const gone: boolean[] = []
    for (const engine of kinds) {
      const folder = engineFolder(name, engine)
      // First what says that the rest counts.
      gone.push(yield* disk.remove(`${folder}/state`), yield* disk.remove(folder))
    }
    return gone.every(Boolean)
  })

  return {
    chosen: turn.withPermit(chosen),
    load: (engine) => turn.withPermit(load(engine)),
    persist: (source) => turn.withPermit(persist(source)),
    forget: turn.withPermit(forget),
  } satisfies Stored
})

/** Names that the other engines hold, when they were the last to hold anything. */
const elsewhere = Effect.fnUntraced(function* (disk: StateFolder["Service"], name: string, engine: Kind, since: number) {
  const lost: Lost[] = []
  let savedAt = since
  for (const other of kinds) {
    if (other === engine) continue
    const folder = engineFolder(name, other)
    const state = yield* readState(disk, folder)
    if (state === undefined || state.savedAt <= since) continue
    savedAt = state.savedAt
    const why = `${other} made it, and ${engine} cannot read its values; it is kept for when ${other} answers again`
    const paths = [...((yield* readSegments(disk, folder, state))?.variables.keys() ?? [])]
    lost.push(...paths.slice(0, mostNamed).map((path) => ({ path, why })))
    if (paths.length > mostNamed) lost.push({ path: `${paths.length - mostNamed} more`, why })
  }
  return { lost, savedAt }
})
