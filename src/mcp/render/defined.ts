/** The reply of a tool that was made of a K function: its value as JSON; what JSON does not carry, and what is too long, as K prints it. */
import type { Called } from "../../define/call.ts"
import { toolName } from "../../define/definition.ts"
import type { Definition } from "../../session/Definitions.ts"
import type { Evaluation } from "../../session/Evaluation.ts"
import type { KFailure } from "../../child/engines/Engine.ts"
import type { SessionError } from "../../session/SessionError.ts"
import type { SettingValues } from "../../Settings.ts"
import type { Reply } from "../Reply.ts"
import { kErrorText, notice } from "./evaluation.ts"
import { failure, refused } from "./failure.ts"
import { wordOf, kindOf } from "../../define/parameters.ts"
import { paragraphs, some } from "./words.ts"

/** `values: list of float, n: int`. */
export const parametersText = ({ parameters }: Pick<Definition, "parameters">): string =>
  parameters.length === 0 ? "none" : parameters.map(({ name, type }) => `${name}: ${wordOf(kindOf(type) ?? "any")}`).join(", ")

export const badCall = (definition: Definition, problems: readonly string[]): Reply =>
  refused(
    "arguments",
    paragraphs(...problems, `Call ${toolName(definition.name)} again with these put right; it takes ${parametersText(definition)}.`),
  )

/** A failure of the session, which names this tool where a call of it comes next. */
export const fell = ({ name }: Definition, error: SessionError, settings: SettingValues): Reply =>
  failure(error, settings, undefined, toolName(name))

const printedNotice = (places: readonly string[]): string | undefined => {
  if (places.length === 0) return undefined
  return `JSON cannot carry ${places[0] === "" ? "all of it" : some(places)}: text, as K prints it.`
}

/** Of a call that came to its end: JSON, else as K prints it. */
export const valueText = ({ evaluation, value }: Called, { outputShown }: SettingValues): string => {
  const json = value === undefined ? undefined : JSON.stringify(value.value)
  return json !== undefined && json.length <= outputShown ? json : evaluation.output.trimEnd()
}

const noticesOf = ({ notices }: Evaluation): string => paragraphs(...notices.filter(({ kind }) => kind !== "silent").map(notice))

const inError = ({ name }: Definition, error: KFailure, evaluation: Evaluation, entry: string | undefined): Reply => {
  const { output } = evaluation
  const text = kErrorText(error)
  const next = `Call ${toolName(name)} with other arguments, or k_define source to see its code and k_define define to put it right.`
  const said = noticesOf(evaluation)
  return {
    text: paragraphs(output.trimEnd(), text, entry, next, said),
    structured: {
      ok: false,
      ...(output !== "" && { output }),
      error: { name: error.name, text, ...(entry !== undefined && { entry }), next },
      ...(said !== "" && { notice: said }),
    },
  }
}

/** `entry`: what the help says of the verb that failed. */
export const called = (definition: Definition, { evaluation, value }: Called, { outputShown }: SettingValues, entry?: string): Reply => {
  const { error, output, truncated } = evaluation
  if (error !== undefined) return inError(definition, error, evaluation, entry)
  const json = value === undefined ? undefined : JSON.stringify(value.value)
  const isShort = json !== undefined && json.length <= outputShown
  if (json === undefined && output === "" && truncated === undefined)
    return refused(
      "nothing",
      `It gave nothing: K3CSharp passes over code that it does not understand. Call k_define source to see it, and k_define define with other code.`,
    )
  const said = paragraphs(
    isShort
      ? printedNotice(value!.printed)
      : `There is no JSON of it: this is what K prints. JSON has ${outputShown} characters at most (K3_OUTPUT_SHOWN), and from K3CSharp no letters beyond Latin-1.`,
    noticesOf(evaluation),
  )
  return {
    text: paragraphs(isShort ? json : output.trimEnd(), said),
    structured: {
      ok: true,
      ...(isShort ? { value: value!.value } : { output }),
      ...(!isShort && truncated !== undefined && { truncated }),
      ...(said !== "" && { notice: said }),
    },
  }
}
