/** Reports the progress of long work to the call that started it. The default listener ignores the reports. */
import * as Context from "effect/Context"

export const Announce = Context.Reference<(what: string) => void>("k3-mcp/session/Announce", { defaultValue: () => () => {} })
