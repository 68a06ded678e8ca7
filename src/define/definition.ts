/**
 * Checks the definition of a tool: its name, its code and its parameters. Pure.
 *
 * A tool `mean` is listed as `kf_mean`, so that it cannot hide or imitate one of the server's own tools, which begin with `k_`.
 *
 * Guarantees: a definition without problems can be listed and called. All problems are reported together, each as a sentence. Does not: parse K.
 */
import { Brackets, type Closer, codeAlone, type Opener, parts } from "../k3/text/scan.ts"
import { limits } from "../limits.ts"
import { statements } from "../k3/text/statements.ts"
import type { Definition, Parameter } from "../session/Definitions.ts"
import { factsOf } from "../child/engines/functionText.ts"
import { shortened } from "../shortened.ts"
import { kindOf, parameterName, parameterNameRule } from "./parameters.ts"

const prefix = "kf_"
export const toolName = (name: string): string => prefix + name
/** The name without the prefix, whether it was given with the prefix or not. */
export const plainName = (given: string): string => (given.startsWith(prefix) ? given.slice(prefix.length) : given)

/** Names of arguments that every tool has, or that later versions may add. */
const reserved: ReadonlySet<string> = new Set(["session", "timeout_ms"])

const nameProblem = (name: string): string | undefined => {
  if (name.startsWith("k_")) return `name ${JSON.stringify(name)}: those that begin with k_ are the server's own`
  return /^[a-z][a-z0-9_]{0,31}$/.test(name)
    ? undefined
    : `name ${JSON.stringify(name.slice(0, 80))}: 1 to 32 of a-z, 0-9 and _, a letter first, such as moving_mean`
}

/**
 * Whether code is one pair of braces from its first character to its last. Unmatched brackets pass; the later check of the code reports them with
 * their place.
 */
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

/** Reads a parameter, given as text such as `list of int: the weights`, or as an object with fields. */
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

/** The parameters with their names. */
const entriesOf = (given: Parameters): readonly (readonly [name: string, given: unknown])[] =>
  Array.isArray(given)
    ? given.map((each: unknown) => {
        if (typeof each === "string") return [each, "any"]
        const name = (each as { readonly name?: unknown } | null)?.name
        return [typeof name === "string" ? name : "", each]
      })
    : Object.entries(given)

/** Fields of parameters that would be ignored, such as a `default`. */
const fieldProblems = (given: Parameters): readonly string[] =>
  entriesOf(given).flatMap(([name, each]) => {
    const fields = typeof each === "object" && each !== null ? Object.keys(each) : []
    const other = fields.find((field) => !["name", "type", "description"].includes(field))
    return other === undefined
      ? []
      : [`parameter ${shortened(JSON.stringify(name), 40)}: there is no field ${shortened(other, 40)}; it has type and description`]
  })

/** The parameters, and one more when there are too many. */
const parametersOf = (given: Parameters): readonly Parameter[] =>
  entriesOf(given)
    .slice(0, limits.parameters + 1)
    .map(([name, each]) => parameterOf(name, each))

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
 * Parameters by name, each as `"int: number of items"` or `{type, description}`; or a list of `{name, type, description}`. When their
 * names are not those of the function, they stand for its parameters in their order.
 */
type Parameters = { readonly [name: string]: unknown } | readonly unknown[]

/** A definition as a caller proposes it. */
export interface Proposal {
  readonly name: string
  readonly description?: string
  readonly code: string
  /** When absent: the function's parameters, with type any. */
  readonly parameters?: Parameters
}

export interface CheckedDefinition {
  readonly name: string
  readonly description: string
  readonly code: string
  readonly parameters: readonly Parameter[]
  readonly problems: readonly string[]
}

export const checkDefinition = ({ name: given, description, code: written, parameters: named }: Proposal): CheckedDefinition => {
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
    wrongCode === undefined && parameters.length !== own.length && parameters.length <= limits.parameters
      ? `parameters: ${parameters.length} are named, and the function takes ${own.length === 0 ? "none" : `${own.length}: ${own.join(", ")}`}`
      : undefined,
  ].flatMap((each) => each ?? [])
  return {
    name,
    description: description ?? `The K function ${shortened(code, 100)}`,
    code,
    parameters,
    problems: [
      ...problems,
      ...fieldProblems(named ?? {}).slice(0, limits.parameters),
      ...parameters.slice(0, limits.parameters).flatMap(parameterProblems),
    ],
  }
}

/** Whether a stored definition would be accepted unchanged today. Stored files may have been written by anyone. */
export const isSound = (definition: Definition): boolean => {
  const { problems, name, code, parameters } = checkDefinition(definition)
  return (
    problems.length === 0 &&
    name === definition.name &&
    code === definition.code &&
    JSON.stringify(parameters) === JSON.stringify(definition.parameters)
  )
}
