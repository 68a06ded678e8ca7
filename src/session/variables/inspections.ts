/**
 * Inspections of a session's variables: reads a place of the K tree from the child, without running K of the caller.
 *
 * Guarantees: an inspection while the queue is held answers from the last one of the same place, and says how old that is; after a reset nothing of
 * the workspace before it is shown. Does not: capture (`Captures.ts`).
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { monotonic } from "../../elapsed.ts"
import type { Listing, View } from "../../child/engines/Listing.ts"
import { EvaluationQueue } from "../EvaluationQueue.ts"
import type { Session } from "../Session.ts"
import { setLatest } from "../setLatest.ts"
import type { Live } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { Usage } from "../Usage.ts"

/** Deadline of an inspection, in ms. The child may finish the inspection later; its result is dropped. */
export const readTimeout = 2000
const mostListings = 64

export const makeInspections = Effect.gen(function* () {
  const { state, connect } = yield* Supervisor
  const queue = yield* EvaluationQueue
  const usage = yield* Usage
  const now = yield* monotonic
  /** The latest inspections. Those of an earlier workspace, by its epoch, are not shown. */
  const listings = new Map<
    string,
    { readonly listing: Listing; readonly at: number; readonly generation: number; readonly epoch: number }
  >()

  /** Inspects a place now; the caller has the queue. */
  const inspectNow = Effect.fnUntraced(function* (live: Live, path: string, view: View = {}) {
    const { epoch, written } = state().workspace
    const listing = yield* Effect.option(Effect.timeout(live.engine.inspect(live.child, path, view, written), readTimeout))
    if (Option.isNone(listing)) return
    const seen = { listing: listing.value, at: now(), generation: live.generation, epoch }
    setLatest(listings, path + JSON.stringify(view), seen, mostListings)
  })

  const inspect: Session["inspect"] = (path, view = {}) =>
    usage.during(
      Effect.gen(function* () {
        const asked = now()
        yield* queue.tryRun(Effect.flatMap(connect, (live) => inspectNow(live, path, view)))
        const seen = listings.get(path + JSON.stringify(view))
        const { generation, workspace } = state()
        if (seen?.epoch !== workspace.epoch) return { path, entries: [], generation, ageMs: 0, omitted: 0, unknown: true as const }
        return { ...seen.listing, generation: seen.generation, ageMs: seen.at >= asked ? 0 : asked - seen.at }
      }),
    )

  return { inspectNow, inspect }
})
