/** Tells the progress of work in many steps to the call that it belongs to. Without a listener nothing is told. */
import * as Context from "effect/Context"

export const Announce = Context.Reference<(what: string) => void>("k3-mcp/session/Announce", { defaultValue: () => () => {} })
