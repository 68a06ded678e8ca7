/**
 * The reply of a tool, and its form in MCP. `noticed` makes a reply with a notice, `failed` that of a tool that could not do its work.
 *
 * Guarantees: a notice ends the text, and is a field of its own; an empty one is in neither. The text of a failure names the call to make next.
 */
import type { CallToolResult } from "@modelcontextprotocol/server"
import type { BackgroundEvaluation } from "../../session/Backgrounds.ts"
import { shortened } from "../../shortened.ts"
import { visible } from "../../visible.ts"
import type { FileGone } from "../loadHelp.ts"
import { indent, paragraphs, some } from "./words.ts"

/** Content blocks of MCP that are not text. */
type Content =
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string; readonly mimeType: string; readonly size: number }

/** A tool's reply as text and as fields. Both say the same, since many hosts show the model only one of the two. */
export interface Reply<Structured = object> {
  readonly text: string
  /** Everything that `text` says, as fields. */
  readonly structured: Structured
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

type Lines = readonly (string | undefined)[]

/** `shown`: the lines before the notice. `fields`: the same as fields; `ok` is true unless they have another `ok`. */
export const noticed = (shown: Lines, fields: object, notice: Lines): Reply<{ readonly ok: boolean; readonly notice?: string }> => {
  const last = paragraphs(...notice)
  return { text: paragraphs(...shown, last), structured: { ok: true, ...fields, ...(last !== "" && { notice: last }) } }
}

/** The fields of a failure, the same for every tool. */
export interface FailureFields {
  readonly ok: false
  readonly error: { readonly name: string; readonly text: string }
  readonly output?: string
  readonly generation?: number
  readonly lost?: readonly object[]
  readonly changes?: object
}

/** A failure in words: `text` says why, and which call to make next. `left`: the other fields of the reply. */
export type WordedFailure = readonly [name: string, text: string, left?: Omit<FailureFields, "ok" | "error">]

export const failed = (...[name, text, { output, generation, lost, changes } = {}]: WordedFailure): Reply<FailureFields> => ({
  text: paragraphs(output?.trimEnd(), text),
  structured: {
    ok: false,
    error: { name, text },
    ...(output !== undefined && { output }),
    ...(generation !== undefined && { generation }),
    ...(lost !== undefined && { lost }),
    ...(changes !== undefined && { changes }),
  },
  isError: true,
})

export const unknownArguments = (tool: string, unknown: readonly string[], known: readonly string[]): Reply<FailureFields> =>
  failed(
    "arguments",
    `${tool} has no argument ${shortened(
      some(unknown.map((each) => JSON.stringify(shortened(each, 80)))),
      1000,
    )}; it takes ${known.join(", ")}. Call ${tool} again with those.`,
  )

/** `problems`: lines in the schema's words. */
export const badArguments = (tool: string, problems: string): Reply<FailureFields> =>
  failed("arguments", `The arguments of ${tool} are not right:\n${indent(problems)}\nCall ${tool} again with these put right.`)

/** A defect of the server itself. */
export const defect = (tool: string, message: string): Reply<FailureFields> =>
  failed(
    "internal",
    `k3-mcp failed inside ${tool}: ${message}. This is a defect of the server, not of your code. Call k_status to see the session.`,
  )

/** A file of the server is gone: some are loaded late, and an upgrade replaces all. */
export const fileGone = ({ message }: FileGone): Reply<FailureFields> => failed("internal", `${message} k_eval works without that file.`)
