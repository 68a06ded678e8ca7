/**
 * A tool is data: its description for clients, the schema of its arguments, and its function. Guarantees: arguments are decoded once;
 * an unknown argument, and an argument that the action does not use, are refused by name; `call` never fails: an error is a reply that says
 * what to do next. `callTool` gives a reply for a defect of the server too. Progress, if it was asked for, is sent when the call first announces
 * its work or after `PROGRESS_EVERY`, whichever is first, then every `PROGRESS_EVERY`; never after the reply or an interruption. Does not: know
 * the MCP SDK, the parts of a session, or prose (`render/`).
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isOptional } from "effect/SchemaAST"
import { makeFormatterStandardSchemaV1 } from "effect/SchemaIssue"
import { elapsed } from "../elapsed.ts"
import { Announce } from "../session/Announce.ts"
import type { SessionError } from "../session/SessionError.ts"
import { Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { limits, namePattern } from "../limits.ts"
import { exceedsLimits, isDeeper } from "../nesting.ts"
import { shortened } from "../shortened.ts"
import { FileGone } from "./loadHelp.ts"
import * as render from "./render/Reply.ts"
import { failure } from "./render/sessionFailure.ts"
import { some } from "./render/words.ts"
import { interruptible, progress } from "./render/status.ts"

/** MCP's annotations; a tool states all four. */
interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

type JsonObject = { readonly [key: string]: unknown }

/** The arguments of a call by name, not validated. */
export type RawArguments = { readonly [name: string]: unknown }

/** A tool's entry in `tools/list`. */
export interface Description {
  readonly name: string
  readonly title: string
  /** For a language model: the purpose of the tool, when to use it and when not. */
  readonly description: string
  readonly annotations: Annotations
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
}

export interface Tool {
  readonly name: string
  /** The session of a call that names none; `main` when absent. */
  readonly home?: string
  readonly describe: () => Description
  /** Does this call leave the session's variables and its reported state as they are? */
  readonly isReadOnlyCall: (given: RawArguments) => boolean
  readonly call: (given: unknown) => Effect.Effect<render.Reply, never, Sessions | Settings>
}

type Fields = { readonly [name: string]: Schema.Codec<unknown> }

interface Action<Name extends string> {
  /** The arguments of the action. Arguments that all actions use are left out. */
  readonly takes: readonly Name[]
  /** The action is read-only, and the tool as a whole is not. */
  readonly isReadOnly?: true
}

interface Declaration<Input extends Fields, Name extends string> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** The actions of a tool that has an argument `action`. */
  readonly actions?: { readonly [name in Name]: Action<keyof Input & string> }
  /** The arguments beside `action`. */
  readonly input: Schema.Struct<Input>
  readonly run: (
    given: Schema.Struct<Input>["Type"] & { readonly action: Name },
  ) => Effect.Effect<render.Reply, SessionError, Sessions | Settings>
}

/** A name that the agent chooses. */
const isName = Schema.isPattern(namePattern, { message: "a name is 1 to 64 letters, digits, `_`, `.` or `-`" })
export const nameField = (description: string) => Schema.String.annotate({ description }).check(isName)

/** Is this a valid `session` argument? The argument is optional. */
export const isSessionName = (given: unknown): given is string | undefined =>
  given === undefined || (typeof given === "string" && namePattern.test(given))

export const defaultSession = "main"

/** The argument `session`, which every tool takes. */
export const sessionField = { session: Schema.optionalKey(Schema.String.annotate({ default: defaultSession }).check(isName)) }

/** Of every tool: the other fields of a reply differ, cost every model tokens, and few read output schemas. */
const outputSchema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }

/** An optional text. */
export const textField = (description?: string) =>
  Schema.optionalKey(description === undefined ? Schema.String : Schema.String.annotate({ description }))

/** An optional number above 0. */
export const positiveField = (description: string) =>
  Schema.optionalKey(Schema.Finite.annotate({ description }).check(Schema.isGreaterThan(0)))

/** An optional whole number above 0. */
export const countField = (annotations: { readonly description?: string; readonly default?: number }) =>
  Schema.optionalKey(Schema.Int.annotate(annotations).check(Schema.isGreaterThan(0)))

/** An optional boolean; `usual` is its default. */
export const flagField = (usual: boolean, description?: string) =>
  Schema.optionalKey(Schema.Boolean.annotate({ default: usual, ...(description !== undefined && { description }) }))

/** An optional object. */
export const objectField = (description: string) =>
  Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown).annotate({ description }))

/** Arguments that some hosts send as the text of their JSON. */
const mayBeText: ReadonlySet<string> = new Set(["args", "arguments", "spec"])

/** Has an argument, or its text, too many levels, or its text too many values? */
const isTooMuch = (name: string, given: unknown): boolean =>
  typeof given === "string" ? mayBeText.has(name) && exceedsLimits(given, limits.argumentNesting) : isDeeper(given, limits.argumentNesting)

/** The value of an argument that a host sent as text: a boolean or an object. Texts inside an object stay texts. */
const unquoted = (name: string, given: unknown, isFlag: (name: string) => boolean): unknown => {
  if (typeof given !== "string") return given
  if (given === "true" || given === "false") return isFlag(name) ? given === "true" : given
  if (!mayBeText.has(name)) return given
  return Result.getOrElse(
    Result.try(() => JSON.parse(given) as unknown),
    () => given,
  )
}

/** The session of that name; made if it does not exist. `timeoutMs`: as of `Sessions.get`. */
export const sessionNamed = (name = defaultSession, timeoutMs?: number) => Effect.flatMap(Sessions, ({ get }) => get(name, timeoutMs))

/** A call's arguments: the decoded ones, the names that the tool does not have, and a line for each problem. */
interface ReadArguments {
  readonly decoded: RawArguments
  readonly unknown: readonly string[]
  readonly problems: readonly string[]
}

/** Makes the function that decodes a tool's arguments. `schema`: their JSON schema. */
const readerOf = (fields: Fields, schema: () => JsonObject): ((given: RawArguments) => ReadArguments) => {
  const required = Object.keys(fields).filter((name) => !isOptional(fields[name]!.ast))
  const decoders = new Map(Object.entries(fields).map(([name, field]) => [name, Schema.decodeUnknownResult(field, { errors: "all" })]))
  const isFlag = (name: string): boolean => allowedIn(schema())[name]?.type === "boolean"
  return (given) => {
    const unknown: string[] = []
    const problems: string[] = []
    const decoded: { [name: string]: unknown } = {}
    for (const name of Object.keys(given)) {
      const value = unquoted(name, given[name], isFlag)
      const problem = textProblem(name, value) ?? listProblem(name, value)
      if (problem !== undefined) {
        problems.push(problem)
        continue
      }
      const result = decoders.get(name)?.(value)
      if (result === undefined) unknown.push(name)
      else if (Result.isSuccess(result)) decoded[name] = result.success
      // Some hosts send each argument of the schema, those without a value as null.
      else if (value !== null || required.includes(name)) problems.push(...problemsOf(name, result.failure.issue))
    }
    for (const name of required) if (!Object.hasOwn(given, name)) problems.push(missing(name, schema()))
    return { decoded, unknown, problems }
  }
}

export const make = <const Input extends Fields, const Name extends string = never>(declaration: Declaration<Input, Name>): Tool => {
  const { name, title, description, annotations, run } = declaration
  const actions: Actions | undefined = declaration.actions
  const action = actions && { action: Schema.Literals(Object.keys(actions)) }
  const input = Schema.Struct({ ...action, ...declaration.input.fields })
  let described: Description | undefined
  const describe = (): Description =>
    (described ??= {
      name,
      title,
      description,
      annotations,
      inputSchema: inputSchemaOf(input),
      outputSchema,
    })
  const read = readerOf(input.fields, () => describe().inputSchema)

  return {
    name,
    describe,
    isReadOnlyCall: ({ action }) => annotations.readOnlyHint || actions?.[String(action)]?.isReadOnly === true,
    call: (given) => {
      const { decoded, unknown, problems } = read((given ?? {}) as RawArguments)
      if (unknown.length > 0) return Effect.succeed(render.unknownArguments(name, unknown, Object.keys(input.fields)))
      const unused = actions === undefined || problems.length > 0 ? [] : unusedOf(actions, decoded, describe().inputSchema)
      const wrong = [...problems, ...unused]
      if (wrong.length > 0) return Effect.succeed(render.badArguments(name, wrong.join("\n")))
      return run(decoded as Schema.Struct<Input>["Type"] & { readonly action: Name }).pipe(
        Effect.catch((error: SessionError) => Effect.map(Settings, (settings): render.Reply => failure(error, settings, { tool: name }))),
      )
    },
  }
}

/** Hosts give up on calls that are silent for 60 s, some sooner. */
const PROGRESS_EVERY = Duration.seconds(5)

/** Takes the progress of a running call: milliseconds since it began, and a line to show. */
export type OnProgress = (elapsedMs: number, message: string) => void

export const callTool = (
  tool: Tool,
  given: RawArguments | undefined,
  onProgress: OnProgress | undefined,
): Effect.Effect<render.Reply, never, Sessions | Settings> => {
  const deep = Object.keys(given ?? {}).find((name) => isTooMuch(name, given![name]))
  if (deep !== undefined) {
    const problem = `${shortened(deep, 80)}: more than ${limits.argumentNesting} levels of objects and lists, or ${limits.values} values`
    return Effect.succeed(render.badArguments(tool.name, problem))
  }
  const reply = Effect.catchDefect(tool.call(given), (defect) =>
    Effect.as(
      Effect.logError(`defect in ${tool.name}`, Cause.die(defect)),
      defect instanceof FileGone ? render.fileGone(defect) : render.defect(tool.name, String(defect)),
    ),
  )
  if (onProgress === undefined) return reply
  return Effect.gen(function* () {
    const sessions = yield* Sessions
    const begun = yield* elapsed
    const session = given?.["session"]
    /** The latest line that the call announced of its own work. */
    let announced: string | undefined
    const first = Deferred.makeUnsafe<void>()
    const listen = (what: string | undefined, isInterruptible = false): void => {
      announced = what !== undefined && isInterruptible ? interruptible(what) : what
      Deferred.doneUnsafe(first, Effect.void)
    }
    const report = Effect.gen(function* () {
      const status = yield* sessions.status(typeof session === "string" ? session : (tool.home ?? defaultSession))
      const ms = (yield* elapsed) - begun
      onProgress(ms, progress(status, ms, announced))
    })
    const reports = Effect.timeoutOption(Deferred.await(first), PROGRESS_EVERY).pipe(
      Effect.andThen(report),
      Effect.andThen(Effect.forever(Effect.delay(report, PROGRESS_EVERY))),
    )
    return yield* Effect.raceFirst(Effect.provideService(reply, Announce, listen), reports)
  })
}

/** A sentence if a text has too many characters, or half of one. `code` has a limit of its own, which the evaluation checks. */
const textProblem = (name: string, given: unknown): string | undefined => {
  if (typeof given !== "string") return undefined
  if (name !== "code" && given.length > limits.argument)
    return `${shortened(name, 80)}: ${given.length} characters; at most ${limits.argument} are taken`
  return /\p{Surrogate}/u.test(given) ? `${shortened(name, 80)}: half of a surrogate pair; give whole characters` : undefined
}

const listProblem = (name: string, given: unknown): string | undefined =>
  Array.isArray(given) && given.length > limits.argumentItems
    ? `${shortened(name, 80)}: ${given.length} items; at most ${limits.argumentItems} are taken`
    : undefined

type Actions = { readonly [name: string]: Action<string> }

const isNothing = (given: unknown): boolean => given === null || (Array.isArray(given) && given.length === 0)

/** An error line for each argument that the action does not use, unless it has its default, is null or is an empty list. */
const unusedOf = (actions: Actions, given: RawArguments, schema: JsonObject): readonly string[] => {
  const allowed = allowedIn(schema)
  const action = given["action"] as string
  return Object.keys(given).flatMap((name) => {
    const users = Object.keys(actions).filter((each) => actions[each]!.takes.includes(name))
    const isUsed = users.length === 0 || users.includes(action)
    if (isUsed || isNothing(given[name]) || given[name] === allowed[name]?.default) return []
    return [`${action} takes no ${name}; ${some(users)} ${users.length === 1 ? "does" : "do"}`]
  })
}

interface Allowed {
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly type?: string
  readonly description?: string
}

/** The schemas of a tool's arguments by name. */
const allowedIn = ({ properties }: JsonObject) => properties as { readonly [name: string]: Allowed | undefined }

/** The words for JSON types in error messages. */
const typeWords: { readonly [type: string]: string } = { array: "a list", integer: "a whole number", object: "an object" }

const standard = makeFormatterStandardSchemaV1()

/** The most problems that are told of one argument. */
const MOST_PROBLEMS = 20

/** A line for each of the first problems of an argument. */
const problemsOf = (name: string, issue: Parameters<typeof standard>[0]): readonly string[] => {
  const all = standard(issue).issues
  const lines = all
    .slice(0, MOST_PROBLEMS)
    .map(({ path = [], message }) => `${[name, ...path.map(String)].join(".")}: ${shortened(message, 400)}`)
  return all.length > MOST_PROBLEMS ? [...lines, `${name}: ${all.length - MOST_PROBLEMS} more problems`] : lines
}

/** The error line for a missing argument, with its type or allowed values. */
const missing = (name: string, schema: JsonObject): string => {
  const { enum: allowed, type = "value", description } = allowedIn(schema)[name] ?? {}
  const what = allowed === undefined ? (typeWords[type] ?? `a ${type}`) : `one of ${allowed.join(", ")}`
  return `${name}: missing; ${what}${description === undefined ? "" : `: ${description}`}`
}

/** The JSON schema of the arguments, without the bounds of a JavaScript integer, which tell a model nothing. */
const inputSchemaOf = (schema: Schema.Top): JsonObject =>
  JSON.parse(JSON.stringify(Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }).schema), (_, value: unknown) =>
    Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? undefined : value,
  ) as JsonObject
