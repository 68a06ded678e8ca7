/** `k_help`: explains K's verbs, names, errors and words, and finds K for a task. The help is loaded at the first call. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import { loadHelp } from "../loadHelp.ts"
import * as render from "../render/help.ts"
import { defaultSession, make, sessionField, textField } from "../Tool.ts"

const load = Effect.promise(() => loadHelp(({ searchableHelp }) => searchableHelp()))

export const kHelp = make({
  name: "k_help",
  title: "Help on K",
  description:
    'What a verb, name, command, error or topic of K means, with tested examples; or K for a task in words ("moving average", "split string"). Without query: the topics.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct({
    query: textField("?, _ss, \\l, length error, group by"),
    ...sessionField,
  }),
  run: ({ query = "", session = defaultSession }) =>
    Effect.gen(function* () {
      const { lookUp, answerText } = yield* load
      const { engine } = yield* (yield* Sessions).status(session)
      return render.help(query, lookUp(query, engine), answerText)
    }),
})
