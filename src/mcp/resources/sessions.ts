/** Resources for the status of the server, the open sessions, and their variables. Guarantees: none waits for an evaluation. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"
import { Sessions } from "../../session/Sessions.ts"
import type { Settings } from "../../Settings.ts"
import { inspection } from "../render/inspection.ts"
import { listed } from "../render/session.ts"
import { statusReply } from "../statusReply.ts"
import { defaultSession } from "../Tool.ts"
import type { ExistingResource, Resource, Services } from "./Resource.ts"

/** The open sessions, last used first. */
export const sessionPool: Effect.Effect<readonly ExistingResource[], never, Sessions> = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  const open = yield* (yield* Sessions).list
  return open
    .toSorted((a, b) => a.idleMs - b.idleMs)
    .map(({ name, idleMs }) => ({ variables: { session: name }, title: `Session ${name}`, lastModified: now - idleMs }))
})

export const openNames: Effect.Effect<readonly string[], never, Sessions> = Effect.map(sessionPool, (open) =>
  open.map(({ variables }) => variables["session"]!),
)

export const statusResource: Resource = {
  uri: "k3://status",
  name: "status",
  title: "Status",
  description: "Engine and why, process, generation, builds, what runs now, limits: session main. Tool: k_status.",
  mimeType: "text/plain",
  priority: 0.8,
  fingerprint: () =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const { phase, generation, engine, runningHash, buildHash, stale, refused } = yield* sessions.status(defaultSession)
      const others = (yield* sessions.list).map((each) => [each.name, each.phase, each.generation])
      return JSON.stringify([phase, generation, engine, runningHash, buildHash, stale, refused, others])
    }),
  read: () => Effect.map(statusReply(defaultSession), ({ text }) => text),
}

export const sessionsResource: Resource = {
  uri: "k3://sessions",
  name: "sessions",
  title: "Sessions",
  description: "The open sessions, a line each. Tool: k_session.",
  mimeType: "text/plain",
  priority: 0.6,
  watched: true,
  read: () => Effect.flatMap(Sessions, ({ list }) => Effect.map(list, (open) => listed(open, []).text)),
}

export const stateResource: Resource = {
  uri: "k3://sessions/{session}/state",
  name: "state",
  title: "Variables of a session",
  description: "The names of a session with kind, shape and a preview, as of its last look. Tool: k_inspect.",
  mimeType: "text/plain",
  priority: 0.7,
  present: sessionPool,
  read: ({ session = "" }) => readVariables(session, ""),
  fingerprint: ({ session = "" }) => fingerprintOfVariables(session, ""),
}

export const valueResource: Resource = {
  uri: "k3://sessions/{session}/state/{path}",
  name: "variable",
  title: "A variable of a session",
  description: "One variable, or the names below a path such as .k.d, as of the last look. Tool: k_inspect.",
  mimeType: "text/plain",
  priority: 0.5,
  read: ({ session = "", path = "" }) => readVariables(session, path),
  fingerprint: ({ session = "", path = "" }) => fingerprintOfVariables(session, path),
  complete: {
    session: () => openNames,
    path: (typed, { session = defaultSession }) => namesBelow(session, typed.slice(0, typed.lastIndexOf(".") + 1)),
  },
}

/** Asks the session of that name, if it is open; otherwise the answer is `closed`. Reading a resource makes no session. */
export const askOpen = <A, B, E>(
  name: string,
  closed: B,
  ask: (session: Session) => Effect.Effect<A, E, Sessions | Settings>,
): Effect.Effect<A | B, E, Sessions | Settings> =>
  Effect.flatMap(Sessions, ({ find }) =>
    Effect.flatMap(find(name), (session): Effect.Effect<A | B, E, Sessions | Settings> =>
      session === undefined ? Effect.succeed(closed) : ask(session),
    ),
  )

const readVariables = (name: string, path: string) =>
  askOpen(name, undefined, (session) => Effect.map(session.inspect(path), (seen) => inspection(seen).text))

const fingerprintOfVariables = (name: string, path: string) =>
  askOpen(name, "", (session) =>
    Effect.map(session.inspect(path), ({ entries, value, others, omitted, ageMs, unknown }) =>
      ageMs > 0 || unknown === true ? undefined : JSON.stringify([entries, value, others, omitted]),
    ),
  ).pipe(Effect.orElseSucceed(() => undefined))

/** The paths of the names in the directory `parent`, which is empty or ends in a dot. */
export const namesBelow = (name: string, parent: string): Effect.Effect<readonly string[], never, Services> =>
  askOpen(name, [], ({ inspect }) =>
    Effect.map(inspect(parent === "." ? "." : parent.slice(0, -1)), ({ entries }) =>
      entries.map((each) => (parent === "." ? each.name : `${parent}${each.name}`)),
    ),
  ).pipe(Effect.orElseSucceed(() => []))
