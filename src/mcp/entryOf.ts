/**
 * The help's entry on the verb that failed. The help is loaded at the first error; without its file, after an upgrade of the server, there is none.
 */
import * as Effect from "effect/Effect"
import type { KFailure } from "../child/engines/Engine.ts"
import { loadHelp } from "./loadHelp.ts"

export const entryOf = (error: KFailure): Effect.Effect<string | undefined> =>
  Effect.tryPromise(() => loadHelp(({ failures }) => failures())).pipe(
    Effect.map(({ failedEntry }) => {
      const entry = failedEntry(error)
      // The error of the embedded engine may already have the entry's text.
      return entry === undefined || error.text.includes(entry.replace(/\.$/, "")) ? undefined : entry
    }),
    Effect.orElseSucceed(() => undefined),
  )
