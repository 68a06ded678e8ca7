/**
 * Who asked for what runs. The face names the caller once for each call.
 */
import * as Context from "effect/Context"

export interface Asking {
  /** `agent`, `console`, `page`, or the name of a principal; the history keeps it. */
  readonly name: string
  /** The client, as far as it can be told from others of that name: each hears every notice once. */
  readonly reader: string
}

/** The client on stdio, when nobody is named. */
export const Caller = Context.Reference<Asking>("k3-mcp/session/Caller", { defaultValue: () => ({ name: "agent", reader: "stdio" }) })
