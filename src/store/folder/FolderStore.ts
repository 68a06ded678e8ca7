/**
 * The store in a folder of this machine: a session's variables (`sessionFiles.ts`), snapshots and history are in its own folder; documents are in a
 * folder for each kind, with a file for each key.
 *
 * Guarantees: the guarantees of the port. A file is replaced atomically; a history alone grows in place. Does not: keep anything in memory.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type DocumentKind, ofEachKind } from "../documentKinds.ts"
import { linesIn } from "../historyLines.ts"
import { retryRemovals } from "../removals.ts"
import { snapshotForm, snapshotLines, snapshotsIn } from "../snapshotLines.ts"
import { type DocumentStore, type HistoryStore, type SnapshotStore, Store } from "../Store.ts"
import * as workspaces from "../workspaces.ts"
import { fileName, sessionFolder } from "./layout.ts"
import { list, placeOf } from "./sessionFiles.ts"
import { StateFolder } from "./StateFolder.ts"

type Disk = StateFolder["Service"]

export const layer: Layer.Layer<Store, never, StateFolder> = Layer.effect(
  Store,
  Effect.gen(function* () {
    const disk = yield* StateFolder
    const store = Store.of({
      place: disk.folder,
      available: disk.available,
      sessions: list(disk),
      session: (name) => workspaces.storedIn(placeOf(disk, name)),
      workspace: yield* workspaces.make((session) => placeOf(disk, session)),
      snapshots: (session) => snapshotsOf(session, disk),
      history: (session) => historyOf(session, disk),
      documents: ofEachKind((kind) => documentsOf(kind, disk)),
      takeovers: disk.takeovers,
      takenOver: disk.takenOver,
      trouble: disk.trouble,
      takeTrouble: disk.takeTrouble,
    })
    return yield* retryRemovals(store, disk.takeovers)
  }),
)

/** `sessions/<name>/snapshots/<snapshot>` is a snapshot. */
const snapshotsOf = (session: string, disk: Disk): SnapshotStore => {
  const folder = `${sessionFolder(session)}/snapshots`
  const fileOf = (name: string): string => `${folder}/${fileName(name)}`
  return {
    load: (present) =>
      Effect.flatMap(disk.list(folder), (items) =>
        snapshotsIn(
          items.map(({ name }) => `${folder}/${name}`),
          present,
          {
            read: (path) => disk.load(path, snapshotForm),
            isNamed: (path, name) => fileOf(name) === path,
            setAside: disk.setAside,
          },
        ),
      ),
    save: (snapshot) => disk.save(fileOf(snapshot.name), snapshotForm, snapshotLines(snapshot)),
    remove: (name) => disk.remove(fileOf(name)),
    clear: disk.remove(folder),
  }
}

/** `sessions/<name>/history/<number of the first entry>.log` is a segment of a history; a line is an entry as JSON. */
const historyOf = (session: string, disk: Disk): HistoryStore => {
  const folder = `${sessionFolder(session)}/history`
  const fileOf = (first: number): string => `${folder}/${first}.log`
  return {
    segments: Effect.map(disk.list(folder), (items) =>
      items
        .flatMap(({ name, bytes }) => (/^[1-9]\d{0,14}\.log$/.test(name) ? [{ first: Number.parseInt(name, 10), bytes }] : []))
        .sort((a, b) => a.first - b.first),
    ),
    lines: (first) => Effect.map(disk.read(fileOf(first)), (bytes) => (bytes === undefined ? [] : linesIn(bytes))),
    append: (first, lines) => disk.append(fileOf(first), lines),
    remove: (first) => disk.remove(fileOf(first)),
    setAside: (first, why) => disk.setAside(fileOf(first), why),
  }
}

const documentsOf = ({ name: folder, key: pattern, prefix, form }: DocumentKind, disk: Disk): DocumentStore => {
  const fileOf = (key: string): string => `${folder}/${prefix}${key}`
  return {
    mayHaveAny: disk.exists(folder),
    keys: Effect.map(disk.list(folder), (items) =>
      items.flatMap(({ name }) => (name.startsWith(prefix) && pattern.test(name.slice(prefix.length)) ? [name.slice(prefix.length)] : [])),
    ),
    load: (key) => disk.load(fileOf(key), form),
    save: (key, lines) => disk.save(fileOf(key), form, lines),
    remove: (key) => disk.remove(fileOf(key)),
    setAside: (key, why) => disk.setAside(fileOf(key), why),
  }
}
