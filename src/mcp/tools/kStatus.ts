/** `k_status`: the state of a session and its child, the builds, limits, and the other sessions. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import { Settings } from "../../Settings.ts"
import { crashLine } from "../render/crash.ts"
import * as render from "../render/status.ts"
import { Spoken } from "../Spoken.ts"
import { defaultSession, make, sessionField } from "../Tool.ts"

export const kStatus = make({
  name: "k_status",
  title: "Status of a session",
  description: "Engine and why, process, builds, what runs, last crash, limits, sessions open or on disk.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct(sessionField),
  output: render.StatusOutput,
  run: ({ session: name = defaultSession }) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const crash = (yield* sessions.crashes.all).at(-1)
      const lastCrash = crash === undefined ? null : crashLine(crash, yield* Clock.currentTimeMillis)
      const status = yield* sessions.status(name)
      return render.status(
        { ...status, lastCrash: lastCrash ?? status.lastCrash },
        yield* sessions.list,
        yield* Settings,
        yield* sessions.disk,
        yield* Spoken,
        yield* sessions.backgrounds.list,
      )
    }),
})
