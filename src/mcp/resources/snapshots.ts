/** The snapshots of the open sessions, each as the changes since it was saved. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Variable } from "../../child/Contents.ts"
import { compared } from "../render/snapshot.ts"
import { defaultSession } from "../Tool.ts"
import type { Present, Resource } from "./Resource.ts"
import { openSessions, sessionIn } from "./sessions.ts"

/** The snapshots of a session; none if it is not open. */
const snapshotsOf = (session: string) =>
  Effect.gen(function* () {
    const of = yield* sessionIn(session)
    return of === undefined ? [] : yield* of.snapshots.list
  })

/** Numbers variables by identity: an unchanged variable is the same object in each capture. */
const numbers = new WeakMap<Variable, number>()
let latest = 0
const numberOf = (variable: Variable): number => {
  const known = numbers.get(variable) ?? ++latest
  numbers.set(variable, known)
  return known
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
    const found: Present[] = []
    for (const { variables } of yield* openSessions) {
      const session = variables["session"]!
      for (const { name, ageMs } of yield* snapshotsOf(session))
        found.push({ variables: { session, name }, title: `Snapshot ${name} of ${session}`, lastModified: now - ageMs })
    }
    return found
  }),
  read: ({ session = "", name = "" }) =>
    Effect.gen(function* () {
      const of = yield* sessionIn(session)
      return of === undefined ? undefined : compared(yield* of.snapshots.diff(name)).text
    }).pipe(Effect.catchTag("NoSnapshot", () => Effect.as(Effect.void, undefined))),
  glance: ({ session = "", name = "" }) =>
    Effect.gen(function* () {
      const of = yield* sessionIn(session)
      if (of === undefined) return ""
      const { snapshot, differences, unsure, ageMs } = yield* of.snapshots.diff(name)
      const looks = [...differences, ...unsure].map(({ path, before, after }) => [
        path,
        before && numberOf(before),
        after && numberOf(after),
      ])
      return ageMs > 0 ? undefined : JSON.stringify([snapshot.generation, snapshot.variables, looks])
    }).pipe(
      Effect.catchTag("NoSnapshot", () => Effect.succeed("")),
      Effect.orElseSucceed(() => undefined),
    ),
  complete: {
    session: () => Effect.map(openSessions, (open) => open.map(({ variables }) => variables["session"]!)),
    name: (_typed, { session = defaultSession }) => Effect.map(snapshotsOf(session), (all) => all.map(({ name }) => name)),
  },
}
