/** `k_session`: the named sessions there are, made, copied and closed. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Sessions } from "../../session/Sessions.ts"
import { badArguments } from "../render/failure.ts"
import * as render from "../render/session.ts"
import { defaultSession, make, nameField } from "../Tool.ts"

export const kSession = make({
  name: "k_session",
  title: "Named sessions",
  description:
    "List sessions; create one; fork one's variables, or a snapshot's, to either engine; interrupt what runs in one, state kept; close one. Not needed to begin: every tool makes the session it names.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: Schema.Struct({
    action: Schema.Literals(["list", "create", "fork", "interrupt", "close"]),
    name: Schema.optionalKey(nameField("which")),
    engine: Schema.optionalKey(Schema.Literals(["embedded", "k3csharp"]).annotate({ description: "default by K3_ENGINE" })),
    snapshot: Schema.optionalKey(nameField("to fork from; default what it holds now")),
    session: Schema.optionalKey(nameField("to fork, default main")),
  }),
  output: render.SessionOutput,
  run: ({ action, name, engine, snapshot, session: of }) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      if (action === "list") return render.listed(yield* sessions.list, (yield* sessions.disk).stored)
      if (action === "interrupt") {
        const running = name ?? of ?? defaultSession
        return render.interrupted(running, yield* sessions.interrupt(running))
      }
      const which = action === "close" ? (name ?? of) : name
      if (which === undefined) return badArguments("k_session", `${action} takes a name`)
      switch (action) {
        case "create":
          return render.begun(which, yield* sessions.create(which, engine))
        case "fork":
          return render.begun(which, yield* sessions.fork({ from: of ?? defaultSession, snapshot, name: which, engine }))
        case "close":
          return render.closed(yield* sessions.close(which))
      }
    }),
})
