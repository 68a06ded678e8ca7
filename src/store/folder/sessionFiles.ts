/**
 * The files of one session on disk, one folder for each engine, whose values the others cannot read:
 *
 *     sessions/<name>/<engine>/state      what there is: the segments that count, in order, and the workspace
 *     sessions/<name>/<engine>/values.7   a segment: variables as they were when it was written, and names that were gone
 *
 * Guarantees: what cannot be used is set aside with the whole folder, and told as trouble of the state folder; a segment of any size is
 * read without keeping others waiting. Does not: know what is to be written, or when (`workspaces.ts`).
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Variable } from "../../child/Contents.ts"
import { namePattern } from "../../limits.ts"
import { sessionIn, wasNamed } from "./layout.ts"
import type { Segment } from "./segments.ts"
import { engineKinds, type StoredSession } from "../Store.ts"
import type { StateFolder } from "./StateFolder.ts"
import { entriesOf, type Entry, linesOf, plain, Workspace } from "./variableLines.ts"

type Disk = StateFolder["Service"]

/** Their sizes double, so there are never many. */
const mostSegments = 1000

/** Entries that are read before others have a turn. */
const mostAtOnce = 1000

const stateForm = { kind: "session", version: 1 }
const valuesForm = { kind: "values", version: 1 }

const Text = Schema.String.check(Schema.isPattern(plain))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Number = Schema.Int.check(Schema.isGreaterThan(0))

const State = Schema.Struct({
  session: Schema.String.check(Schema.isPattern(namePattern)),
  /** The working folder of the server that wrote it: a session that stayed there is in that of the next one. */
  cwd: Text,
  /** ms since 1970. */
  savedAt: Schema.Finite,
  variables: Count,
  /** The session was made with this engine, whatever the settings say. */
  chosen: Schema.optionalKey(Schema.Boolean),
  workspace: Schema.optionalKey(Workspace),
  /** The number of the next segment. */
  next: Number,
  segments: Schema.Array(Schema.Struct({ number: Number, bytes: Count })).check(Schema.isMaxLength(mostSegments)),
})
export type State = typeof State.Type
const decodeState = Schema.decodeUnknownOption(Schema.fromJsonString(State))

const valuesFile = (folder: string, number: number): string => `${folder}/values.${number}`

type Listed = Pick<Segment, "number">

/** Is it of the session whose folder it lies in, or was before that was renamed, and are its numbers its own? */
const isSound = ({ session, segments, next }: State, name: string): boolean => {
  const numbers = new Set(segments.map(({ number }) => number))
  return wasNamed(name, session) && numbers.size === segments.length && segments.every(({ number }) => number < next)
}

/** One that cannot be read is set aside with all that goes with it. */
export const readState = Effect.fnUntraced(function* (disk: Disk, folder: string): Effect.fn.Return<State | undefined> {
  const lines = yield* disk.load(`${folder}/state`, stateForm, folder)
  if (lines === undefined) return undefined
  const state = Option.getOrUndefined(decodeState(lines.join("")))
  const session = sessionIn(folder.slice(0, folder.lastIndexOf("/")))
  if (state !== undefined && isSound(state, session)) return { ...state, session }
  yield* disk.setAside(folder, "is damaged: its state does not read as it should")
  return undefined
})

export const writeState = (disk: Disk, folder: string, state: State): Effect.Effect<boolean> =>
  disk.save(`${folder}/state`, stateForm, [JSON.stringify(state)])

/** Every session on disk, by name and engine. */
export const list = Effect.fnUntraced(function* (disk: Disk): Effect.fn.Return<readonly StoredSession[]> {
  const found: StoredSession[] = []
  for (const { name, isFolder } of yield* disk.list("sessions"))
    for (const engine of isFolder ? engineKinds : []) {
      const state = yield* readState(disk, `sessions/${name}/${engine}`)
      if (state !== undefined) found.push({ name: state.session, engine, savedAt: state.savedAt, variables: state.variables })
    }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
})

export const writeSegment = (disk: Disk, folder: string, number: number, entries: readonly Entry[]): Effect.Effect<boolean> =>
  disk.save(valuesFile(folder, number), valuesForm, linesOf(entries))

/** All the segments of an engine, one over the other; undefined when one of them cannot be used. */
export const readSegments = Effect.fnUntraced(function* (disk: Disk, folder: string, { session, segments }: State) {
  const unusable = (why: string) => Effect.as(disk.setAside(folder, why), undefined)
  const variables = new Map<string, Variable>()
  const lastWord = new Map<string, number>()
  const sizes = new Map<number, number>()
  for (const { number } of segments) {
    const lines = yield* disk.load(valuesFile(folder, number), valuesForm, folder)
    if (lines === undefined) return yield* unusable(`lacks a part of session ${session}`)
    const size = yield* readEntries(lines, (entry) => {
      lastWord.set(entry.path, number)
      if ("gone" in entry) variables.delete(entry.path)
      else variables.set(entry.path, entry)
    })
    if (size === undefined) return yield* unusable("is damaged: its values do not read as they should")
    sizes.set(number, size)
  }
  const names = new Map(segments.map(({ number }) => [number, new Set<string>()]))
  for (const [path, number] of lastWord) names.get(number)!.add(path)
  const found = segments.map((each): Segment => ({ ...each, size: sizes.get(each.number)!, names: names.get(each.number)! }))
  return { variables, segments: found }
})

/** Hands over each entry; how many there were, or undefined when they do not read as they should. */
const readEntries = Effect.fnUntraced(function* (lines: readonly string[], each: (entry: Entry) => void) {
  const entries = entriesOf(lines)
  for (let size = 0; ;) {
    const some = Result.try(() => take(entries, mostAtOnce))
    if (Result.isFailure(some)) return undefined
    if (some.success.length === 0) return size
    for (const entry of some.success) each(entry)
    size += some.success.length
    yield* Effect.yieldNow
  }
})

const take = <A>(from: Iterator<A>, most: number): readonly A[] => {
  const taken: A[] = []
  while (taken.length < most) {
    const next = from.next()
    if (next.done === true) break
    taken.push(next.value)
  }
  return taken
}

export const removeSegments = (disk: Disk, folder: string, segments: readonly Listed[]): Effect.Effect<void> =>
  Effect.forEach(segments, ({ number }) => disk.remove(valuesFile(folder, number)), { discard: true })

/** Somebody may have removed the folder, or some of it, while the server ran. */
export const areThere = (disk: Disk, folder: string, segments: readonly Listed[]): Effect.Effect<boolean> =>
  segments.length === 0
    ? Effect.succeed(true)
    : Effect.map(disk.list(folder), (items) => {
        const found = new Set(items.map((item) => item.name))
        return segments.every(({ number }) => found.has(`values.${number}`))
      })

/** What is there and does not count was being written, or going to be removed, when a server ended. */
export const sweep = Effect.fnUntraced(function* (disk: Disk, folder: string, segments: readonly Listed[]) {
  const counted = new Set(["state", ...segments.map(({ number }) => `values.${number}`)])
  for (const { name: file } of yield* disk.list(folder))
    if (/^values\.\d+$/.test(file) && !counted.has(file)) yield* disk.remove(`${folder}/${file}`)
})
