/**
 * Calling a K function with JSON: the arguments made K, one evaluation in a session, its value made JSON.
 *
 * Guarantees: the evaluation is one like any other, with deadline, turn, restore and an entry in the history; the function gets the
 * arguments that were given and no other code runs. Does not: tell apart what the function prints and what its value prints as.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { statements } from "../k3/text/statements.ts"
import type { Definition, Parameter } from "../session/Definitions.ts"
import { isFunction } from "../child/engines/image.ts"
import { isDescribed } from "../plot/described.ts"
import type { Argument, Evaluation } from "../session/Evaluation.ts"
import type { SessionError } from "../session/SessionError.ts"
import { Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { type FromK, fromImage } from "./fromImage.ts"
import { fit, kindOf, parameterName, parameterNameRule } from "./parameters.ts"
import { argumentsText, toK } from "./toK.ts"

/** The arguments do not fit; each problem is a sentence. */
export class BadArguments extends Data.TaggedError("BadArguments")<{ readonly problems: readonly string[] }> {}

export interface Called {
  readonly evaluation: Evaluation
  /** Absent after an error of K, and when the value is too large. */
  readonly value?: FromK | undefined
  /** The value says how it is drawn. */
  readonly isDrawn?: boolean
}

/** Bytes of the longest image whose JSON may have so many characters. */
export const imageFor = (characters: number): number => 64 + imageForCharacter * characters

/** Bytes of the longest image that is drawn of what a tool returns. */
const MOST_DRAWN = 4_000_000

/** The value of an evaluation as JSON; absent when it is too large, or there is none. */
export const jsonOf = ({ value }: Evaluation): FromK | undefined => value && fromImage(value.image, value.engine)

/** JSON of so many characters comes from an image of at most four times as many bytes, and hardly ever from one as large. */
const imageForCharacter = 4

/** The function of a tool, or one without a name. */
export interface Callable extends Pick<Definition, "code" | "parameters" | "timeoutMs" | "memory" | "session"> {
  readonly name?: string
}

type Given = Readonly<Record<string, unknown>>

const argumentText = ({ name, type }: Parameter, given: Given): Result.Result<string, string> => {
  const kind = kindOf(type) ?? "any"
  return Result.flatMap(fit(kind, given[name], name), (value) =>
    Result.mapError(toK(value, kind), (why) => `${name}: K cannot hold ${why}`),
  )
}

/** JSON by name as variables of one evaluation; fails with what is wrong with it, all at once. */
export const argumentsOf = (given: Given): Result.Result<readonly Argument[], readonly string[]> => {
  const problems: string[] = []
  const args = Object.entries(given).flatMap(([name, value]) => {
    if (!parameterName.test(name)) problems.push(`${JSON.stringify(shortened(name, 80))}: ${parameterNameRule}`)
    const text = toK(value)
    if (Result.isFailure(text)) problems.push(`${name}: K cannot hold ${text.failure}`)
    return Result.isSuccess(text) ? [{ name, text: text.success }] : []
  })
  return problems.length > 0 ? Result.fail(problems) : Result.succeed(args)
}

/** The function, as it was written where that can stand in parentheses. */
const enclosed = (code: string): string => {
  const inside = `(${code})`
  const found = statements(inside)
  return found.length === 1 && found[0]!.open === undefined ? inside : `(${statements(code)[0]!.wire})`
}

/** The K text of a call; fails with what is wrong with the arguments, all at once. */
export const codeOf = (
  { code, parameters }: Pick<Definition, "code" | "parameters">,
  given: Given,
): Result.Result<string, readonly string[]> => {
  const names = parameters.map(({ name }) => name)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  const missing = names.filter((name) => !Object.hasOwn(given, name))
  const texts = missing.length > 0 ? [] : parameters.map((each) => argumentText(each, given))
  const problems = [
    ...(unknown.length > 0 ? [`there is no argument ${unknown.join(", ")}; it takes ${names.join(", ") || "none"}`] : []),
    ...(missing.length > 0 ? [`${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`] : []),
    ...texts.flatMap((each) => (Result.isFailure(each) ? [each.failure] : [])),
  ]
  if (problems.length > 0) return Result.fail(problems)
  return Result.succeed(`${enclosed(code)} . ${argumentsText(texts.map((each) => Result.getOrThrow(each)))}`)
}

export const call = (
  definition: Callable,
  given: Given,
  in_: string,
): Effect.Effect<Called, BadArguments | SessionError, Sessions | Settings> =>
  Effect.gen(function* () {
    const code = codeOf(definition, given)
    if (Result.isFailure(code)) return yield* new BadArguments({ problems: code.failure })
    const { outputShown } = yield* Settings
    const sessions = yield* Sessions
    const session = yield* sessions.get(in_)
    const evaluation = yield* session.evaluate({
      code: code.success,
      timeoutMs: definition.timeoutMs,
      value: { image: Math.max(MOST_DRAWN, imageFor(outputShown)), memory: definition.memory },
    })
    const { value } = evaluation
    if (value !== undefined && isDescribed(value.image, value.engine)) return { evaluation, isDrawn: true }
    if (value !== undefined && value.image.length > imageFor(outputShown)) return { evaluation }
    // Applied to `_n` alone it gives a function of what is left out.
    const left = definition.parameters.filter(({ name }) => given[name] === null).map(({ name }) => name)
    if (value?.engine === "k3csharp" && left.length > 0 && isFunction(value.image))
      return yield* new BadArguments({ problems: [`${left.join(", ")}: K3CSharp takes null for an argument that is left out`] })
    return { evaluation, ...(value !== undefined && { value: jsonOf(evaluation) }) }
  })

/** The same JSON, numbers within what K's own comparison forgives. */
export const isSame = (a: unknown, b: unknown): boolean => {
  if (typeof a === "number" && typeof b === "number") return a === b || Math.abs(a - b) <= 1e-10 * Math.max(Math.abs(a), Math.abs(b))
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), Object.entries(b)]
  return left.length === right.length && left.every(([key, each]) => Object.hasOwn(b, key) && isSame(each, (b as Given)[key]))
}
