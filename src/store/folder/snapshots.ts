/**
 * The named snapshots of a session on disk, a file each: `sessions/<name>/snapshots/<snapshot>`.
 *
 * Guarantees: a file is replaced in one step, and one that cannot be used is set aside and told as trouble of the folder; variables that
 * are the same in several come back as one. Does not: hold any, or decide when.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Variable } from "../../child/Contents.ts"
import { namePattern } from "../../limits.ts"
import { engineKinds, type Snapshot, type SnapshotStore } from "../Store.ts"
import type { StateFolder } from "./StateFolder.ts"
import { fileName, sessionFolder } from "./layout.ts"
import { entriesOf, linesOf, Workspace } from "./variableLines.ts"

const form = { kind: "snapshot", version: 1 }

const Head = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(namePattern)),
  /** ms since 1970. */
  at: Schema.Finite,
  generation: Schema.Finite,
  engine: Schema.Literals(engineKinds),
  build: Schema.NullOr(Schema.String),
  workspace: Schema.optionalKey(Workspace),
})
const decodeHead = Schema.decodeUnknownOption(Schema.fromJsonString(Head))

export const make = (session: string, disk: StateFolder["Service"]): SnapshotStore => {
  const folder = `${sessionFolder(session)}/snapshots`
  const fileOf = (name: string): string => `${folder}/${fileName(name)}`

  const read = Effect.fnUntraced(function* (path: string, shared: (variable: Variable) => Variable) {
    const lines = yield* disk.load(path, form)
    if (lines === undefined) return undefined
    const head = decodeHead(lines[0] ?? "")
    const entries = Result.try(() => [...entriesOf(lines.slice(1))])
    if (Option.isNone(head) || Result.isFailure(entries) || fileOf(head.value.name) !== path) {
      yield* disk.setAside(path, "is damaged: it does not read as a snapshot should")
      return undefined
    }
    const variables: Map<string, Variable> = new Map()
    for (const entry of entries.success) if (!("gone" in entry)) variables.set(entry.path, shared(entry))
    const { workspace, ...rest } = head.value
    return { ...rest, workspace, variables } satisfies Snapshot
  })

  return {
    load: Effect.fnUntraced(function* (present) {
      const found: Snapshot[] = []
      const known: Map<string, Variable[]> = new Map()
      const shared = (variable: Variable): Variable => {
        const others = known.get(variable.path) ?? []
        const now = present.variables.get(variable.path)
        const same = [...others, ...(now === undefined ? [] : [now])].find((each) => equal(each, variable)) ?? variable
        known.set(variable.path, [...others, same])
        return same
      }
      for (const { name } of yield* disk.list(folder)) {
        const snapshot = yield* read(`${folder}/${name}`, shared)
        if (snapshot !== undefined) found.push(snapshot)
      }
      return found
    }),
    save: ({ name, at, generation, engine, build, workspace, variables }) => {
      const head = JSON.stringify({ name, at, generation, engine, build, ...(workspace !== undefined && { workspace }) })
      const lines = function* (): Generator<string> {
        yield head
        yield* linesOf(variables.values())
      }
      return disk.save(fileOf(name), form, lines())
    },
    remove: (name) => disk.remove(fileOf(name)),
    clear: disk.remove(folder),
  }
}

const equal = (a: Variable, b: Variable): boolean =>
  a.type === b.type && a.text === b.text && a.image === b.image && a.attributes === b.attributes && a.why === b.why
