/** Views of MCP Apps: which hosts show them, and what is added to the list of tools for those. */
import { isObject } from "./message.ts"
import { kView } from "./viewTool.ts"
import { plotView } from "./resources/view.ts"
import type { Tool } from "./Tool.ts"

const EXTENSION = "io.modelcontextprotocol/ui"

/** Do a client's capabilities say that it shows views? */
export const showsViews = (capabilities: unknown): boolean => {
  const extensions = isObject(capabilities) ? (capabilities as { readonly extensions?: unknown }).extensions : undefined
  const told = isObject(extensions) ? (extensions as { readonly [EXTENSION]?: unknown })[EXTENSION] : undefined
  if (!isObject(told)) return false
  const { mimeTypes } = told as { readonly mimeTypes?: unknown }
  return !Array.isArray(mimeTypes) || mimeTypes.includes(plotView.mimeType)
}

/** The list of tools as such a host has it. */
export const withViews = (tools: readonly Tool[]): readonly object[] => [
  ...tools.map((tool) => {
    const description = tool.describe()
    return tool.name === "k_plot" ? { ...description, _meta: { ui: { resourceUri: plotView.uri } } } : description
  }),
  { ...kView.describe(), _meta: { ui: { visibility: ["app"] } } },
]
