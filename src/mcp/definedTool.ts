/** A tool made of a K function: what a client is told of it, and its call. */
import * as Effect from "effect/Effect"
import { call } from "../define/call.ts"
import { toolName } from "../define/definition.ts"
import { kindOf, schemaOf } from "../define/parameters.ts"
import { annotationsOf } from "../define/purity.ts"
import type { Definition } from "../session/Definitions.ts"
import { shortened } from "../shortened.ts"
import { Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { entryOf } from "./entryOf.ts"
import type { Reply } from "./Reply.ts"
import * as render from "./render/defined.ts"
import { isSessionName, type Description, type Given, type Tool } from "./Tool.ts"

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
    },
    required: definition.parameters.map(({ name }) => name),
    additionalProperties: false,
  },
  outputSchema: { type: "object", properties: { ok: { type: "boolean" }, value: {}, error: {} }, required: ["ok"] },
})

/** Calls it by what it is now; `session` in place of its own. */
export const callDefined = (
  definition: Definition,
  given: Given,
  session = definition.session,
): Effect.Effect<Reply, never, Sessions | Settings> =>
  Effect.gen(function* () {
    const settings = yield* Settings
    return yield* call(definition, given, session).pipe(
      Effect.flatMap((called) => {
        const { error } = called.evaluation
        const entry = error === undefined ? Effect.undefined : entryOf(error)
        return Effect.map(entry, (help) => render.called(definition, called, settings, help))
      }),
      Effect.catchTag("BadArguments", ({ problems }) => Effect.succeed(render.badCall(definition, problems))),
      Effect.catch((error) => Effect.succeed(render.fell(definition, error, settings))),
    )
  })

export const definedTool = (definition: Definition): Tool => ({
  name: toolName(definition.name),
  home: definition.session,
  describe: () => describe(definition),
  get outputFields() {
    return Object.keys(describe(definition).outputSchema["properties"] as object)
  },
  call: (arguments_) => {
    const { session, ...given } = (arguments_ ?? {}) as Given
    return isSessionName(session)
      ? callDefined(definition, given, session)
      : Effect.succeed(render.badCall(definition, [`session ${shortened(JSON.stringify(session), 80)} is no name of a session`]))
  },
})
