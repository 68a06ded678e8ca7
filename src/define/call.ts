/**
 * Calls a K function with JSON: turns the arguments into K, runs one evaluation in a session, and turns the value into JSON.
 *
 * Guarantees: the call is an ordinary evaluation, with deadline, queue, restore and an entry in the history. The function gets exactly the given
 * arguments, and no other code runs. Does not: separate the function's printed output from the printed form of its value.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { statements } from "../k3/text/statements.ts"
import { timed } from "../elapsed.ts"
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

/** The arguments do not fit the parameters. Each problem is a sentence. */
export class BadArguments extends Data.TaggedError("BadArguments")<{ readonly problems: readonly string[] }> {}

export interface Called {
  readonly evaluation: Evaluation
  /** Absent after an error of K, and when the value is too large. */
  readonly value?: FromK | undefined
  /** The value describes a picture. */
  readonly isDrawn?: boolean
}

/** Bytes of the longest image whose JSON may have this many characters. */
export const imageFor = (characters: number): number => 64 + imageForCharacter * characters

/** Bytes of the longest image of a tool's value that is drawn. */
const MOST_DRAWN = 4_000_000

/** The value of an evaluation as JSON; absent when it is too large, or there is none. */
export const jsonOf = ({ value }: Evaluation): FromK | undefined => value && fromImage(value.image, value.engine)

/** Bytes of an image for each character of its JSON, at most. Most values need fewer. */
const imageForCharacter = 4

/** The function of a tool, or a function without a name. */
export interface Callable extends Pick<Definition, "code" | "parameters" | "timeoutMs" | "memory" | "session"> {
  readonly name?: string
}

type Given = Readonly<Record<string, unknown>>

const argumentText = ({ name, type }: Parameter, given: Given): Effect.Effect<string, string> => {
  const kind = kindOf(type) ?? "any"
  return Effect.flatMap(fit(kind, given[name], name), (value) =>
    Effect.mapError(toK(value, kind), (why) => `${name}: K cannot hold ${why}`),
  )
}

/** Makes variables of one evaluation from JSON values by name. Fails with all problems together. */
export const argumentsOf = Effect.fnUntraced(function* (given: Given): Effect.fn.Return<readonly Argument[], readonly string[]> {
  const problems: string[] = []
  const args: Argument[] = []
  for (const [name, value] of Object.entries(given)) {
    if (!parameterName.test(name)) problems.push(`${JSON.stringify(shortened(name, 80))}: ${parameterNameRule}`)
    const text = yield* Effect.result(toK(value))
    if (Result.isFailure(text)) problems.push(`${name}: K cannot hold ${text.failure}`)
    else args.push({ name, text: text.success })
  }
  return problems.length > 0 ? yield* Effect.fail(problems) : args
})

/** The function in parentheses: its original text if that works, else the text as one line. */
const enclosed = (code: string): string => {
  const inside = `(${code})`
  const found = statements(inside)
  return found.length === 1 && found[0]!.open === undefined ? inside : `(${statements(code)[0]!.wire})`
}

/** The K text of a call. Fails with all problems of the arguments together. */
const codeOf = Effect.fnUntraced(function* (
  { code, parameters }: Pick<Definition, "code" | "parameters">,
  given: Given,
): Effect.fn.Return<string, readonly string[]> {
  const names = parameters.map(({ name }) => name)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  const missing = names.filter((name) => !Object.hasOwn(given, name))
  const texts = missing.length > 0 ? [] : yield* Effect.forEach(parameters, (each) => Effect.result(argumentText(each, given)))
  const problems = [
    ...(unknown.length > 0 ? [`there is no argument ${unknown.join(", ")}; it takes ${names.join(", ") || "none"}`] : []),
    ...(missing.length > 0 ? [`${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`] : []),
    ...texts.flatMap((each) => (Result.isFailure(each) ? [each.failure] : [])),
  ]
  if (problems.length > 0) return yield* Effect.fail(problems)
  return `${enclosed(code)} . ${argumentsText(texts.map((each) => Result.getOrThrow(each)))}`
})

export const call = (
  definition: Callable,
  given: Given,
  in_: string,
): Effect.Effect<Called, BadArguments | SessionError, Sessions | Settings> =>
  Effect.gen(function* () {
    const [waited, code] = yield* timed(Effect.mapError(codeOf(definition, given), (problems) => new BadArguments({ problems })))
    const { outputShown } = yield* Settings
    const sessions = yield* Sessions
    const session = yield* sessions.get(in_, definition.timeoutMs)
    const evaluation = yield* session.evaluate({
      code,
      timeoutMs: definition.timeoutMs,
      waited,
      value: { image: Math.max(MOST_DRAWN, imageFor(outputShown)), memory: definition.memory },
    })
    const { value } = evaluation
    if (value !== undefined && isDescribed(value.image, value.engine)) return { evaluation, isDrawn: true }
    if (value !== undefined && value.image.length > imageFor(outputShown)) return { evaluation }
    // K3CSharp takes `_n` for an omitted argument, so that the call gives a function of the omitted ones.
    const left = definition.parameters.filter(({ name }) => given[name] === null).map(({ name }) => name)
    if (value?.engine === "k3csharp" && left.length > 0 && isFunction(value.image))
      return yield* new BadArguments({ problems: [`${left.join(", ")}: K3CSharp takes null for an argument that is left out`] })
    return { evaluation, ...(value !== undefined && { value: jsonOf(evaluation) }) }
  })

/** Whether two JSON values are equal; numbers with the tolerance of K's comparison. */
export const isSame = (a: unknown, b: unknown): boolean => {
  if (typeof a === "number" && typeof b === "number") return a === b || Math.abs(a - b) <= 1e-10 * Math.max(Math.abs(a), Math.abs(b))
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), Object.entries(b)]
  return left.length === right.length && left.every(([key, each]) => Object.hasOwn(b, key) && isSame(each, (b as Given)[key]))
}
