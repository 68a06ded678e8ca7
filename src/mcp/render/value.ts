/** A K value as JSON if that is short enough, and the notices about it. */
import { jsonOf } from "../../define/call.ts"
import type { FromK } from "../../define/fromImage.ts"
import type { Evaluation } from "../../session/Evaluation.ts"
import { paragraphs, some } from "./words.ts"

export interface ShownValue {
  /** Absent when the JSON is too long, or the value has none. */
  readonly json?: string
  readonly value?: unknown
  readonly notice?: string
}

const printedNotice = (places: readonly string[]): string | undefined => {
  if (places.length === 0) return undefined
  return `JSON has no form for ${places[0] === "" ? "this value" : some(places)}: it stands there as text, as K prints it.`
}

/** `most`: the longest JSON that is shown, in characters. `instead`: names the form in which the value is shown without JSON. */
export const showValue = (found: FromK | undefined, most: number, instead: string): ShownValue => {
  const json = found === undefined ? undefined : JSON.stringify(found.value)
  if (json === undefined || json.length > most)
    return {
      notice: `There is no JSON of it: ${instead}. JSON of more than ${most} characters (K3_OUTPUT_SHOWN) is not given, nor letters beyond Latin-1 from K3CSharp.`,
    }
  const notice = paragraphs(printedNotice(found!.printed))
  return { json, value: found!.value, ...(notice !== "" && { notice }) }
}

/** The value of an evaluation without an error. */
export const lastValue = (of: Evaluation, most: number): ShownValue =>
  of.statements === 0 ? { notice: "There is no value: the code has no statement." } : showValue(jsonOf(of), most, "see what K prints")
