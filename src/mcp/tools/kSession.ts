/** `k_session`: lists, makes, forks, merges, interrupts and closes sessions; lists scripts. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { engineKinds } from "../../engineKinds.ts"
import { Sessions } from "../../session/Sessions.ts"
import { listScripts } from "../../session/scripts.ts"
import { Settings } from "../../Settings.ts"
import { badArguments } from "../render/Reply.ts"
import { ConnectionFacts } from "../ConnectionFacts.ts"
import * as render from "../render/session.ts"
import { defaultSession, flagField, make, nameField } from "../Tool.ts"

export const kSession = make({
  name: "k_session",
  title: "Named sessions",
  description:
    "List sessions; create one; fork one's variables, or a snapshot's, to either engine; merge some of them into another; interrupt what runs in one, state kept; close one; scripts: what \\l can load. Not needed to begin: every tool makes the session it names.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  actions: {
    list: { takes: ["session"], isReadOnly: true },
    create: { takes: ["name", "engine", "ephemeral"] },
    fork: { takes: ["name", "engine", "ephemeral", "snapshot", "session"] },
    merge: { takes: ["name", "snapshot", "session", "names", "overwrite"] },
    interrupt: { takes: ["name", "session"] },
    close: { takes: ["name", "session"] },
    scripts: { takes: ["names", "session"], isReadOnly: true },
  },
  input: Schema.Struct({
    name: Schema.optionalKey(nameField("which one; default for a new one: a free name")),
    engine: Schema.optionalKey(Schema.Literals(engineKinds).annotate({ description: "default by K3_ENGINE" })),
    ephemeral: flagField(false, "keep nothing of it on disk, no history"),
    snapshot: Schema.optionalKey(nameField("to take from; default what it holds now")),
    session: Schema.optionalKey(nameField("to take from, default main")),
    names: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "to merge, or to find scripts by" })),
    overwrite: flagField(false),
  }),
  run: ({ action, name, engine, ephemeral, snapshot, session: of, names = [], overwrite = false }) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      if (action === "list") {
        const { stored, trouble } = yield* sessions.disk
        return render.listed(yield* sessions.list, stored, trouble, (yield* ConnectionFacts).isPage ? Infinity : undefined)
      }
      if (action === "scripts") return render.scripts(yield* listScripts(sessions.files, names), (yield* Settings).roots)
      if (action === "interrupt") {
        const running = name ?? of ?? defaultSession
        if (/^e\d+$/.test(running) && (yield* sessions.find(running)) === undefined)
          return render.interrupted(`${running} has ended`, yield* sessions.backgrounds.stop(running))
        return render.interrupted(`No evaluation runs in session ${running}`, yield* sessions.interrupt(running))
      }
      const wanted = { name, engine, isEphemeral: ephemeral }
      const source = { from: of ?? defaultSession, snapshot }
      if (action === "create") return render.begun(yield* sessions.create(wanted))
      if (action === "fork") return render.begun(yield* sessions.fork({ ...source, ...wanted }))
      const which = action === "close" ? (name ?? of) : name
      if (which === undefined) return badArguments("k_session", `${action} takes a name`)
      if (action === "close") return render.closed(yield* sessions.close(which))
      if (names.length === 0) return badArguments("k_session", `merge takes names: the variables to copy from ${source.from} into ${which}`)
      return render.merged(source, which, yield* sessions.merge({ ...source, into: which, names, overwrite }))
    }),
})
