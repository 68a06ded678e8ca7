/** Documents in the state folder: a folder for each kind, and in it a file for each key. */
import * as Effect from "effect/Effect"
import type { DocumentStore } from "../Store.ts"
import type { StateFolder } from "./StateFolder.ts"
import type { Form } from "./stateFile.ts"

interface Kind {
  readonly folder: string
  /** Before the key, since some systems have names of their own that no file may have. */
  readonly prefix: string
  readonly key: RegExp
  readonly form: Form
}

export const definitions: Kind = { folder: "definitions", prefix: "kf_", key: /^\w{1,64}$/, form: { kind: "definition", version: 1 } }
export const crashes: Kind = { folder: "crashes", prefix: "", key: /^[1-9]\d{0,14}$/, form: { kind: "crash", version: 1 } }
export const evaluations: Kind = {
  folder: "evaluations",
  prefix: "e",
  key: /^[1-9]\d{0,14}$/,
  form: { kind: "evaluation", version: 1 },
}

export const make = ({ folder, prefix, key: pattern, form }: Kind, disk: StateFolder["Service"]): DocumentStore => {
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
