/**
 * Judging what is to become a tool: its name, its code and its parameters. Pure.
 *
 * A tool `mean` is listed as `kf_mean`: none of the server's own tools, which begin with `k_`, can be hidden or imitated by one.
 * Guarantees: what passes can be listed and called; what does not is told in sentences, all at once. Does not: parse K.
 */
import { Brackets, type Closer, codeAlone, type Opener, parts } from "../k3/text/scan.ts"
import { limits } from "../limits.ts"
import { statements } from "../k3/text/statements.ts"
import type { Definition, Parameter } from "../session/Definitions.ts"
import { factsOf } from "../child/engines/functionText.ts"
import { shortened } from "../shortened.ts"
import { kindOf, parameterName, parameterNameRule } from "./parameters.ts"

export const prefix = "kf_"
export const toolName = (name: string): string => prefix + name
/** As it was defined, whether the prefix was given or not. */
export const plainName = (given: string): string => (given.startsWith(prefix) ? given.slice(prefix.length) : given)

/** Arguments that every tool has, or a tool made here may come to have. */
const reserved: ReadonlySet<string> = new Set(["session", "timeout_ms"])

const nameProblem = (name: string): string | undefined => {
  if (name.startsWith("k_")) return `name ${JSON.stringify(name)}: those that begin with k_ are the server's own`
  return /^[a-z][a-z0-9_]{0,31}$/.test(name)
    ? undefined
    : `name ${JSON.stringify(name.slice(0, 80))}: 1 to 32 of a-z, 0-9 and _, a letter first, such as moving_mean`
}

/** Is it one pair of braces from its first character to its last? Of brackets that do not pair the check of the code tells, with the place. */
const isOneFunction = (code: string): boolean => {
  const text = codeAlone(code).trim()
  const brackets = new Brackets<number>()
  for (const { kind, start, end } of parts(text)) {
    if (kind === "open") brackets.open(text[start] as Opener, start)
    if (kind !== "close") continue
    const closed = brackets.close(text[start] as Closer)
    if (closed?.pairs === false) return text.startsWith("{")
    if (closed?.about === 0) return text.startsWith("{") && end === text.length
  }
  return false
}

const codeProblem = (code: string): string | undefined => {
  if (code.length > limits.definedCode) return `code: ${code.length} characters; at most ${limits.definedCode} are taken`
  if (isOneFunction(code) && statements(code).length === 1) return undefined
  return "code: one function in braces, such as {[v;n] n#v}; to call one of the session write {[v] f v}"
}

/** In words, `list of int: what for`, or in fields. */
const parameterOf = (name: string, given: unknown): Parameter => {
  const { type, description } =
    typeof given === "string"
      ? /^(?<type>[^:]*)(?::\s*(?<description>[^]*))?$/.exec(given)!.groups!
      : ((given ?? {}) as { readonly type?: unknown; readonly description?: unknown })
  return {
    name,
    type: typeof type === "string" ? type.trim() : type === undefined ? "any" : JSON.stringify(type),
    ...(typeof description === "string" && description !== "" && { description }),
  }
}

const parametersOf = (given: Parameters): readonly Parameter[] =>
  Array.isArray(given)
    ? given.map((each: unknown) => {
        const name = typeof each === "string" ? each : (each as { readonly name?: unknown } | null)?.name
        return parameterOf(typeof name === "string" ? name : "", typeof each === "string" ? "any" : each)
      })
    : Object.entries(given).map(([name, each]) => parameterOf(name, each))

const parameterProblems = ({ name, type, description }: Parameter): readonly string[] => {
  const about = `parameter ${JSON.stringify(name.slice(0, 40))}`
  return [
    ...(parameterName.test(name) ? [] : [`${about}: ${parameterNameRule}`]),
    ...(reserved.has(name) ? [`${about}: every tool has an argument of that name`] : []),
    ...(kindOf(type) === undefined
      ? [`${about}: type ${JSON.stringify(type.slice(0, 40))} is none of int, float, string, symbol, any, list, list of …`]
      : []),
    ...((description?.length ?? 0) > limits.parameterDescription
      ? [`${about}: its description is longer than ${limits.parameterDescription}`]
      : []),
  ]
}

/**
 * What each is: its type and what it means, as `"int: how many"` or `{type, description}`, by name; or as a list of `{name, type,
 * description}`. By the names that the function has for them, else in its order.
 */
export type Parameters = { readonly [name: string]: unknown } | readonly unknown[]

/** What a caller gives. */
export interface Proposal {
  readonly name: string
  readonly description?: string
  readonly code: string
  /** Its own with type any when absent. */
  readonly parameters?: Parameters
}

export interface Judged {
  readonly name: string
  readonly description: string
  readonly code: string
  readonly parameters: readonly Parameter[]
  readonly problems: readonly string[]
}

export const judged = ({ name: given, description, code: written, parameters: named }: Proposal): Judged => {
  const name = plainName(given)
  const code = written.trim()
  const own = factsOf(code).parameters
  const listed = parametersOf(named ?? {})
  const byName = own.map((each) => (named === undefined ? { name: each, type: "any" } : listed.find(({ name: same }) => same === each)))
  const parameters = byName.every((each) => each !== undefined) && byName.length >= listed.length ? byName : listed
  const wrongCode = codeProblem(code)
  const problems = [
    nameProblem(name),
    wrongCode,
    (description?.length ?? 0) > limits.definedDescription ? `description: at most ${limits.definedDescription} characters` : undefined,
    parameters.length > limits.parameters ? `parameters: at most ${limits.parameters}` : undefined,
    wrongCode === undefined && parameters.length !== own.length
      ? `parameters: ${parameters.length} are named, and the function takes ${own.length === 0 ? "none" : `${own.length}: ${own.join(", ")}`}`
      : undefined,
  ].flatMap((each) => each ?? [])
  return {
    name,
    description: description ?? `The K function ${shortened(code, 100)}`,
    code,
    parameters,
    problems: [...problems, ...parameters.slice(0, limits.parameters).flatMap(parameterProblems)],
  }
}

/** Would it be taken if it were proposed now, just as it is? For definitions that were kept, which anybody may have written. */
export const isSound = (definition: Definition): boolean => {
  const { problems, name, code, parameters } = judged(definition)
  return (
    problems.length === 0 &&
    name === definition.name &&
    code === definition.code &&
    JSON.stringify(parameters) === JSON.stringify(definition.parameters)
  )
}
