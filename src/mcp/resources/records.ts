/** Resources for the history of a session, long outputs by their handle, and crash records. */
import * as Effect from "effect/Effect"
import { Sessions } from "../../session/Sessions.ts"
import { crashText } from "../render/crash.ts"
import { page as historyText } from "../render/history.ts"
import { page as outputText } from "../render/output.ts"
import type { Resource } from "./Resource.ts"
import { sessionPool } from "./sessions.ts"

/** The most entries, and the most characters of an output, in one read. */
const mostEntries = 50
const pageCharacters = 64 * 1024

export const historyResource: Resource = {
  uri: "k3://sessions/{session}/history",
  name: "history",
  title: "History of a session",
  description: "The last evaluations of a session, a line each. Tool: k_history.",
  mimeType: "text/plain",
  priority: 0.5,
  present: sessionPool,
  // A background evaluation may end, and a long one begin, without a call.
  changesByItself: true,
  fingerprint: ({ session = "" }) =>
    Effect.gen(function* () {
      const { history, find } = yield* Sessions
      const { last } = yield* history.of(session)
      const open = yield* find(session)
      if (open === undefined) return last === 0 ? "" : String(last)
      const { running } = yield* open.status
      return `${last} ${running?.statement ?? ""}`
    }),
  read: ({ session = "" }) =>
    Effect.gen(function* () {
      const { history, find } = yield* Sessions
      const of = yield* history.of(session)
      if (of.last === 0 && (yield* find(session)) === undefined) return undefined
      return historyText(session, yield* of.page({ before: of.last + 1, limit: mostEntries }), undefined).text
    }),
}

export const outputResource: Resource = {
  uri: "k3://sessions/{session}/output/{n}",
  name: "output",
  title: "A long reply",
  description: "The beginning of a reply too long to be shown, by its handle. Tool: k_output.",
  mimeType: "text/plain",
  priority: 0.3,
  read: ({ n = "" }) =>
    Effect.gen(function* () {
      const { outputs } = yield* Sessions
      const handle = /^\d+$/.test(n) ? `o${n}` : n
      return outputText(handle, yield* outputs.page(handle, { from: 1, unit: "line", shown: pageCharacters })).text
    }).pipe(Effect.catchTag("NoOutput", () => Effect.undefined)),
}

export const crashResource: Resource = {
  uri: "k3://crashes/{n}",
  name: "crash",
  title: "A crash",
  description: "How an interpreter ended, its last inputs, and a script that brings it about. Tool: k_history, action crash.",
  mimeType: "text/plain",
  priority: 0.6,
  present: Effect.gen(function* () {
    const { crashes } = yield* Sessions
    return (yield* crashes.all).toReversed().map(({ n, at }) => ({ variables: { n: String(n) }, title: `Crash ${n}`, lastModified: at }))
  }),
  read: ({ n = "" }) =>
    Effect.gen(function* () {
      const { crashes } = yield* Sessions
      const found = (yield* crashes.all).find((each) => String(each.n) === n)
      return found === undefined ? undefined : `${crashText(found)}\n\n${found.script}`
    }),
}
