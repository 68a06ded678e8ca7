/** The reply of `k_reset`. */
import type { Reset } from "../../session/Session.ts"
import type { Reply } from "./Reply.ts"
import { plural } from "./words.ts"

interface Done extends Reset {
  readonly name: string
}

/** A session that was only on disk has generation 0: it had no child. */
const how = ({ how, generation }: Done): string => (generation === 0 ? "(on disk)" : `(${how}, generation ${generation})`)

export const reset = (done: Done): Reply => ({
  text: `Session ${done.name} is clean ${how(done)}.`,
  structured: { ok: true, sessions: [done] },
})

export const resetAll = (done: readonly Done[]): Reply => ({
  text:
    done.length === 0
      ? "No session is open or on disk."
      : `${plural(done.length, "session")} ${done.length === 1 ? "is" : "are"} clean: ${done.map((each) => `${each.name} ${how(each)}`).join(", ")}.`,
  structured: { ok: true, sessions: done },
})
