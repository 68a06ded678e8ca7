/**
 * Reports the progress of long work to the call that started it. `isInterruptible`: the work waits for an evaluation, which a client can
 * interrupt. The default listener ignores the reports.
 */
import * as Context from "effect/Context"

export const Announce = Context.Reference<(what: string, isInterruptible?: boolean) => void>("k3-mcp/session/Announce", {
  defaultValue: () => () => {},
})
