/**
 * A tool is data: its description for clients, the schemas of arguments and result, and its function. Guarantees: arguments are decoded once, an
 * unknown one is refused by name, and `call` never fails: an error is a reply that says what to do next. `callTool` always gives a reply, also
 * for a defect of ours. When progress was asked for, it is told when the call first names its work and then on a timer: what runs, and for how
 * long. After the reply or an interruption none is told. Does not: know the MCP SDK, sessions' insides or prose (see render/).
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
import { shortened } from "../shortened.ts"
import type { Reply } from "./Reply.ts"
import * as render from "./render/failure.ts"
import { failure } from "./render/sessionFailure.ts"
import { progress } from "./render/status.ts"

/** MCP's annotations; a tool states all four. */
export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

type JsonObject = { readonly [key: string]: unknown }

/** What a call gives, by name; judged by nobody yet. */
export type Given = { readonly [name: string]: unknown }

/** As `tools/list` shows it. */
export interface Description {
  readonly name: string
  readonly title: string
  /** For a language model: what it is for, when to use it and when not. */
  readonly description: string
  readonly annotations: Annotations
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
}

export interface Tool {
  readonly name: string
  /** The session it works in when none is named; `main` when absent. */
  readonly home?: string
  readonly describe: () => Description
  /** Does this call change nothing that a session holds or tells? */
  readonly onlyLooks: (given: Given) => boolean
  /** The names of all fields that a reply may have. */
  readonly outputFields: readonly string[]
  readonly call: (given: unknown) => Effect.Effect<Reply, never, Sessions | Settings>
}

type Fields = { readonly [name: string]: Schema.Codec<unknown> }

interface Declaration<Input extends Fields, Output extends Fields> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** Of a tool that does more than look: the actions that only do that. */
  readonly lookingActions?: readonly string[]
  readonly input: Schema.Struct<Input>
  /** Must not transform: one side is advertised, the other sent. Every tool may also answer with `render.Failed`. */
  readonly output: Schema.Struct<Output>
  readonly run: (
    given: Schema.Struct<Input>["Type"],
  ) => Effect.Effect<Reply<Schema.Struct<Output>["Type"] | render.Failure>, SessionError, Sessions | Settings>
}

/** A name that is the agent's to choose. */
const isName = Schema.isPattern(namePattern, { message: "a name is 1 to 64 letters, digits, `_`, `.` or `-`" })
export const nameField = (description: string) => Schema.String.annotate({ description }).check(isName)

/** May it stand for `session`, which need not be given? */
export const isSessionName = (given: unknown): given is string | undefined =>
  given === undefined || (typeof given === "string" && namePattern.test(given))

export const defaultSession = "main"

/** `session`, the argument every tool takes. */
export const sessionField = { session: Schema.optionalKey(Schema.String.annotate({ default: defaultSession }).check(isName)) }

/** A boolean that need not be given. */
export const flagField = (usual: boolean, description?: string) =>
  Schema.optionalKey(Schema.Boolean.annotate({ default: usual, ...(description !== undefined && { description }) }))

/** An object, which some hosts give as its text. */
export const objectField = (description: string) =>
  Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown).annotate({ description }))
const mayBeText: ReadonlySet<string> = new Set(["args", "arguments", "spec"])

/** What an argument is that some hosts give as text; a text inside of an object stays one. */
const unquoted = (name: string, given: unknown, isFlag: (name: string) => boolean): unknown => {
  if (typeof given !== "string") return given
  if (given === "true" || given === "false") return isFlag(name) ? given === "true" : given
  if (!mayBeText.has(name)) return given
  return Result.getOrElse(
    Result.try(() => JSON.parse(given) as unknown),
    () => given,
  )
}

/** A number above 0 that need not be given. */
export const positiveField = (description: string) =>
  Schema.optionalKey(Schema.Finite.annotate({ description }).check(Schema.isGreaterThan(0)))

/** The session that a call names, made when there is none. */
export const sessionNamed = (name = defaultSession) => Effect.flatMap(Sessions, ({ get }) => get(name))

export const make = <const Input extends Fields, const Output extends Fields>(declaration: Declaration<Input, Output>): Tool => {
  const { name, title, description, annotations, lookingActions = [], input, output, run } = declaration
  const known = Object.keys(input.fields)
  const required = known.filter((name) => !isOptional(input.fields[name]!.ast))
  const decoders = new Map(
    Object.entries(input.fields).map(([name, schema]) => [name, Schema.decodeUnknownResult(schema, { errors: "all" })]),
  )
  let described: Description | undefined
  const describe = (): Description =>
    (described ??= {
      name,
      title,
      description,
      annotations,
      inputSchema: inputSchemaOf(input),
      outputSchema: outputSchemaOf(output),
    })

  const isFlag = (key: string): boolean =>
    (describe().inputSchema["properties"] as { readonly [name: string]: Allowed | undefined })[key]?.type === "boolean"

  return {
    name,
    describe,
    onlyLooks: ({ action }) => annotations.readOnlyHint || lookingActions.includes(String(action)),
    outputFields: Object.keys(output.fields),
    call: (arguments_) => {
      const given = (arguments_ ?? {}) as Given
      const unknown: string[] = []
      const problems: string[] = []
      const decoded: { [name: string]: unknown } = {}
      for (const key of Object.keys(given)) {
        const value = unquoted(key, given[key], isFlag)
        const excess = excessOf(key, value)
        if (excess !== undefined) {
          problems.push(excess)
          continue
        }
        const result = decoders.get(key)?.(value)
        if (result === undefined) unknown.push(key)
        else if (Result.isSuccess(result)) decoded[key] = result.success
        else problems.push(...problemsOf(key, result.failure.issue))
      }
      if (unknown.length > 0) return Effect.succeed(render.unknownArguments(name, unknown, known))
      for (const key of required) if (!Object.hasOwn(given, key)) problems.push(missing(key, describe().inputSchema))
      if (problems.length > 0) return Effect.succeed(render.badArguments(name, problems.join("\n")))
      return run(decoded as Schema.Struct<Input>["Type"]).pipe(
        Effect.catch((error: SessionError) => Effect.map(Settings, (settings): Reply => failure(error, settings))),
      )
    },
  }
}

/** Hosts cut calls that are silent for 60 s, some sooner. */
const PROGRESS_EVERY = Duration.seconds(5)

/** Hears of a call that goes on: milliseconds since it began, and what to show. */
export type OnProgress = (elapsedMs: number, message: string) => void

export const callTool = (
  tool: Tool,
  given: Given | undefined,
  onProgress: OnProgress | undefined,
): Effect.Effect<Reply, never, Sessions | Settings> => {
  const reply = Effect.catchDefect(tool.call(given), (defect) =>
    Effect.as(Effect.logError(`defect in ${tool.name}`, Cause.die(defect)), render.defect(tool.name, String(defect))),
  )
  if (onProgress === undefined) return reply
  const session = given?.["session"]
  return Effect.suspend(() => {
    let told: string | undefined
    const first = Deferred.makeUnsafe<void>()
    const listen = (what: string): void => {
      told = what
      Deferred.doneUnsafe(first, Effect.void)
    }
    const of = typeof session === "string" ? session : (tool.home ?? defaultSession)
    return Effect.raceFirst(
      Effect.provideService(reply, Announce, listen),
      reportProgress(of, { latest: () => told, first: Deferred.await(first) }, onProgress),
    )
  })
}

/** What the call itself says it is at: the latest, and that there is a first. */
interface Told {
  readonly latest: () => string | undefined
  readonly first: Effect.Effect<void>
}

const reportProgress = (session: string, told: Told, onProgress: OnProgress): Effect.Effect<never, never, Sessions> =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const begun = yield* elapsed
    const report = Effect.gen(function* () {
      const status = yield* sessions.status(session)
      const ms = (yield* elapsed) - begun
      onProgress(ms, progress(status, ms, told.latest()))
    })
    yield* Effect.raceFirst(Effect.sleep(PROGRESS_EVERY), told.first)
    yield* report
    return yield* Effect.forever(Effect.delay(report, PROGRESS_EVERY))
  })

/** What an argument has too much of; code has a limit of its own, and is told so by who runs it. */
const excessOf = (name: string, given: unknown): string | undefined =>
  typeof given === "string" && name !== "code" && given.length > limits.argument
    ? `${shortened(name, 80)}: ${given.length} characters; at most ${limits.argument} are taken`
    : undefined

interface Allowed {
  readonly enum?: readonly string[]
  readonly type?: string
  readonly description?: string
}

/** Types of JSON, as they are told. */
const typeWords: { readonly [type: string]: string } = { array: "a list", integer: "a whole number", object: "an object" }

const standard = makeFormatterStandardSchemaV1()

/** A line for each thing that is wrong with an argument. */
const problemsOf = (name: string, issue: Parameters<typeof standard>[0]): readonly string[] =>
  standard(issue).issues.map(({ path = [], message }) => `${[name, ...path.map(String)].join(".")}: ${shortened(message, 400)}`)

/** The line of an argument that is not there, with what it may be. */
const missing = (name: string, { properties }: JsonObject): string => {
  const { enum: allowed, type = "value", description } = (properties as { readonly [name: string]: Allowed })[name] ?? {}
  const what = allowed === undefined ? (typeWords[type] ?? `a ${type}`) : `one of ${allowed.join(", ")}`
  return `${name}: missing; ${what}${description === undefined ? "" : `: ${description}`}`
}

/** Without the bounds of a JavaScript integer, which tell a model nothing. */
const inputSchemaOf = (schema: Schema.Top): JsonObject =>
  JSON.parse(JSON.stringify(Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }).schema), (_, value: unknown) =>
    Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? undefined : value,
  ) as JsonObject

/** The fields that every reply has. The others are left out: every model reads the list of tools, and hardly any the schema of what comes back. */
const outputSchemaOf = (schema: Schema.Top): JsonObject => {
  const { type, properties, required } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "ignore" }).schema as {
    readonly [key: string]: JsonObject
  }
  const always = required as unknown as readonly string[]
  return {
    type,
    properties: Object.fromEntries(
      Object.entries(properties!).flatMap(([name, each]) =>
        always.includes(name) ? [[name, { type: (each as JsonObject)["type"] }]] : [],
      ),
    ),
    required,
  }
}
