/**
 * The status of the sessions of a space, for a front end. Guarantees: waits at most `brief` for the machine that has a session; without an answer,
 * the status says that the session is on its way to another machine, or why its machine cannot run it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { elapsed } from "../elapsed.ts"
import type { SessionStatus } from "../session/SessionStatus.ts"
import { Settings } from "../Settings.ts"
import { type Asking, brief } from "./asking.ts"
import { type OwnedSession, SessionOwners } from "./SessionOwners.ts"

const onItsWay = "on its way to another machine: its variables are as they were last written to the database"

/** The status of a session that no machine runs. */
const unreached = (name: string, engine: SessionStatus["engine"], doing: string, by: OwnedSession | undefined): SessionStatus => ({
  name,
  phase: "down",
  isEphemeral: false,
  engine,
  engineWhy: "no machine of the cluster runs this session now",
  pid: null,
  generation: 0,
  fence: { _tag: "Off" },
  shadow: null,
  buildFolder: null,
  buildFolderWhy: null,
  runningHash: null,
  buildHash: null,
  stale: null,
  engineVersion: null,
  uptimeMs: null,
  evaluations: 0,
  doing,
  running: null,
  lastCrash: null,
  ageMs: 0,
  idleMs: 0,
  memoryBytes: null,
  spare: null,
  held: { variables: 0, missed: 0, lost: [] },
  onDisk: null,
  isUnreached: true,
  ...(by !== undefined && { owner: { machine: by.machine, epoch: by.epoch } }),
})

export const makeStatuses = Effect.fnUntraced(function* (space: string, { read }: Asking) {
  const settings = yield* Settings
  const owners = yield* SessionOwners
  const engine = settings.engine === "k3csharp" ? ("k3csharp" as const) : ("embedded" as const)

  const ownedBy = (name: string) => Effect.map(owners.of(space), (all) => all.find(({ session }) => session === name))
  /** For a session without an answer, the time from which its machine is asked again, ms of the monotonic clock: one call asks several times. */
  const silentUntil = new Map<string, number>()
  const seen = Effect.fnUntraced(function* (name: string) {
    const at = yield* elapsed
    if (at >= (silentUntil.get(name) ?? at)) {
      silentUntil.delete(name)
      const found = yield* Effect.result(read("Status", name, {}, brief))
      if (Result.isSuccess(found)) return found.success
      if (found.failure._tag === "RootUnusable") {
        const { machine, why } = found.failure
        return { isOpen: true, status: unreached(name, engine, `unusable on ${machine}: ${why}`, yield* ownedBy(name)) }
      }
      silentUntil.set(name, at + 2 * brief)
    }
    return { isOpen: true, status: unreached(name, engine, onItsWay, yield* ownedBy(name)) }
  })
  /** The statuses of the open sessions, by name. */
  const list = Effect.gen(function* () {
    const found = yield* Effect.forEach(yield* owners.of(space), ({ session }) => seen(session), { concurrency: "unbounded" })
    return found.flatMap(({ isOpen, status }) => (isOpen ? [status] : [])).sort((a, b) => (a.name < b.name ? -1 : 1))
  })
  const isOwned = (name: string) => Effect.map(ownedBy(name), (by) => by !== undefined)
  const status = (name: string): Effect.Effect<SessionStatus> => Effect.map(seen(name), (found) => found.status)
  return { isOwned, status, list }
})
