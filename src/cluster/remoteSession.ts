/** A session that another machine has, or this one, as the tools see it: every operation is a request under the epoch it was opened with. */
import * as Effect from "effect/Effect"
import type { Session } from "../session/Session.ts"
import { NotInCluster } from "../session/SessionError.ts"
import type { Snapshots } from "../session/variables/Snapshots.ts"
import type { Asking } from "./asking.ts"

interface Opened {
  readonly name: string
  readonly epoch: number
  readonly isEphemeral: boolean
}

const snapshotsOf = ({ look, change }: Asking, { name: session, epoch }: Opened): Snapshots => {
  const under = (code: string) => ({ name: session, epoch, code })
  return {
    list: Effect.orElseSucceed(
      look(session, (client, asked) => client.SnapshotList(asked)),
      () => [],
    ),
    diff: (name) => look(session, (client, asked) => client.SnapshotDiff({ ...asked, name })),
    save: (name) => change(under(`the snapshot ${name}`), (client, asked) => client.SnapshotSave({ ...asked, name })),
    rebase: (name) => change(under(`the comparison with ${name}`), (client, asked) => client.SnapshotRebase({ ...asked, name })),
    restore: (name) => change(under(`the restore of ${name}`), (client, asked) => client.SnapshotRestore({ ...asked, name })),
    undo: (direction) => change(under(direction), (client, asked) => client.SnapshotUndo({ ...asked, direction })),
    rename: (from, to) => change(under(`the renaming of ${from}`), (client, asked) => client.SnapshotRename({ ...asked, from, to })),
    remove: (name) => change(under(`the removal of ${name}`), (client, asked) => client.SnapshotRemove({ ...asked, name })),
  }
}

/** `status`: what it does, or that no machine answers for it. */
export const remoteSession = (asking: Asking, opened: Opened, status: Session["status"]): Session => {
  const { look, change, deadlineOf } = asking
  const { name, epoch, isEphemeral } = opened
  const under = (code: string) => ({ name, epoch, code })
  return {
    name,
    isEphemeral,
    status,
    evaluate: (request) =>
      change({ ...under(request.code), ms: deadlineOf(request.timeoutMs) }, (client, asked) => client.Evaluate({ ...asked, request })),
    interrupt: Effect.orElseSucceed(
      change(under("the interrupt"), (client, asked) => client.Interrupt(asked)),
      () => undefined,
    ),
    reset: change(under("the reset"), (client, asked) => client.Reset(asked)),
    reload: () => new NotInCluster({ what: "k_reload" }),
    persist: Effect.orElseSucceed(
      change(under("the write"), (client, asked) => client.Persist(asked)),
      () => false,
    ),
    inspect: (path, view) => look(name, (client, asked) => client.Inspect({ ...asked, path, ...(view !== undefined && { view }) })),
    find: (text, skip = 0) =>
      Effect.orElseSucceed(
        look(name, (client, asked) => client.Find({ ...asked, text, skip })),
        () => ({ path: ".", entries: [], omitted: 0, generation: 0, ageMs: 0, unread: 0, unknown: true as const }),
      ),
    rows: (wanted) => look(name, (client, asked) => client.Rows({ ...asked, wanted })),
    names: Effect.orElseSucceed(
      look(name, (client, asked) => client.Names(asked)),
      () => ({ engine: "embedded" as const, names: new Map(), directory: ".k", ageMs: null }),
    ),
    script: (most) => look(name, (client, asked) => client.Script({ ...asked, most })),
    snapshots: snapshotsOf(asking, opened),
  }
}
