/**
 * A machine's side of a session: an ordinary session of this server, made by the same code, behind an epoch.
 *
 * Guarantees: what would change something runs only under the epoch that its sender named, so that nothing that Effect Cluster delivers
 * again is run again. A session is written `soon` after its last change, before a snapshot of it is answered, and when it leaves. A defect is
 * answered and ends nothing. Does not: keep what changed since the last write when the machine dies.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Entity from "effect/cluster/Entity"
import * as Latch from "effect/Latch"
import * as Schedule from "effect/Schedule"
import { type Asking, Caller } from "../session/Caller.ts"
import { MachineLost, type SessionError } from "../session/SessionError.ts"
import { Residence, Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { Epochs } from "./Epochs.ts"
import { type Owner, partsOf, Session } from "./protocol.ts"
import { Residents } from "./Residents.ts"

/** From a change to its being written, ms: bursts are one write. */
const soon = 1000
/** How long one that leaves may take to be captured and written, ms. */
const lastWrite = 5000
const unending = 2 ** 31 - 1

interface Looking {
  readonly owner: Owner
  readonly caller: Asking
}

type Here = Sessions["Service"]

const make = Effect.gen(function* () {
  const residents = yield* Residents
  const epochs = yield* Epochs
  const { machine } = epochs
  const [space, name] = partsOf((yield* Entity.CurrentAddress).entityId)
  const owned = residents.epochs(space)

  const leave = (withinMs: number) =>
    Effect.suspend(() => {
      const opened = residents.opened(space)
      return opened === undefined ? Effect.void : Context.get(opened, Residence).leave(name, withinMs)
    })
  /** What an earlier life here left open may be older than what another machine has written since: it is not served. */
  const begin = Effect.andThen(
    leave(0),
    Effect.tap(epochs.raise(space, name), (raised) => Effect.sync(() => owned.set(name, raised))),
  )
  const epoch = yield* Effect.acquireRelease(begin, (raised) =>
    Effect.gen(function* () {
      // Otherwise it was lost, and ended, or is here again under a later epoch.
      if (owned.get(name) !== raised) return
      yield* leave(lastWrite)
      if (owned.get(name) === raised) owned.delete(name)
      yield* epochs.release(space, name, raised)
    }),
  )

  const sessions = ({ owner }: Looking): Effect.Effect<Here> => Effect.map(residents.open(owner), (opened) => Context.get(opened, Sessions))
  const look = <A, E>(asked: Looking, work: (here: Here) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.provideService(Effect.flatMap(sessions(asked), work), Caller, asked.caller)

  const due = yield* Latch.make()
  const persist = Effect.gen(function* () {
    const opened = residents.opened(space)
    const session = opened && (yield* Context.get(opened, Sessions).find(name))
    return session === undefined || (yield* session.persist)
  })
  yield* due.await.pipe(
    Effect.andThen(due.close),
    Effect.andThen(Effect.sleep(soon)),
    Effect.andThen(Effect.repeat(persist, { while: (isKept) => !isKept, schedule: Schedule.exponential("2 seconds"), times: 4 })),
    Effect.forever,
    Effect.forkScoped,
  )

  /** Under this epoch alone; it is written afterwards, whatever became of it. */
  const change = <A, E>(asked: Looking & { readonly epoch: number }, code: string, work: (here: Here) => Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | MachineLost> => {
      if (asked.epoch !== epoch) return new MachineLost({ session: name, isReplaced: true, code: shortened(code) })
      return Effect.ensuring(look(asked, work), due.open)
    })
  const within =
    <A>(work: (session: Effect.Success<ReturnType<Here["get"]>>) => Effect.Effect<A, SessionError>) =>
    (here: Here): Effect.Effect<A, SessionError> =>
      Effect.flatMap(here.get(name), work)

  const client = (yield* Session.client)(`${space}/${name}`)
  /** An entity with a request under way is not idle: the session stays while one of its evaluations runs that nobody waits for. */
  const stayFor = ({ owner, caller }: Looking, handle: string) =>
    Effect.ensuring(Effect.ignore(client.BackgroundWait({ owner, caller, handle, bytes: unending, ms: unending })), due.open)
  const scope = yield* Effect.scope

  return Session.of({
    Open: ({ payload }) =>
      look(payload, (here) =>
        Effect.gen(function* () {
          const session = payload.use ? yield* here.get(name) : yield* here.find(name)
          return { epoch, machine, isOpen: session !== undefined, isEphemeral: session?.isEphemeral === true }
        }),
      ),
    Status: ({ payload }) =>
      look(payload, (here) =>
        Effect.gen(function* () {
          const isOpen = (yield* here.find(name)) !== undefined
          return { isOpen, status: { ...(yield* here.status(name)), owner: { machine, epoch } } }
        }),
      ),
    Inspect: ({ payload }) =>
      look(
        payload,
        within((session) => session.inspect(payload.path, payload.view)),
      ),
    Find: ({ payload }) =>
      look(
        payload,
        within((session) => session.find(payload.text, payload.skip)),
      ),
    Rows: ({ payload }) =>
      look(
        payload,
        within((session) => session.rows(payload.wanted)),
      ),
    Names: ({ payload }) =>
      look(
        payload,
        within((session) => session.names),
      ),
    Script: ({ payload }) =>
      look(
        payload,
        within((session) => session.script(payload.most)),
      ),
    SnapshotList: ({ payload }) =>
      look(
        payload,
        within((session) => session.snapshots.list),
      ),
    SnapshotDiff: ({ payload }) =>
      look(
        payload,
        within((session) => session.snapshots.diff(payload.name)),
      ),
    HistoryEnds: ({ payload }) => look(payload, (here) => Effect.map(here.history.of(name), ({ first, last }) => ({ first, last }))),
    HistoryPage: ({ payload }) =>
      look(payload, (here) =>
        Effect.flatMap(here.history.of(name), ({ page }) => {
          const { owner: _, caller: __, ...request } = payload
          return page(request)
        }),
      ),
    OutputPage: ({ payload }) => look(payload, (here) => here.outputs.page(payload.handle, payload.request)),
    OutputFind: ({ payload }) => look(payload, (here) => here.outputs.find(payload.handle, payload.request)),
    BackgroundFind: ({ payload }) => look(payload, (here) => here.backgrounds.find(payload.handle)),
    BackgroundList: ({ payload }) =>
      look(payload, (here) => Effect.map(here.backgrounds.list, (all) => all.filter(({ session }) => session === name))),
    BackgroundWait: ({ payload }) => look(payload, (here) => here.backgrounds.wait(payload.handle, payload.bytes, payload.ms)),
    Evaluate: ({ payload }) =>
      change(
        payload,
        payload.request.code,
        within((session) => session.evaluate(payload.request)),
      ),
    BackgroundBegin: ({ payload }) =>
      change(payload, payload.request.code, (here) =>
        Effect.tap(here.backgrounds.begin(name, payload.request), ({ handle }) => Effect.forkIn(stayFor(payload, handle), scope)),
      ),
    BackgroundStop: ({ payload }) => change(payload, `stop ${payload.handle}`, (here) => here.backgrounds.stop(payload.handle)),
    Interrupt: ({ payload }) => change(payload, "the interrupt", (here) => here.interrupt(name)),
    Reset: ({ payload }) =>
      change(
        payload,
        "the reset",
        within((session) => session.reset),
      ),
    Persist: ({ payload }) =>
      change(
        payload,
        "the write",
        within((session) => session.persist),
      ),
    Create: ({ payload: { engine, isEphemeral, ...asked } }) =>
      change(asked, "the creation of the session", (here) => here.create({ name, engine, isEphemeral })),
    Close: ({ payload }) => change(payload, "the closing of the session", (here) => here.close(name)),
    SnapshotSave: ({ payload }) =>
      change(
        payload,
        `the snapshot ${payload.name}`,
        within((session) => Effect.tap(session.snapshots.save(payload.name), session.persist)),
      ),
    SnapshotRebase: ({ payload }) =>
      change(
        payload,
        `the comparison with ${payload.name}`,
        within((session) => session.snapshots.rebase(payload.name)),
      ),
    SnapshotRestore: ({ payload }) =>
      change(
        payload,
        `the restore of ${payload.name}`,
        within((session) => session.snapshots.restore(payload.name)),
      ),
    SnapshotUndo: ({ payload }) =>
      change(
        payload,
        payload.direction,
        within((session) => session.snapshots.undo(payload.direction)),
      ),
    SnapshotRename: ({ payload }) =>
      change(
        payload,
        `the renaming of ${payload.from}`,
        within((session) => session.snapshots.rename(payload.from, payload.to)),
      ),
    SnapshotRemove: ({ payload }) =>
      change(
        payload,
        `the removal of ${payload.name}`,
        within((session) => session.snapshots.remove(payload.name)),
      ),
  })
})

/** A minute longer than a session stays open idle, so that it has ended by itself. */
export const layer = Effect.map(Settings, ({ sessionTtl }) =>
  Session.toLayer(make, {
    concurrency: "unbounded",
    disableFatalDefects: true,
    maxIdleTime: sessionTtl + 60_000,
  }),
)
