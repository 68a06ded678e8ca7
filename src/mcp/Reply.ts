/** What a tool answers, and the same as a result of MCP. */
import type { CallToolResult } from "@modelcontextprotocol/server"
import type { BackgroundEvaluation } from "../session/Backgrounds.ts"
import { visible } from "../visible.ts"

/** As MCP has it. */
export type Content =
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string; readonly mimeType: string; readonly size: number }

/** What a tool answers: the same for people and for programs, since many hosts show the model one of the two. */
export interface Reply<Output = object> {
  readonly text: string
  /** Everything that `text` says, as fields. */
  readonly structured: Output
  /** What goes with the text and is no text; `structured` has nothing of it. */
  readonly beside?: readonly Content[]
  /** The tool could not do its work. An error of K is none: that is an answer. */
  readonly isError?: boolean
  /** The evaluation in the background that the call began. */
  readonly begun?: BackgroundEvaluation
}

/** As MCP has it. */
export const resultOf = ({ text, structured, beside = [], isError }: Reply): CallToolResult => ({
  content: [{ type: "text", text: visible(text) }, ...beside],
  structuredContent: { ...structured },
  ...(isError === true && { isError }),
})
