/** A tool's reply, and its form in MCP. */
import type { CallToolResult } from "@modelcontextprotocol/server"
import type { BackgroundEvaluation } from "../session/Backgrounds.ts"
import { visible } from "../visible.ts"

/** Content blocks of MCP that are not text. */
type Content =
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string; readonly mimeType: string; readonly size: number }

/** A tool's reply as text and as fields. Both say the same, since many hosts show the model only one of the two. */
export interface Reply<Output = object> {
  readonly text: string
  /** Everything that `text` says, as fields. */
  readonly structured: Output
  /** Pictures and links that follow the text; `structured` does not hold them. */
  readonly beside?: readonly Content[]
  /** The tool could not do its work. An error of K does not set it: such a reply is an answer. */
  readonly isError?: boolean
  /** The background evaluation that the call began. */
  readonly begun?: BackgroundEvaluation
}

/** The reply as a `CallToolResult`; control characters in the text are made visible. */
export const resultOf = ({ text, structured, beside = [], isError }: Reply): CallToolResult => ({
  content: [{ type: "text", text: visible(text) }, ...beside],
  structuredContent: { ...structured },
  ...(isError === true && { isError }),
})
