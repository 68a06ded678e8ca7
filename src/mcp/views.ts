/** Views of MCP Apps: which hosts show them, and the list of tools for such hosts. */
import { field, isObject } from "./message.ts"
import { plotView, variableView } from "./resources/view.ts"
import type { Tool } from "./Tool.ts"
import { viewTools } from "./viewTools.ts"

const EXTENSION = "io.modelcontextprotocol/ui"

/** The capabilities of a client that shows views. */
export const showingViews = { extensions: { [EXTENSION]: {} } }

/** Do a client's capabilities say that it shows views? */
export const showsViews = (capabilities: unknown): boolean => {
  const ui = field(field(capabilities, "extensions"), EXTENSION)
  const mimeTypes = field(ui, "mimeTypes")
  return isObject(ui) && (!Array.isArray(mimeTypes) || mimeTypes.includes(plotView.mimeType))
}

const viewOf: ReadonlyMap<string, string> = new Map([
  ["k_plot", plotView.uri],
  ["k_inspect", variableView.uri],
])

const withUi = (tool: Tool, ui: object): object => ({ ...tool.describe(), _meta: { ui } })

/** The entries of `tools/list` for a host that shows views. */
export const withViews = (tools: readonly Tool[]): readonly object[] => [
  ...tools.map((tool) => {
    const resourceUri = viewOf.get(tool.name)
    return resourceUri === undefined ? tool.describe() : withUi(tool, { resourceUri })
  }),
  ...viewTools.map((tool) => withUi(tool, { visibility: ["app"] })),
]
