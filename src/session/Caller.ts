/** The client of the running call. The room `mcp` sets it once for each call. */
import * as Context from "effect/Context"

export interface CallerInfo {
  /** `agent`, `console`, `page`, or the name of a principal. The history keeps it. */
  readonly name: string
  /** Distinguishes clients of the same name, where possible. Each reader gets every notice once. */
  readonly reader: string
}

/** The default is the client on stdio. */
export const Caller = Context.Reference<CallerInfo>("k3-mcp/session/Caller", { defaultValue: () => ({ name: "agent", reader: "stdio" }) })
