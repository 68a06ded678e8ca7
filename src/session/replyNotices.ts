/**
 * The notices of a reply: variables too large to be captured, a changed or restored workspace, and problems of the state folder, the engine and
 * the fence.
 *
 * Guarantees: each client gets a notice about the workspace once. All other notices appear in one reply only.
 */
import * as Effect from "effect/Effect"
import { Fence } from "../child/Fence.ts"
import { Store } from "../store/Store.ts"
import { noticeOf, pendingFor } from "./notices.ts"
import type { Progress } from "./Evaluation.ts"
import type { Run } from "./Run.ts"
import type { Live } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"

export const makeReplyNotices = Effect.gen(function* () {
  const { state, send } = yield* Supervisor
  const store = yield* Store
  const fence = yield* Fence

  /** Adds a notice about variables that the evaluation made and that are too large to be captured. */
  const warn = Effect.fnUntraced(function* ({ live, request, progress }: Run) {
    const { warned } = state().workspace
    const variables = (yield* live.tracker.large(request.code)).filter(({ path }) => !warned.has(path))
    if (variables.length === 0) return
    progress.notices.push({ kind: "unheld", variables })
    send({ _tag: "Warned", paths: variables.map(({ path }) => path) })
  })

  /** Adds the pending notices about the workspace. Notices about later children than the given one wait for the next reply. */
  const tellPending = ({ notices, asked: { reader } }: Progress, { generation }: Live): void => {
    const { notices: all, workspace } = state()
    const pending = pendingFor(all, reader, generation)
    const { unheld } = workspace
    if (pending.length === 0 && unheld.length === 0) return
    const joined = noticeOf(pending, generation)
    notices.unshift(
      ...(joined === undefined ? [] : [joined]),
      ...pending.flatMap(({ missing }) => (missing === undefined ? [] : [{ kind: "missing" as const, from: missing[0], to: missing[1] }])),
      ...(unheld.length === 0 ? [] : [{ kind: "unheld" as const, variables: unheld }]),
    )
    send({ _tag: "Noticed", reader, generation })
  }

  /** Adds all other notices. `next`: the child that answers from now on. The session's first reply also reports engine and fence. */
  const tell = (progress: Progress, next: Live, isFirst: boolean): void => {
    const { notices } = progress
    tellPending(progress, next)
    if (next.engine.missing !== undefined && isFirst) notices.push({ kind: "engine", sentence: next.engine.missing })
    for (const sentence of store.takeTrouble()) notices.push({ kind: "disk", sentence })
    for (const sentence of fence.take(next.engine.kind, isFirst)) notices.push({ kind: "fence", sentence })
  }

  return { warn, tell }
})
