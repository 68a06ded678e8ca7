/** `k_status`: the state of a session and its child, the builds, limits, and the other sessions. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import { crashLine } from "../render/crash.ts"
import { StatusOutput } from "../render/status.ts"
import { statusReply } from "../statusReply.ts"
import { defaultSession, make, sessionField } from "../Tool.ts"

export const kStatus = make({
  name: "k_status",
  title: "Status of a session",
  description: "Engine and why, process, builds, what runs, last crash, limits, sessions open or on disk.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct(sessionField),
  output: StatusOutput,
  run: ({ session: name = defaultSession }) =>
    Effect.gen(function* () {
      const { crashes, status } = yield* Sessions
      const crash = (yield* crashes.all).at(-1)
      const of = yield* status(name)
      const lastCrash = crash === undefined ? of.lastCrash : crashLine(crash, yield* Clock.currentTimeMillis)
      return yield* statusReply({ ...of, lastCrash })
    }),
})
