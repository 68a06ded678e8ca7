/**
 * What is on disk of one session's variables, one folder for each engine, whose values the others cannot read:
 *
 *     sessions/<name>/<engine>/state      what there is: the segments that count, in order, and the workspace
 *     sessions/<name>/<engine>/values.7   a segment: variables as they were when it was written, and names that were gone
 *
 * Guarantees: `state` is replaced in one step, so a session comes back as it was at one persist, whole. A persist writes what changed
 * since the last one; now and then also what a small or mostly outdated segment before it still says, so that what is on disk stays
 * within a small multiple of what is held and segments are few. A segment is never written to again; one that does not count is
 * removed. Does not: decide when, or speak to a child.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { Engine } from "../engines/Engine.ts"
import { empty, holds, kept, type Lost, type Snapshot, type Variable } from "../variables/Snapshot.ts"
import { plan, type Segment } from "./segments.ts"
import type { StateFolder } from "./StateFolder.ts"
import { entriesOf, linesOf } from "./variableLines.ts"

type Kind = Engine["kind"]
const kinds: readonly Kind[] = ["embedded", "k3csharp"]

const stateForm = { kind: "session", version: 1 }
const valuesForm = { kind: "values", version: 1 }

const State = Schema.Struct({
  session: Schema.String,
  /** The working folder of the server that wrote it: a session that stayed there is in that of the next one. */
  cwd: Schema.String,
  /** ms since 1970. */
  savedAt: Schema.Finite,
  variables: Schema.Finite,
  /** The session was made with this engine, whatever the settings say. */
  chosen: Schema.optionalKey(Schema.Boolean),
  workspace: Schema.optionalKey(
    Schema.Struct({ precision: Schema.Finite, seed: Schema.Finite, directory: Schema.String, folder: Schema.String }),
  ),
  /** The number of the next segment. */
  next: Schema.Finite,
  segments: Schema.Array(Schema.Struct({ number: Schema.Finite, bytes: Schema.Finite })),
})
type State = typeof State.Type
const decodeState = Schema.decodeUnknownOption(Schema.fromJsonString(State))

/** A session that is on disk, as far as its `state` tells. */
export interface StoredSession {
  readonly name: string
  readonly engine: Kind
  /** ms since 1970. */
  readonly savedAt: number
  readonly variables: number
}

/** What comes back of a session. */
export interface Returned {
  readonly snapshot: Snapshot
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
  readonly takeUnsaved: () => { readonly held: Snapshot; readonly changed: ReadonlySet<string> }
  /** These were not written. */
  readonly stillUnsaved: (changed: ReadonlySet<string>) => void
}

/** A name as that of a file. Names that differ in case alone are one file to some systems; others are devices. */
export const fileName = (name: string): string => {
  const coded = name.replaceAll(/[^a-z0-9_-]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return /^(con|prn|aux|nul|com\d|lpt\d)$/.test(coded) ? `%${coded}` : coded
}

/** The folder of a session, for all that is kept of it. */
export const sessionFolder = (name: string): string => `sessions/${fileName(name)}`

const engineFolder = (name: string, engine: Kind): string => `${sessionFolder(name)}/${engine}`
const valuesFile = (folder: string, number: number): string => `${folder}/values.${number}`

/** One that cannot be read is set aside with all that goes with it. */
const readState = Effect.fnUntraced(function* (disk: StateFolder["Service"], folder: string): Effect.fn.Return<State | undefined> {
  const lines = yield* disk.load(`${folder}/state`, stateForm, folder)
  if (lines === undefined) return undefined
  const state = decodeState(lines.join(""))
  if (Option.isNone(state)) yield* disk.setAside(folder, "is damaged: its state does not read as it should")
  return Option.getOrUndefined(state)
})

/** Every session on disk, by name and engine. */
export const list = Effect.fnUntraced(function* (disk: StateFolder["Service"]): Effect.fn.Return<readonly StoredSession[]> {
  const found: StoredSession[] = []
  for (const { name } of yield* disk.list("sessions"))
    for (const engine of kinds) {
      const state = yield* readState(disk, `sessions/${name}/${engine}`)
      if (state !== undefined) found.push({ name: state.session, engine, savedAt: state.savedAt, variables: state.variables })
    }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
})

export const make = Effect.fnUntraced(function* (name: string, disk: StateFolder["Service"], cwd: string, madeWith?: Kind) {
  let always = madeWith
  const turn = yield* Semaphore.make(1)
  let known: Known | undefined

  /** All the segments of an engine, one over the other; the folder is set aside when one of them cannot be used. */
  const readSegments = Effect.fnUntraced(function* (folder: string, state: State) {
    const variables = new Map<string, Variable>()
    const last = new Map<string, number>()
    const sizes = new Map<number, number>()
    for (const { number } of state.segments) {
      const lines = yield* disk.load(valuesFile(folder, number), valuesForm, folder)
      if (lines === undefined) {
        yield* disk.setAside(folder, `lacks a part of session ${name}`)
        return undefined
      }
      const entries = entriesOf(lines)
      let size = 0
      for (let more = true; more;) {
        const some = Result.try(() => take(entries, mostAtOnce))
        if (Result.isFailure(some)) {
          yield* disk.setAside(folder, "is damaged: its values do not read as they should")
          return undefined
        }
        for (const entry of some.success) {
          last.set(entry.path, number)
          if ("gone" in entry) variables.delete(entry.path)
          else variables.set(entry.path, entry)
        }
        size += some.success.length
        more = some.success.length > 0
        yield* Effect.yieldNow
      }
      sizes.set(number, size)
    }
    const names = new Map(state.segments.map(({ number }) => [number, new Set<string>()]))
    for (const [path, number] of last) names.get(number)!.add(path)
    const segments = state.segments.map((each) => ({ ...each, size: sizes.get(each.number)!, names: names.get(each.number)! }))
    return { variables, segments }
  })

  /** What is there and does not count was being written, or going to be removed, when a server ended. */
  const sweep = Effect.fnUntraced(function* (folder: string, segments: readonly { readonly number: number }[]) {
    const counted = new Set(["state", ...segments.map(({ number }) => `values.${number}`)])
    for (const { name: file } of yield* disk.list(folder))
      if (/^values\.\d+$/.test(file) && !counted.has(file)) yield* disk.remove(`${folder}/${file}`)
  })

  /** Names that the other engines hold, when they were the last to hold anything. */
  const elsewhere = Effect.fnUntraced(function* (engine: Kind, since: number) {
    const lost: Lost[] = []
    let savedAt = since
    for (const other of kinds) {
      if (other === engine) continue
      const folder = engineFolder(name, other)
      const state = yield* readState(disk, folder)
      if (state === undefined || state.savedAt <= since) continue
      savedAt = state.savedAt
      const why = `${other} made it, and ${engine} cannot read its values; it is kept for when ${other} answers again`
      const paths = [...((yield* readSegments(folder, state))?.variables.keys() ?? [])]
      lost.push(...paths.slice(0, mostNamed).map((path) => ({ path, why })))
      if (paths.length > mostNamed) lost.push({ path: `${paths.length - mostNamed} more`, why })
    }
    return { lost, savedAt }
  })

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
    const read = state === undefined ? undefined : yield* readSegments(folder, state)
    const { lost, savedAt } = yield* elsewhere(engine, read === undefined ? Number.NEGATIVE_INFINITY : state!.savedAt)
    if (state === undefined || read === undefined) {
      known = undefined
      return lost.length === 0 ? undefined : { snapshot: empty(), savedAt, lost }
    }
    known = { engine, next: state.next, segments: read.segments, workspace: JSON.stringify(state.workspace), fresh: false }
    yield* sweep(folder, read.segments)
    const snapshot = empty()
    const { workspace } = state
    snapshot.workspace = workspace?.folder === state.cwd ? { ...workspace, folder: cwd } : workspace
    for (const variable of read.variables.values()) {
      snapshot.variables.set(variable.path, variable)
      snapshot.bytes += kept(variable)
    }
    return { snapshot, savedAt: state.savedAt, lost }
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

  /** Somebody may have removed the folder, or some of it, while the server ran. */
  const isThere = ({ engine, segments }: Known): Effect.Effect<boolean> =>
    segments.length === 0
      ? Effect.succeed(true)
      : Effect.map(disk.list(engineFolder(name, engine)), (items) => {
          const found = new Set(items.map((item) => item.name))
          return segments.every(({ number }) => found.has(`values.${number}`))
        })

  /** One persist, of one moment: what is to be written is settled before anything is waited for. */
  const write = Effect.fnUntraced(function* (before: Known, held: Snapshot, names: ReadonlySet<string>): Effect.fn.Return<boolean> {
    const workspace = JSON.stringify(held.workspace)
    if (names.size === 0 && (workspace === before.workspace || (before.fresh && !holds(held)))) return true
    const { engine } = before
    const folder = engineFolder(name, engine)
    const { kept, absorbed, entries, bytes } = plan(before.segments, held, names)
    const state: State = {
      session: name,
      cwd,
      savedAt: yield* Clock.currentTimeMillis,
      variables: held.variables.size,
      ...(always === engine && { chosen: true }),
      ...(held.workspace !== undefined && { workspace: held.workspace }),
      next: before.next + 1,
      segments: [],
    }
    if (!(yield* isThere(before))) return yield* write(yield* begin(engine), held, new Set(held.variables.keys()))
    const segments = [...kept]
    if (entries.length > 0) {
      const number = before.next
      if (!(yield* disk.save(valuesFile(folder, number), valuesForm, linesOf(entries)))) return false
      segments.push({ number, bytes, size: entries.length, names: new Set(entries.map(({ path }) => path)) })
    }
    const list = segments.map(({ number, bytes }) => ({ number, bytes }))
    if (!(yield* disk.save(`${folder}/state`, stateForm, [JSON.stringify({ ...state, segments: list })]))) return false
    for (const segment of kept) for (const path of names) segment.names.delete(path)
    known = { engine, next: state.next, segments, workspace, fresh: false }
    if (before.segments.length === 0) yield* sweep(folder, segments)
    else for (const { number } of absorbed) yield* disk.remove(valuesFile(folder, number))
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

const mostNamed = 50

/** Entries that are read before others have a turn. */
const mostAtOnce = 1000
const take = <A>(from: Iterator<A>, most: number): readonly A[] => {
  const taken: A[] = []
  while (taken.length < most) {
    const next = from.next()
    if (next.done === true) break
    taken.push(next.value)
  }
  return taken
}
