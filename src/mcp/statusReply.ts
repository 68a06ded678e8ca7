/** The reply of `k_status` on a session, for the tool and the resource. Guarantees: waits for no evaluation. */
import * as Effect from "effect/Effect"
import { Sessions } from "../session/Sessions.ts"
import type { SessionStatus } from "../session/SessionStatus.ts"
import { Settings } from "../Settings.ts"
import { status } from "./render/status.ts"
import { ConnectionFacts } from "./ConnectionFacts.ts"

export const statusReply = Effect.fnUntraced(function* (of: SessionStatus) {
  const { list, disk, backgrounds } = yield* Sessions
  return status(of, yield* list, yield* Settings, yield* disk, yield* ConnectionFacts, yield* backgrounds.list)
})
