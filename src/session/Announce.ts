/** Where work of many steps says what it is at, for the progress of the call it belongs to. Nobody listens unless someone provides a listener. */
import * as Context from "effect/Context"

export const Announce = Context.Reference<(what: string) => void>("k3-mcp/session/Announce", { defaultValue: () => () => {} })
