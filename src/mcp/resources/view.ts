/** The view of a plot, for hosts with MCP Apps. Not listed: `k_plot` names it where the host shows views. */
import * as Effect from "effect/Effect"
import { Sessions } from "../../session/Sessions.ts"
import type { Resource } from "./Resource.ts"

export const plotView: Resource = {
  uri: "ui://k3-mcp/plot",
  name: "plot view",
  title: "A plot to look at",
  description: "The interactive view of a plot.",
  mimeType: "text/html;profile=mcp-app",
  priority: 0,
  unlisted: true,
  // It asks nobody, and runs nothing but its own script.
  meta: { ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }, prefersBorder: true } },
  read: () => Effect.flatMap(Sessions, ({ plots }) => plots.view),
}
