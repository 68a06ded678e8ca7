/**
 * The sessions of a space as a front end gives them to the tools: each is on the machine that has it, and what needs no interpreter is read
 * from the store, by this machine.
 *
 * Guarantees: status, history and the lists answer within `brief` while a session is on its way to another machine, and say so. Does not:
 * compare, merge or fork sessions, or reload a build, which is refused in words; hold the limit of sessions across machines, each of which
 * holds it for its own.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { since } from "../elapsed.ts"
import type { Principal } from "../mcp/http/Principal.ts"
import { CrashRecords } from "../session/history/CrashRecord.ts"
import { Definitions } from "../session/Definitions.ts"
import { NoSession, NotInCluster, type SessionError } from "../session/SessionError.ts"
import { Plots } from "../session/plots/Plots.ts"
import { RootFiles } from "../session/RootFiles.ts"
import type { Session } from "../session/Session.ts"
import { Sessions } from "../session/Sessions.ts"
import type { SessionStatus } from "../session/SessionStatus.ts"
import { Settings } from "../Settings.ts"
import { Store } from "../store/Store.ts"
import { brief, makeAsking } from "./asking.ts"
import { Epochs, type Owned } from "./Epochs.ts"
import { remoteBackgrounds } from "./remoteBackgrounds.ts"
import { remoteHistory } from "./remoteHistory.ts"
import { remoteSession } from "./remoteSession.ts"
import type { Owner } from "./protocol.ts"

const ownerOf = ({ space, limits }: Pick<Principal, "space" | "limits">): Owner => {
  const finite = (n: number) => (Number.isFinite(n) ? n : null)
  return { space, limits: { ...limits, evaluations: finite(limits.evaluations), calls: finite(limits.calls) } }
}

/** Of a session for which no machine answers. */
const moving = (name: string, engine: SessionStatus["engine"], by: Owned | undefined): SessionStatus => ({
  name,
  phase: "down",
  isEphemeral: false,
  engine,
  engineWhy: "no machine of the cluster answers for this session now",
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
  doing: "on its way to another machine: its variables are as they were last written to the database",
  running: null,
  lastCrash: null,
  ageMs: 0,
  idleMs: 0,
  memoryBytes: null,
  spare: null,
  held: { variables: 0, missed: 0, lost: [] },
  onDisk: null,
  ...(by !== undefined && { owner: { machine: by.machine, epoch: by.epoch } }),
})

const refuse = (what: string) => new NotInCluster({ what })

export const layer = (principal: Pick<Principal, "space" | "limits">) =>
  Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const owner = ownerOf(principal)
      const { space } = owner
      const settings = yield* Settings
      const epochs = yield* Epochs
      const store = yield* Store
      const asking = yield* makeAsking(owner)
      const { look, change, open } = asking
      const engine = settings.engine === "k3csharp" ? ("k3csharp" as const) : ("embedded" as const)

      const ownedBy = (name: string) => Effect.map(epochs.of(space), (all) => all.find(({ session }) => session === name))
      /** Until when nobody is asked for the status of a session that did not answer: one call asks several times. */
      const silent = new Map<string, number>()
      const isMoving = (name: string) => Effect.map(ownedBy(name), (by) => ({ isOpen: true, status: moving(name, engine, by) }))
      const seen = Effect.fnUntraced(function* (name: string) {
        const at = yield* Clock.currentTimeMillis
        if ((silent.get(name) ?? 0) > at) return yield* isMoving(name)
        silent.delete(name)
        const found = yield* Effect.option(look(name, (client, asked) => client.Status(asked), brief))
        if (Option.isSome(found)) return found.value
        silent.set(name, at + 2 * brief)
        return yield* isMoving(name)
      })
      const status = (name: string): Effect.Effect<SessionStatus> => Effect.map(seen(name), (found) => found.status)
      const list = Effect.flatMap(epochs.of(space), (all) =>
        Effect.map(
          Effect.forEach(all, ({ session }) => seen(session), { concurrency: "unbounded" }),
          (found) =>
            found
              .filter(({ isOpen }) => isOpen)
              .map((each) => each.status)
              .sort((a, b) => (a.name < b.name ? -1 : 1)),
        ),
      )

      const sessionOf = (name: string, opened: { readonly epoch: number; readonly isEphemeral: boolean }): Session =>
        remoteSession(asking, { name, epoch: opened.epoch, isEphemeral: opened.isEphemeral }, status(name))
      const get = (name: string) => Effect.map(open(name, true), (opened) => sessionOf(name, opened))
      const find = (name: string) =>
        Effect.gen(function* () {
          if ((yield* ownedBy(name)) === undefined) return undefined
          const opened = yield* open(name, false, brief)
          return opened.isOpen ? sessionOf(name, opened) : undefined
        }).pipe(Effect.orElseSucceed(() => undefined))
      /** Under the epoch of now. */
      const now = <A>(name: string, code: string, send: Parameters<typeof change<A>>[1]): Effect.Effect<A, SessionError> =>
        Effect.flatMap(open(name, false), ({ epoch }) => change({ name, epoch, code }, send))

      const stored = Effect.map(Effect.all([store.sessions, list]), ([all, opened]) =>
        all.filter(({ name, variables }) => variables > 0 && !opened.some((each) => each.name === name)),
      )
      let made = 0
      const freeName = Effect.gen(function* () {
        const taken = new Set([...(yield* store.sessions), ...(yield* list)].map(({ name }) => name))
        do made++
        while (taken.has(`s${made}`))
        return `s${made}`
      })

      return Sessions.of({
        get,
        find,
        list,
        status,
        create: ({ name, engine: wanted, isEphemeral }) =>
          Effect.flatMap(name === undefined ? freeName : Effect.succeed(name), (free) =>
            now(free, "the creation of the session", (client, asked) => client.Create({ ...asked, engine: wanted, isEphemeral })),
          ),
        fork: () => refuse("k_session fork"),
        merge: () => refuse("k_session merge"),
        interrupt: (name) =>
          Effect.gen(function* () {
            if ((yield* ownedBy(name)) === undefined) return yield* new NoSession({ name, open: (yield* list).map((each) => each.name) })
            return yield* now(name, "the interrupt", (client, asked) => client.Interrupt(asked))
          }),
        close: (name) => now(name, "the closing of the session", (client, asked) => client.Close(asked)),
        history: yield* remoteHistory(asking, (name) => Effect.map(ownedBy(name), (by) => by !== undefined)),
        crashes: yield* CrashRecords,
        definitions: yield* Definitions,
        files: yield* RootFiles,
        disk: Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const sessions = (yield* stored).map(({ name, engine: made, variables, savedAt }) => ({
            name,
            engine: made,
            variables,
            ageMs: since(savedAt, at),
          }))
          return { folder: store.place, trouble: yield* store.trouble, stored: sessions }
        }),
        plots: yield* Plots,
        ...(yield* remoteBackgrounds(asking, list)),
        compare: () => refuse("k_compare"),
        drift: () => refuse("k_compare"),
        resetAll: Effect.gen(function* () {
          const opened = yield* list
          const reset = yield* Effect.forEach(
            opened,
            ({ name }) =>
              Effect.map(
                now(name, "the reset", (client, asked) => client.Reset(asked)),
                (done) => ({ name, ...done }),
              ),
            { concurrency: "unbounded" },
          )
          const closed = yield* Effect.forEach(yield* stored, ({ name }) =>
            Effect.as(
              now(name, "the reset", (client, asked) => client.Close(asked)),
              { name, how: "cleared" as const, generation: 0 },
            ),
          )
          return [...reset, ...closed]
        }),
      })
    }),
  )
