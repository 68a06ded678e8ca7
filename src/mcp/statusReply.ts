/** The reply of `k_status` on a session, for the tool and the resource. Guarantees: waits for no evaluation. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Caller } from "../session/Caller.ts"
import { Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { crashLine } from "./render/crash.ts"
import { status } from "./render/status.ts"
import { ConnectionFacts } from "./ConnectionFacts.ts"

export const statusReply = Effect.fnUntraced(function* (session: string) {
  const sessions = yield* Sessions
  const crash = (yield* sessions.crashes.all).at(-1)
  const of = yield* sessions.status(session)
  const lastCrash = crash === undefined ? of.lastCrash : crashLine(crash, yield* Clock.currentTimeMillis)
  return status({
    of: { ...of, lastCrash },
    open: yield* sessions.list,
    settings: yield* Settings,
    disk: yield* sessions.disk,
    connection: yield* ConnectionFacts,
    caller: (yield* Caller).name,
    background: yield* sessions.backgrounds.list,
  })
})
