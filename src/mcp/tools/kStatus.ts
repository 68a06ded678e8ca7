/** `k_status`: the state of a session and its child, the builds, limits, and the other sessions. */
import * as Schema from "effect/Schema"
import { statusReply } from "../statusReply.ts"
import { defaultSession, make, sessionField } from "../Tool.ts"

export const kStatus = make({
  name: "k_status",
  title: "Status of a session",
  description: "Engine and why, process, builds, what runs, last crash, limits, sessions open or on disk.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: Schema.Struct(sessionField),
  run: ({ session = defaultSession }) => statusReply(session),
})
