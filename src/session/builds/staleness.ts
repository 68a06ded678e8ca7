/** Is there a newer build on disk than the one a session runs? Looked at no more than once a second, and said once a build. */
import * as Effect from "effect/Effect"
import type { Build } from "../../child/builds/buildFiles.ts"
import type { Notice } from "../Evaluation.ts"
import type { Live } from "../state.ts"

/** Looks at the build on disk are this far apart, ms. */
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
