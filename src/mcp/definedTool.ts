/** A tool made of a K function: its description and its call. */
import * as Effect from "effect/Effect"
import { call, type Callable } from "../define/call.ts"
import { toolName } from "../define/definition.ts"
import { kindOf, schemaOf } from "../define/parameters.ts"
import { annotationsOf } from "../define/purity.ts"
import type { Definition } from "../session/Definitions.ts"
import { shortened } from "../shortened.ts"
import type { SessionError } from "../session/SessionError.ts"
import { Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { drawing } from "./drawing.ts"
import { entryOf } from "./entryOf.ts"
import type { Reply } from "./render/Reply.ts"
import * as render from "./render/defined.ts"
import { isSessionName, type Description, type RawArguments, type Tool } from "./Tool.ts"

const deadlineText = ({ timeoutMs }: Definition): string => (timeoutMs === undefined ? "deadline" : `deadline; at most ${timeoutMs}`)

const outputs = { ok: { type: "boolean" }, value: {}, error: {} }

const describe = (definition: Definition): Description => ({
  name: toolName(definition.name),
  title: definition.name,
  description: definition.description,
  annotations: annotationsOf(definition),
  inputSchema: {
    type: "object",
    properties: {
      ...Object.fromEntries(
        definition.parameters.map(({ name, type, description }) => [
          name,
          { ...schemaOf(kindOf(type) ?? "any"), ...(description !== undefined && { description }) },
        ]),
      ),
      session: { type: "string", description: `default ${definition.session}` },
      timeout_ms: { type: "number", description: deadlineText(definition) },
    },
    required: definition.parameters.map(({ name }) => name),
    additionalProperties: false,
  },
  outputSchema: { type: "object", properties: outputs, required: ["ok"] },
})

/** The arguments of a call that do not go to the function; not validated. */
interface CallOptions {
  readonly session?: unknown
  readonly timeout_ms?: unknown
}

/** The problems of a call's options. A call may shorten the tool's deadline, not extend it. */
const problemsOf = ({ timeoutMs = Infinity }: Callable, { session, timeout_ms: wanted = 1 }: CallOptions): readonly string[] => [
  ...(isSessionName(session) ? [] : [`session ${shortened(JSON.stringify(session), 80)} is no name of a session`]),
  ...(typeof wanted === "number" && wanted > 0 ? [] : [`timeout_ms ${shortened(JSON.stringify(wanted), 80)} is no number above 0`]),
  ...(Number(wanted) > timeoutMs ? [`timeout_ms ${Number(wanted)} is more than the ${timeoutMs} ms that the tool gives itself`] : []),
]

/** Calls the function in its session, or in the session and within the deadline that `options` give. */
export const callDefined = (
  callable: Callable,
  given: RawArguments,
  options: CallOptions,
): Effect.Effect<Reply, never, Sessions | Settings> =>
  Effect.gen(function* () {
    const problems = problemsOf(callable, options)
    if (problems.length > 0) return render.badCall(callable, problems)
    const { session = callable.session, timeout_ms: timeoutMs = callable.timeoutMs } = options as {
      readonly session?: string
      readonly timeout_ms?: number
    }
    const definition = { ...callable, ...(timeoutMs !== undefined && { timeoutMs }) }
    const settings = yield* Settings
    return yield* call(definition, given, session).pipe(
      Effect.flatMap((called): Effect.Effect<Reply, SessionError, Sessions | Settings> => {
        const { evaluation } = called
        const { error, value } = evaluation
        if (called.isDrawn === true) return Effect.map(drawing(session, { ...evaluation, output: "" }, value!, {}, timeoutMs), render.drawn)
        const entry = error === undefined ? Effect.undefined : entryOf(error)
        return Effect.map(entry, (help) => render.called(definition, called, settings, help))
      }),
      Effect.catchTag("BadArguments", ({ problems }) => Effect.succeed(render.badCall(definition, problems))),
      Effect.catch((error) => Effect.succeed(render.sessionFailed(callable, error, settings))),
    )
  })

export const definedTool = (definition: Definition): Tool => ({
  name: toolName(definition.name),
  home: definition.session,
  describe: () => describe(definition),
  isReadOnlyCall: () => annotationsOf(definition).readOnlyHint,
  call: (arguments_) => {
    const { session, timeout_ms, ...given } = (arguments_ ?? {}) as RawArguments
    return callDefined(definition, given, { session: session ?? undefined, timeout_ms: timeout_ms ?? undefined })
  },
})
