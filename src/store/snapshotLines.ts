/**
 * A named snapshot as lines: a JSON object with its properties, then its variables.
 *
 * Guarantees: lines that are read are validated, whoever wrote them. Equal variables of several snapshots are one object. Does not: know the
 * place of the lines.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { engineKinds } from "../engineKinds.ts"
import type { Contents, Variable } from "../child/Contents.ts"
import { namePattern } from "../limits.ts"
import type { Form } from "./sealed.ts"
import { type Snapshot } from "./Store.ts"
import { entriesOf, linesOf, plain, WorkspaceSettings } from "./variableLines.ts"

export const snapshotForm: Form = { kind: "snapshot", version: 1 }

/** Completes "it …". */
const isDamaged = "is damaged: it does not read as a snapshot should"

const Head = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(namePattern)),
  /** ms since 1970. */
  at: Schema.Finite,
  generation: Schema.Finite,
  engine: Schema.Literals(engineKinds),
  build: Schema.NullOr(Schema.String),
  /** Compared, and never used as a path. */
  cwd: Schema.optionalKey(Schema.String),
  workspace: Schema.optionalKey(WorkspaceSettings),
})
const decodeHead = Schema.decodeUnknownOption(Schema.fromJsonString(Head))

export const snapshotLines = function* ({ name, at, generation, engine, build, cwd, settings, variables }: Snapshot): Generator<string> {
  // A folder with control characters would make the whole snapshot unreadable.
  const isKept = settings !== undefined && plain.test(settings.folder)
  yield JSON.stringify({ name, at, generation, engine, build, cwd, ...(isKept && { workspace: settings }) })
  yield* linesOf(variables.values())
}

const snapshotOf = (
  lines: readonly string[],
  isName: (name: string) => boolean,
  shared: (variable: Variable) => Variable,
): Snapshot | undefined => {
  const head = decodeHead(lines[0] ?? "")
  if (Option.isNone(head) || !isName(head.value.name)) return undefined
  const variables: Map<string, Variable> = new Map()
  for (const entry of entriesOf(lines.slice(1))) {
    if (entry === undefined) return undefined
    if (!("gone" in entry)) variables.set(entry.path, shared(entry))
  }
  const { workspace: settings, ...rest } = head.value
  return { ...rest, settings, variables }
}

/** Reads the snapshots in these places. Invalid ones are set aside, with a reason that completes "it …". */
export const snapshotsIn = Effect.fnUntraced(function* <Place>(
  places: Iterable<Place>,
  present: Contents,
  {
    read,
    isNamed,
    setAside,
  }: {
    readonly read: (place: Place) => Effect.Effect<readonly string[] | undefined>
    readonly isNamed: (place: Place, name: string) => boolean
    readonly setAside: (place: Place, why: string) => Effect.Effect<void>
  },
): Effect.fn.Return<readonly Snapshot[]> {
  const found: Snapshot[] = []
  const known: Map<string, Variable[]> = new Map()
  const shared = (variable: Variable): Variable => {
    const others = known.get(variable.path) ?? []
    const now = present.variables.get(variable.path)
    const same = [...others, ...(now === undefined ? [] : [now])].find((each) => equal(each, variable)) ?? variable
    known.set(variable.path, [...others, same])
    return same
  }
  for (const place of places) {
    const lines = yield* read(place)
    if (lines === undefined) continue
    const snapshot = snapshotOf(lines, (name) => isNamed(place, name), shared)
    if (snapshot === undefined) yield* setAside(place, isDamaged)
    else found.push(snapshot)
  }
  return found
})

const equal = (a: Variable, b: Variable): boolean =>
  a.type === b.type && a.text === b.text && a.image === b.image && a.attributes === b.attributes && a.why === b.why
