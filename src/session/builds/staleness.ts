/** Is the build on disk newer than the one a session runs? Checked at most once a second, and told once for each build. */
import * as Effect from "effect/Effect"
import type { Build } from "../../child/builds/buildFiles.ts"
import type { Notice } from "../Evaluation.ts"
import type { Live } from "../state.ts"

/** The least time between two checks of the build on disk, in ms. */
const period = 1000

/** Does the child run another build than this one? */
export const isStale = (live: Live, onDisk: Build): boolean =>
  live.prepared.build !== null && onDisk.content !== live.prepared.build.content

export class StaleWatch {
  private lookedAt = Number.NEGATIVE_INFINITY
  private toldHash: string | undefined

  isDue(now: number): boolean {
    return now - this.lookedAt >= period
  }

  /** Undefined when it runs what is on disk, or was told. */
  readonly look = Effect.fnUntraced(function* (this: StaleWatch, live: Live, now: number): Effect.fn.Return<Notice | undefined> {
    this.lookedAt = now
    const build = yield* live.engine.onDisk
    if (build === null || !isStale(live, build) || this.toldHash === build.content) return undefined
    this.toldHash = build.content
    return { kind: "stale", runningHash: live.prepared.build?.hash ?? "", buildHash: build.hash }
  })
}
