/** Finds out whether the build on disk differs from the one that a session runs. Checks at most once a second, and reports each build once. */
import * as Effect from "effect/Effect"
import type { Build } from "../../child/builds/buildFiles.ts"
import type { Notice } from "../Evaluation.ts"
import type { Live } from "../state.ts"

/** The least time between two checks of the build on disk, in ms. */
const period = 1000

/** Whether the child runs another build than the one on disk. */
export const isStale = (live: Live, onDisk: Build): boolean =>
  live.prepared.build !== null && onDisk.content !== live.prepared.build.content

export class StaleWatch {
  private checkedAt = Number.NEGATIVE_INFINITY
  private reportedHash: string | undefined

  isDue(now: number): boolean {
    return now - this.checkedAt >= period
  }

  /** The notice; undefined when the child runs the build on disk, or the build was reported before. */
  readonly check = Effect.fnUntraced(function* (this: StaleWatch, live: Live, now: number): Effect.fn.Return<Notice | undefined> {
    this.checkedAt = now
    const build = yield* live.engine.onDisk
    if (build === null || !isStale(live, build) || this.reportedHash === build.content) return undefined
    this.reportedHash = build.content
    return { kind: "stale", runningHash: live.prepared.build?.hash ?? "", buildHash: build.hash }
  })
}
