/** Documents in the state folder: a folder for each kind, and in it a file for each key. */
import * as Effect from "effect/Effect"
import type { DocumentKind } from "../documentKinds.ts"
import type { DocumentStore } from "../Store.ts"
import type { StateFolder } from "./StateFolder.ts"

/** Prefixes of file names, since some systems forbid names such as `con`. */
const prefixes = { definitions: "kf_", crashes: "", evaluations: "e", subscriptions: "" } as const

export const make = ({ name: folder, key: pattern, form }: DocumentKind, disk: StateFolder["Service"]): DocumentStore => {
  const prefix = prefixes[folder]
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
