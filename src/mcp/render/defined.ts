/** The reply of a defined tool: the value as JSON. A value that JSON cannot express, or whose JSON is too long, is shown as K prints it. */
import type { Callable, Called } from "../../define/call.ts"
import { toolName } from "../../define/definition.ts"
import type { Definition } from "../../session/Definitions.ts"
import type { Evaluation } from "../../session/Evaluation.ts"
import type { KFailure } from "../../child/engines/Engine.ts"
import type { SessionError } from "../../session/SessionError.ts"
import type { SettingValues } from "../../Settings.ts"
import { failed, type Reply } from "./Reply.ts"
import { kErrorText, notice } from "./evaluation.ts"
import type { PlotReply } from "./plot.ts"
import { failure } from "./sessionFailure.ts"
import { wordOf, kindOf } from "../../define/parameters.ts"
import { showValue } from "./value.ts"
import { paragraphs } from "./words.ts"

/** `values: list of float, n: int`. */
export const parametersText = ({ parameters }: Pick<Definition, "parameters">): string =>
  parameters.length === 0 ? "none" : parameters.map(({ name, type }) => `${name}: ${wordOf(kindOf(type) ?? "any")}`).join(", ")

const toolOf = ({ name }: Callable): string => (name === undefined ? "k_define" : toolName(name))

export const badCall = (definition: Callable, problems: readonly string[]): Reply =>
  failed(
    "arguments",
    paragraphs(...problems, `Call ${toolOf(definition)} again with these put right; it takes ${parametersText(definition)}.`),
  )

/** A failure of the session; its text names this tool as the call to make next. */
export const sessionFailed = (definition: Callable, error: SessionError, settings: SettingValues): Reply =>
  failure(error, settings, { tool: toolOf(definition), deadline: definition.name === undefined ? undefined : definition.timeoutMs })

/** The value of a call as JSON, or as K prints it if it has no short JSON. */
export const valueText = ({ evaluation, value }: Called, { outputShown }: SettingValues): string =>
  shownValue(value, outputShown).json ?? evaluation.output.trimEnd()

const shownValue = (value: Called["value"], most: number) => showValue(value, most, "this is what K prints")

const noticesOf = ({ notices }: Evaluation): string => paragraphs(...notices.filter(({ kind }) => kind !== "silent").map(notice))

const inError = (definition: Callable, error: KFailure, evaluation: Evaluation, entry: string | undefined): Reply => {
  const { output } = evaluation
  const text = kErrorText(error)
  const next =
    definition.name === undefined
      ? "Call k_define run with other arguments or code."
      : `Call ${toolOf(definition)} with other arguments, or k_define source to see its code and k_define define to put it right.`
  const notices = noticesOf(evaluation)
  return {
    text: paragraphs(output.trimEnd(), text, entry, next, notices),
    structured: {
      ok: false,
      ...(output !== "" && { output }),
      error: { name: error.name, text, ...(entry !== undefined && { entry }), next },
      ...(notices !== "" && { notice: notices }),
    },
  }
}

/** The reply for a value that describes a picture: text and picture of `k_plot`; the fields of `k_plot` are the tool's value. */
export const drawn = (reply: PlotReply): Reply => {
  const { ok, error, ...value } = reply.structured
  const { notice } = value
  return { ...reply, structured: ok ? { ok, value } : { ok, error, ...(notice !== undefined && { notice }) } }
}

/** `entry`: the help's entry on the verb that failed. */
export const called = (definition: Callable, { evaluation, value }: Called, { outputShown }: SettingValues, entry?: string): Reply => {
  const { error, output, truncated } = evaluation
  if (error !== undefined) return inError(definition, error, evaluation, entry)
  const { json, notice: about } = shownValue(value, outputShown)
  if (value === undefined && output === "" && truncated === undefined)
    return failed(
      "nothing",
      `It returned nothing: K3CSharp passes over code that it does not understand. ${definition.name === undefined ? "Call k_define run with other code." : "Call k_define source to see it, and k_define define with other code."}`,
    )
  const notices = paragraphs(about, noticesOf(evaluation))
  return {
    text: paragraphs(json ?? output.trimEnd(), notices),
    structured: {
      ok: true,
      ...(json === undefined ? { output } : { value: value!.value }),
      ...(json === undefined && truncated !== undefined && { truncated }),
      ...(notices !== "" && { notice: notices }),
    },
  }
}
