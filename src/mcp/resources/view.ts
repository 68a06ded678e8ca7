/** The views of a plot and of a variable, for hosts with MCP Apps. They are in no list: `k_plot` and `k_inspect` name them for such hosts. */
import * as Effect from "effect/Effect"
import { Sessions } from "../../session/Sessions.ts"
import type { Resource } from "./Resource.ts"

const view = (name: "plot" | "variable", title: string, description: string): Resource => ({
  uri: `ui://k3-mcp/${name}`,
  name: `${name} view`,
  title,
  description,
  mimeType: "text/html;profile=mcp-app",
  priority: 0,
  unlisted: true,
  // The view fetches nothing, and runs only its own script.
  meta: { ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }, prefersBorder: true } },
  read: () => Effect.flatMap(Sessions, ({ plots }) => plots.view(name)),
})

export const plotView = view("plot", "A plot to look at", "The interactive view of a plot.")
export const variableView = view("variable", "A variable to look at", "An array as a table of any length.")
