/**
 * The named snapshots of a session on disk, a file each: `sessions/<name>/snapshots/<snapshot>`.
 *
 * Guarantees: a file is replaced atomically. An unusable one is set aside, and reported as trouble of the state folder. Does not: keep snapshots
 * in memory, or decide when to write.
 */
import * as Effect from "effect/Effect"
import { snapshotForm, snapshotLines, snapshotsIn } from "../snapshotLines.ts"
import type { SnapshotStore } from "../Store.ts"
import type { StateFolder } from "./StateFolder.ts"
import { fileName, sessionFolder } from "./layout.ts"

export const make = (session: string, disk: StateFolder["Service"]): SnapshotStore => {
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
