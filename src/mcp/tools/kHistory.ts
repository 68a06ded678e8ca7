/**
 * `k_history`: reads the history of a session, runs entries again, and exports it as script, transcript or test; reads crash records.
 * Guarantees: reading never waits for an evaluation.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { replay, testOf } from "../../session/history/replay.ts"
import { Sessions } from "../../session/Sessions.ts"
import { Settings } from "../../Settings.ts"
import * as render from "../render/history.ts"
import { failed } from "../render/Reply.ts"
import { ConnectionFacts } from "../ConnectionFacts.ts"
import { countField, defaultSession, make, nameField, sessionField, textField } from "../Tool.ts"

const usual = 20
const mostListed = 200
/** The most entries in a replay or an export. */
const mostTaken = 10_000
/** The most characters of a script. */
const mostScript = 64 * 1024 ** 2

/** The reply with the content, which goes to the file where the call names one. Without a file, only the page gets a long one. */
const exported = Effect.fnUntraced(function* (what: string, content: string, file: string | undefined, notice?: string) {
  const settings = yield* Settings
  const { isPage = false } = yield* ConnectionFacts
  if (file === undefined && !isPage && content.length > settings.outputShown)
    return failed("size", render.tooLong(what, content.length, settings))
  const written = file === undefined ? undefined : yield* (yield* Sessions).files.write(file, content)
  return render.exported(what, content, written, notice)
})

export const kHistory = make({
  name: "k_history",
  title: "History of a session",
  description:
    "What was asked and answered, over restarts too: list, search text, show n, replay from..to into a session, write the session as script, entries as transcript or test (cases for k3 --test), read a crash record.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  actions: {
    list: { takes: ["from", "to", "cursor", "limit"], isReadOnly: true },
    search: { takes: ["text", "from", "to", "cursor", "limit"], isReadOnly: true },
    show: { takes: ["n"], isReadOnly: true },
    replay: { takes: ["from", "to", "into"] },
    script: { takes: ["file"], isReadOnly: true },
    transcript: { takes: ["from", "to", "file"], isReadOnly: true },
    test: { takes: ["from", "to", "file"] },
    crash: { takes: ["n", "file"], isReadOnly: true },
  },
  input: Schema.Struct({
    n: countField({ description: "an entry or crash; default the newest" }),
    from: countField({ description: "default the oldest" }),
    to: countField({ description: "default the newest" }),
    text: textField(),
    cursor: countField({ description: "of the last reply: older ones" }),
    limit: countField({ default: usual }),
    into: Schema.optionalKey(nameField("session to replay into")),
    file: textField("write there"),
    ...sessionField,
  }),
  run: ({ action, n, from, to, text, cursor, limit = usual, into, file, session = defaultSession }) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const settings = yield* Settings
      const history = yield* sessions.history.of(session)
      // A history that the store cannot read is empty.
      const held = { ...history, trouble: history.last === 0 ? (yield* sessions.disk).trouble : [] }
      const least = from === undefined ? {} : { from }
      const before = cursor ?? (to === undefined ? undefined : to + 1)
      const range = { ...least, ...(before !== undefined && { before }) }
      const listed = Math.min(limit, mostListed)

      switch (action) {
        case "list":
          return render.page(session, yield* history.page({ ...range, limit: listed }), undefined, held)
        case "search":
          return text === undefined || text === ""
            ? failed("arguments", render.searchWhat)
            : render.page(session, yield* history.page({ ...range, limit: listed, text: text.toLowerCase() }), text, held)
        case "show": {
          const which = n ?? history.last
          const { entries } = yield* history.page({ before: which + 1, from: which, limit: 1 })
          return entries[0] === undefined ? failed("entry", render.noEntry(session, which, held)) : render.entry(entries[0], settings)
        }
        case "crash": {
          const crashes = yield* sessions.crashes.all
          const found = n === undefined ? crashes.at(-1) : crashes.find((each) => each.n === n)
          if (found === undefined) return failed("crash", render.noCrash(n, crashes))
          return render.crash(found, file === undefined ? undefined : yield* sessions.files.write(file, found.script), settings)
        }
        case "script": {
          const script = yield* Effect.flatMap(sessions.get(session), (each) => each.script(mostScript))
          return yield* exported("script", script.text, file, render.scriptNotice(script))
        }
        case "replay":
          if (into === undefined) return failed("arguments", render.replayWhere)
      }
      const { first, last } = history
      if (Math.max(from ?? 1, first) > Math.min(to ?? last, last)) return failed("entry", render.noEntries(session, held))
      const { entries, cursor: older } = yield* history.page({ before: (to ?? last) + 1, ...least, limit: mostTaken })
      const notice = older === undefined ? undefined : render.olderLeft(older)
      switch (action) {
        case "replay":
          return render.replayed(into!, yield* replay(entries, yield* sessions.get(into!)), notice, settings)
        case "transcript":
          return yield* exported("transcript", render.transcript(session, entries), file, notice)
        case "test": {
          const cases = testOf(session, entries)
          return cases === "" ? failed("entry", render.nothingToTest) : yield* exported("test", cases, file, notice)
        }
      }
    }),
})
