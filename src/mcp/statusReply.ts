/**
 * The reply of `k_status` on a session, for the tool and the resource. Guarantees: waits for no evaluation; in a cluster it waits once for a
 * machine that does not answer, since all parts are asked for at the same time.
 */
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
  const [crashes, of, open, disk, background] = yield* Effect.all(
    [sessions.crashes.all, sessions.status(session), sessions.list, sessions.disk, sessions.backgrounds.list],
    { concurrency: "unbounded" },
  )
  const crash = crashes.at(-1)
  const lastCrash = crash === undefined ? of.lastCrash : crashLine(crash, yield* Clock.currentTimeMillis)
  return status({
    of: { ...of, lastCrash },
    open,
    settings: yield* Settings,
    disk,
    connection: yield* ConnectionFacts,
    caller: (yield* Caller).name,
    background,
  })
})
