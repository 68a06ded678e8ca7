/** Where the numbers of handles (`o1`, `e1`) begin: machines of a cluster that share a store each have a range of their own. */
import * as Context from "effect/Context"

export interface Range {
  /** The first number is the next one. */
  readonly after: number
}

export const Handles = Context.Reference<Range>("k3-mcp/session/Handles", { defaultValue: () => ({ after: 0 }) })

/** How many numbers one range has. */
export const rangeSize = 100_000
