/**
 * Who asked for what runs: `agent`, `console`, `page`, or the name of a principal. The face names the caller once for each call; the
 * history keeps it. Without a name it is the agent.
 */
import * as Context from "effect/Context"

export const Caller = Context.Reference<string>("k3-mcp/session/Caller", { defaultValue: () => "agent" })
