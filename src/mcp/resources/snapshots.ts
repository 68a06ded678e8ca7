/** The snapshots of the open sessions, each as the changes since it was saved. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Variable } from "../../child/Contents.ts"
import type { ComparedSnapshot } from "../../session/variables/Snapshots.ts"
import { compared } from "../render/snapshot.ts"
import { defaultSession } from "../Tool.ts"
import type { ExistingResource, Resource } from "./Resource.ts"
import { askOpen, openNames } from "./sessions.ts"

/** The snapshots of a session; none if it is not open. */
const snapshotsOf = (session: string) => askOpen(session, [], ({ snapshots }) => snapshots.list)

/** Numbers variables by identity: an unchanged variable is the same object in each capture. */
const numbers = new WeakMap<Variable, number>()
let latest = 0
const numberOf = (variable: Variable): number => {
  const known = numbers.get(variable) ?? ++latest
  numbers.set(variable, known)
  return known
}

const fingerprintOf = ({ snapshot, differences, unsure, ageMs }: ComparedSnapshot): string | undefined => {
  const changes = [...differences, ...unsure].map(({ path, before, after }) => [path, before && numberOf(before), after && numberOf(after)])
  return ageMs > 0 ? undefined : JSON.stringify([snapshot.generation, snapshot.variables, changes])
}

export const snapshotResource: Resource = {
  uri: "k3://sessions/{session}/snapshots/{name}",
  name: "snapshot",
  title: "Changes since a snapshot",
  description: "Which variables were added, changed and removed since a snapshot. Tool: k_snapshot, action diff.",
  mimeType: "text/plain",
  priority: 0.4,
  present: Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const found: ExistingResource[] = []
    for (const session of yield* openNames)
      for (const { name, ageMs } of yield* snapshotsOf(session))
        found.push({ variables: { session, name }, title: `Snapshot ${name} of ${session}`, lastModified: now - ageMs })
    return found
  }),
  read: ({ session = "", name = "" }) =>
    askOpen(session, undefined, ({ snapshots }) => Effect.map(snapshots.diff(name), (seen) => compared(seen).text)).pipe(
      Effect.catchTag("NoSnapshot", () => Effect.undefined),
    ),
  fingerprint: ({ session = "", name = "" }) =>
    askOpen(session, "", ({ snapshots }) => Effect.map(snapshots.diff(name), fingerprintOf)).pipe(
      Effect.catchTag("NoSnapshot", () => Effect.succeed("")),
      Effect.orElseSucceed(() => undefined),
    ),
  complete: {
    session: () => openNames,
    name: (_typed, { session = defaultSession }) => Effect.map(snapshotsOf(session), (all) => all.map(({ name }) => name)),
  },
}
