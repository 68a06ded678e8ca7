/** Replies of a tool that could not do its work. Guarantees: the text ends in the call to make next. */
import * as Schema from "effect/Schema"
import { shortened } from "../../shortened.ts"
import type { FileGone } from "../loadHelp.ts"
import type { Reply } from "../Reply.ts"
import { type ChangesOutput, LostOutput } from "./variables.ts"
import { indent, paragraphs, some } from "./words.ts"

/** The fields of such a reply, the same for every tool. */
export interface Failure {
  readonly ok: false
  readonly error: { readonly name: string; readonly text: string }
  readonly output?: string
  readonly generation?: number
  readonly lost?: typeof LostOutput.Type
  readonly changes?: typeof ChangesOutput.Type
}

/** The fields of `Failure` that an output schema adds to its own. */
export const Failed = { error: Schema.optionalKey(Schema.Struct({ name: Schema.String, text: Schema.String })), lost: LostOutput }

/** A failure in words: `text` says why, and which call to make next. `left`: the other fields of the reply. */
export type WordedFailure = readonly [name: string, text: string, left?: Omit<Failure, "ok" | "error">]

export const failed = (...[name, text, { output, generation, lost, changes } = {}]: WordedFailure): Reply<Failure> => ({
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

export const unknownArguments = (tool: string, unknown: readonly string[], known: readonly string[]): Reply<Failure> =>
  failed(
    "arguments",
    `${tool} has no argument ${shortened(
      some(unknown.map((each) => JSON.stringify(shortened(each, 80)))),
      1000,
    )}; it takes ${known.join(", ")}. Call ${tool} again with those.`,
  )

/** `problems`: lines in the schema's words. */
export const badArguments = (tool: string, problems: string): Reply<Failure> =>
  failed("arguments", `The arguments of ${tool} are not right:\n${indent(problems)}\nCall ${tool} again with these put right.`)

/** A defect of the server itself. */
export const defect = (tool: string, message: string): Reply<Failure> =>
  failed(
    "internal",
    `k3-mcp failed inside ${tool}: ${message}. This is a defect of the server, not of your code. Call k_status to see the session.`,
  )

/** A file of the server is gone: some are loaded late, and an upgrade replaces all. */
export const fileGone = ({ message }: FileGone): Reply<Failure> => failed("internal", `${message} k_eval works without that file.`)
