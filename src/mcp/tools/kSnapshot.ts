/** `k_snapshot`: saves, compares, restores and manages snapshots of a session's variables; undo and redo. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Session } from "../../session/Session.ts"
import type { SessionError } from "../../session/SessionError.ts"
import { badArguments, type Reply } from "../render/Reply.ts"
import * as render from "../render/snapshot.ts"
import { defaultSession, make, nameField, sessionField, sessionNamed } from "../Tool.ts"

const actions = {
  save: { takes: ["name"] },
  list: { takes: [], isReadOnly: true },
  diff: { takes: ["name"], isReadOnly: true },
  rebase: { takes: ["name"] },
  restore: { takes: ["name"] },
  undo: { takes: [] },
  redo: { takes: [] },
  rename: { takes: ["name", "to"] },
  delete: { takes: ["name"] },
} as const

interface Given {
  readonly name: string
  readonly to: string | undefined
  readonly session: string
}

type Of = (snapshots: Session["snapshots"], given: Given) => Effect.Effect<Reply, SessionError>

const replies: { readonly [Action in keyof typeof actions]: Of } = {
  save: (snapshots, { name }) => Effect.map(snapshots.save(name), render.saved),
  list: (snapshots, { session }) => Effect.map(snapshots.list, (all) => render.listed(session, all)),
  diff: (snapshots, { name }) => Effect.map(snapshots.diff(name), (compared) => render.compared(compared)),
  rebase: (snapshots, { name }) => Effect.map(snapshots.rebase(name), (compared) => render.compared(compared, true)),
  restore: (snapshots, { name }) => Effect.map(snapshots.restore(name), render.restored),
  undo: (snapshots) => Effect.map(snapshots.undo("undo"), (undone) => render.undone("undo", undone)),
  redo: (snapshots) => Effect.map(snapshots.undo("redo"), (undone) => render.undone("redo", undone)),
  rename: (snapshots, { name, to }) =>
    to === undefined
      ? Effect.succeed(badArguments("k_snapshot", "rename takes the new name in to"))
      : Effect.map(snapshots.rename(name, to), (unwritten) => render.renamed(name, to, unwritten)),
  delete: (snapshots, { name }) => Effect.as(snapshots.remove(name), render.done(`Snapshot ${name} is deleted.`)),
}

export const kSnapshot = make({
  name: "k_snapshot",
  title: "Snapshots of variables",
  description:
    "Save the variables under a name; diff: what changed since; rebase: the same, then save; restore: go back. undo: back to before the last k_eval that changed something; redo takes that back.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  actions,
  input: Schema.Struct({
    name: Schema.optionalKey(nameField("default baseline")),
    to: Schema.optionalKey(nameField("new name")),
    ...sessionField,
  }),
  run: ({ action, name = "baseline", to, session = defaultSession }) =>
    Effect.gen(function* () {
      const { snapshots } = yield* sessionNamed(session)
      return yield* replies[action](snapshots, { name, to, session })
    }),
})
