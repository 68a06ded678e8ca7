/**
 * The files of one session on disk, one folder for each engine, whose values the others cannot read:
 *
 *     sessions/<name>/<engine>/state      the list of valid segments, in order, and the settings of the workspace
 *     sessions/<name>/<engine>/values.7   a segment: the variables written at one persist, and the names removed by then
 *
 * Guarantees: `state` is replaced atomically, after the segment that it names. When a file is unusable, the whole folder of the engine is set
 * aside, and reported as trouble of the state folder; so is a folder that its session could not read, before the session is written. Does not:
 * decide the content or the time of writes (`workspaces.ts`).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type EngineKind, engineKinds } from "../../engineKinds.ts"
import { type StoredSession } from "../Store.ts"
import { type State, stateForm, stateLines, stateOf, valuesForm, valuesOf } from "../sessionState.ts"
import { numbersOf } from "../segments.ts"
import { linesOf } from "../variableLines.ts"
import { entriesOf, type SessionPlace, type Written } from "../workspaces.ts"
import { atOnce, engineFolder, sessionIn, wasNamed } from "./layout.ts"
import type { StateFolder } from "./StateFolder.ts"

type Disk = StateFolder["Service"]

const valuesFile = (folder: string, number: number): string => `${folder}/values.${number}`

/** Reads a state. When it is unusable, or of another session, the folder of the engine is set aside. */
const readState = Effect.fnUntraced(function* (disk: Disk, folder: string): Effect.fn.Return<State | "unread" | undefined> {
  const file = `${folder}/state`
  const lines = yield* disk.load(file, stateForm, folder)
  if (lines === undefined) return (yield* disk.exists(file)) ? "unread" : undefined
  const session = sessionIn(folder.slice(0, folder.lastIndexOf("/")))
  // The session's folder may have been renamed since.
  const state = stateOf(lines, (name) => wasNamed(session, name))
  if (Result.isSuccess(state)) return { ...state.success, session }
  yield* disk.setAside(folder, state.failure)
  return undefined
})

/** Every session on disk, by name and engine. */
export const list = Effect.fnUntraced(function* (disk: Disk): Effect.fn.Return<readonly StoredSession[]> {
  const places = (yield* disk.list("sessions")).flatMap(({ name, isFolder }) =>
    isFolder ? engineKinds.map((engine) => ({ engine, folder: `sessions/${name}/${engine}` })) : [],
  )
  const found = yield* Effect.forEach(
    places,
    ({ engine, folder }) => Effect.map(readState(disk, folder), (state) => entriesOf(engine, state)),
    { concurrency: atOnce },
  )
  return found.flat().sort((a, b) => (a.name < b.name ? -1 : 1))
})

/** Whether all these segments still exist. A user may have removed the folder, or files in it, while the server ran. */
const areThere = (disk: Disk, folder: string, numbers: readonly number[]): Effect.Effect<boolean> =>
  numbers.length === 0
    ? Effect.succeed(true)
    : Effect.map(disk.list(folder), (items) => {
        const found = new Set(items.map((item) => item.name))
        return numbers.every((number) => found.has(`values.${number}`))
      })

/** Removes segments that `state` does not name: a server ended while it wrote them, or before it removed them. */
const sweep = Effect.fnUntraced(function* (disk: Disk, folder: string, numbers: readonly number[]) {
  const counted = new Set(numbers.map((number) => `values.${number}`))
  for (const { name: file } of yield* disk.list(folder))
    if (/^values\.\d+$/.test(file) && !counted.has(file)) yield* disk.remove(`${folder}/${file}`)
})

export const placeOf = (disk: Disk, session: string): SessionPlace => {
  const folderOf = (engine: EngineKind): string => engineFolder(session, engine)
  return {
    available: disk.available,
    state: (engine) => readState(disk, folderOf(engine)),
    values: Effect.fnUntraced(function* (engine, state) {
      const folder = folderOf(engine)
      let isUnread = false
      const load = Effect.fnUntraced(function* (number: number) {
        const file = valuesFile(folder, number)
        const lines = yield* disk.load(file, valuesForm, folder)
        isUnread = lines === undefined && (yield* disk.exists(file))
        return lines
      })
      const values = yield* valuesOf(state, load)
      if (Result.isSuccess(values)) return values.success
      if (isUnread) return "unread"
      yield* disk.setAside(folder, values.failure)
      return undefined
    }),
    write: Effect.fnUntraced(function* (engine, { state, added, known, isKnown, absorbed, isUnread }): Effect.fn.Return<Written> {
      const folder = folderOf(engine)
      if (isUnread) yield* disk.setAside(folder, "could not be read when its session began")
      if (!(yield* areThere(disk, folder, known))) return "incomplete"
      // Somebody may have put another state there: its segments may have the same numbers and other variables.
      const present = yield* readState(disk, folder)
      if (present === undefined && known.length > 0) return "incomplete"
      if (typeof present === "object" && !isKnown(present.savedAt)) {
        yield* disk.setAside(folder, "has another state than its session read or wrote last")
        return (yield* disk.exists(`${folder}/state`)) ? "failed" : "incomplete"
      }
      if (added !== undefined && !(yield* disk.save(valuesFile(folder, added.number), valuesForm, linesOf(added.entries)))) return "failed"
      if (!(yield* disk.save(`${folder}/state`, stateForm, stateLines(state)))) return "failed"
      yield* known.length === 0
        ? sweep(disk, folder, numbersOf(state.segments))
        : Effect.forEach(absorbed, (number) => disk.remove(valuesFile(folder, number)), { discard: true })
      return "written"
    }),
    // One server writes the folder: nobody else asks.
    contain: () => Effect.succeed(true),
    sweep: (engine, numbers) => sweep(disk, folderOf(engine), numbers),
    forget: Effect.map(
      // `state` first: without it, the segments do not count.
      Effect.forEach(engineKinds.map(folderOf), (folder) =>
        Effect.zipWith(disk.remove(`${folder}/state`), disk.remove(folder), (a, b) => a && b),
      ),
      (gone) => gone.every(Boolean),
    ),
  }
}
