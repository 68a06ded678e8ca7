/**
 * What a reply says beside its output, from what is known when the statements have run: variables that are too large to be held, what became
 * of the variables before, trouble of the state folder, the engine and the fence. Guarantees: what became of the variables before is told
 * once to each client; everything else once.
 */
import * as Effect from "effect/Effect"
import { Fence } from "../child/Fence.ts"
import { Store } from "../store/Store.ts"
import { noticeOf, unheard } from "./notices.ts"
import type { Progress } from "./Progress.ts"
import type { Run } from "./Run.ts"
import type { Live } from "./state.ts"
import { Supervisor } from "./Supervisor.ts"

export const makeNotices = Effect.gen(function* () {
  const { state, send } = yield* Supervisor
  const store = yield* Store
  const fence = yield* Fence

  /** What is too large to be held is told by the reply that makes it. */
  const warn = Effect.fnUntraced(function* ({ live, request, progress }: Run) {
    const { warned } = state().workspace
    const variables = (yield* live.tracker.large(request.code)).filter(({ path }) => !warned.has(path))
    if (variables.length === 0) return
    progress.notices.push({ kind: "unheld", variables })
    send({ _tag: "Warned", paths: variables.map(({ path }) => path) })
  })

  /** What came after the child that answered is for the next reply. */
  const tellPending = ({ notices, asked: { reader } }: Progress, { generation }: Live): void => {
    const { notices: all, workspace } = state()
    const pending = unheard(all, reader, generation)
    const { unheld } = workspace
    if (pending.length === 0 && unheld.length === 0) return
    if (unheld.length > 0) notices.unshift({ kind: "unheld", variables: unheld })
    const told = noticeOf(pending, generation)
    if (told !== undefined) notices.unshift(told)
    send({ _tag: "Noticed", reader, generation })
  }

  /** `now`: the child that answers from now on; the session's first reply tells more of it. */
  const tell = (progress: Progress, now: Live, isFirst: boolean): void => {
    const { notices } = progress
    tellPending(progress, now)
    if (now.engine.missing !== undefined && isFirst) notices.push({ kind: "engine", sentence: now.engine.missing })
    for (const sentence of store.takeTrouble()) notices.push({ kind: "disk", sentence })
    for (const sentence of fence.take(now.engine.kind, isFirst)) notices.push({ kind: "fence", sentence })
  }

  return { warn, tell }
})
