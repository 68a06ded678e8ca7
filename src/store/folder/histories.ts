/** Histories in the state folder. A segment is a file `sessions/<name>/history/<number of the first entry>.log`; a line is an entry as JSON. */
import * as Effect from "effect/Effect"
import { linesIn } from "../historyLines.ts"
import type { HistoryStore } from "../Store.ts"
import { sessionFolder } from "./layout.ts"
import type { StateFolder } from "./StateFolder.ts"

export const make = (session: string, disk: StateFolder["Service"]): HistoryStore => {
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
