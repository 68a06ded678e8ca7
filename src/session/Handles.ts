/** The range of the numbers in handles (`o1`, `e1`). Machines of a cluster share a store, so each has a range of its own. */
import * as Context from "effect/Context"

/** The range begins with the number after this one. */
export const Handles = Context.Reference<number>("k3-mcp/session/Handles", { defaultValue: () => 0 })

/** Numbers in one range. */
export const rangeSize = 100_000
