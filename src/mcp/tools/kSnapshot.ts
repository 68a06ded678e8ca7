/** `k_snapshot`: saves, compares, restores and manages snapshots of a session's variables; undo and redo. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { badArguments } from "../render/Reply.ts"
import * as render from "../render/snapshot.ts"
import { defaultSession, make, nameField, sessionField, sessionNamed } from "../Tool.ts"

export const kSnapshot = make({
  name: "k_snapshot",
  title: "Snapshots of variables",
  description:
    "Save the variables under a name; diff: what changed since; rebase: the same, then save; restore: go back. undo: back to before the last k_eval that changed something; redo takes that back.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  actions: {
    save: { takes: ["name"] },
    list: { takes: [], isReadOnly: true },
    diff: { takes: ["name"], isReadOnly: true },
    rebase: { takes: ["name"] },
    restore: { takes: ["name"] },
    undo: { takes: [] },
    redo: { takes: [] },
    rename: { takes: ["name", "to"] },
    delete: { takes: ["name"] },
  },
  input: Schema.Struct({
    name: Schema.optionalKey(nameField("default baseline")),
    to: Schema.optionalKey(nameField("new name")),
    ...sessionField,
  }),
  run: ({ action, name = "baseline", to, session: of = defaultSession }) =>
    Effect.gen(function* () {
      const { snapshots } = yield* sessionNamed(of)
      switch (action) {
        case "save":
          return render.saved(yield* snapshots.save(name))
        case "list":
          return render.listed(of, yield* snapshots.list)
        case "diff":
          return render.compared(yield* snapshots.diff(name))
        case "rebase":
          return render.compared(yield* snapshots.rebase(name), true)
        case "restore":
          return render.restored(yield* snapshots.restore(name))
        case "undo":
        case "redo":
          return render.undone(action, yield* snapshots.undo(action))
        case "delete":
          yield* snapshots.remove(name)
          return render.done(`Snapshot ${name} is deleted.`)
        case "rename":
          if (to === undefined) return badArguments("k_snapshot", "rename takes the new name in to")
          return render.renamed(name, to, yield* snapshots.rename(name, to))
      }
    }),
})
