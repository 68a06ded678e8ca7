/**
 * Reports the progress of long work to the call that started it. Undefined: the work goes on, and the last report no longer holds.
 * `isInterruptible`: the work waits for an evaluation, which a client can interrupt. The default listener ignores the reports.
 */
import * as Context from "effect/Context"

export const Announce = Context.Reference<(what: string | undefined, isInterruptible?: boolean) => void>("k3-mcp/session/Announce", {
  defaultValue: () => () => {},
})
