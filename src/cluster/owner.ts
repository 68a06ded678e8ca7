/**
 * A session on the machine that has it: an ordinary session of this server, with a check of the epoch before each request that changes something.
 *
 * Guarantees: a request that could change something runs only under the epoch that its sender named, so a request that Effect Cluster delivers
 * to the next owner does not run again. Replies name evaluations that ran on a lost machine and are not in the restored variables. A session is
 * written `soon` after a change, before the answer to `k_snapshot save`, and when it leaves. A defect fails its request and does not end the
 * session. Does not: keep the changes since the last write when the machine dies.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Entity from "effect/cluster/Entity"
import * as Latch from "effect/Latch"
import * as Schedule from "effect/Schedule"
import { Caller } from "../session/Caller.ts"
import { EphemeralEnded, MachineLost } from "../session/SessionError.ts"
import { Residence, Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { Epochs } from "./Epochs.ts"
import type { Failure } from "./errors.ts"
import { addressOf, type Envelope, type Owner, partsOf, Session } from "./protocol.ts"
import { rows } from "./requests/index.ts"
import { makeElsewhere } from "./elsewhere.ts"
import type { At, Row } from "./requests/request.ts"
import { missingOf, type Told } from "./missing.ts"
import { Residents } from "./Residents.ts"

/** Time from a change to the write, ms. One write has all changes of that time. */
const soon = 1000
/** The most time for the last write of a session that leaves, ms; the outputs of its space have the same time afterwards. */
const lastWrite = 5000
const unending = 2 ** 31 - 1

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
  /** Ends, unwritten, a session of this name that is still open here: another machine may have written newer variables. */
  const begin = Effect.andThen(
    leave(0),
    Effect.tap(epochs.raise(space, name), (raised) => Effect.sync(() => owned.set(name, raised.epoch))),
  )
  /** The lost machine that had the session, until a request that changes something has succeeded here. */
  let untold: string | undefined
  const { epoch, lost, contained } = yield* Effect.acquireRelease(begin, (raised) =>
    Effect.gen(function* () {
      // With no epoch, another machine has taken the session (Lease.ts). With a later epoch, this machine has taken it again.
      if (owned.get(name) !== raised.epoch) return
      yield* leave(lastWrite)
      yield* Effect.timeoutOption(residents.archive(space), lastWrite)
      if (owned.get(name) === raised.epoch) owned.delete(name)
      yield* epochs.release(space, name, raised.epoch, untold)
    }),
  )
  untold = lost

  const due = yield* Latch.make()
  const persist = Effect.gen(function* () {
    const opened = residents.opened(space)
    const session = opened && (yield* Context.get(opened, Sessions).find(name))
    const isKept = session === undefined || (yield* session.persist)
    return (yield* residents.archive(space)) && isKept
  })
  yield* due.await.pipe(
    Effect.andThen(due.close),
    Effect.andThen(Effect.sleep(soon)),
    Effect.andThen(Effect.repeat(persist, { while: (isKept) => !isKept, schedule: Schedule.exponential("2 seconds"), times: 4 })),
    Effect.forever,
    Effect.forkScoped,
  )

  const client = (yield* Session.client)(addressOf(space, name))
  const scope = yield* Effect.scope
  /** Keeps the session here while a background evaluation runs: an entity with an open request is not idle. Then the session is written. */
  const stayFor = (envelope: Envelope) => (handle: string) => {
    const wait = { ...envelope, handle, bytes: unending, ms: unending }
    return Effect.asVoid(Effect.forkIn(Effect.ensuring(Effect.ignore(client["BackgroundWait"]!(wait)), due.open), scope))
  }

  let isMarked = yield* epochs.isEphemeral(space, name)
  /** True after the loss of an ephemeral session of this name, until the name is created, forked into or closed. */
  let isGone = isMarked
  const mark = (isEphemeral: boolean) =>
    Effect.suspend(() => {
      isGone = false
      missing = []
      if (isMarked === isEphemeral) return Effect.void
      isMarked = isEphemeral
      return epochs.setEphemeral(space, name, isEphemeral)
    })
  /** `Before.known` of this owner. */
  let known: number | undefined
  /** The missing evaluations, until the session is open and its replies can name them. */
  let missing: (readonly [from: number, to: number])[] = []
  const learn = ({ history }: Residence["Service"], told: Told | undefined) =>
    Effect.map(history(name), ({ last, reach }) => {
      const now = missingOf({ epoch, known }, { contained, stored: last(), told })
      known = now.known
      reach(known)
      if (now.missing !== undefined) missing.push(now.missing)
    })
  const getFrom = (here: Sessions["Service"], residence: Residence["Service"]) =>
    Effect.suspend(() => {
      if (isGone) return new EphemeralEnded({ session: name })
      return Effect.tap(here.get(name), (session) => {
        if (session.isEphemeral) return Effect.void
        for (const [from, to] of missing.splice(0)) residence.missing(name, from, to)
        // The ephemeral session of this name ended idle; the new session is an ordinary one.
        return isMarked ? mark(false) : Effect.void
      })
    })

  const elsewhere = yield* makeElsewhere
  let isFollowed = lost === undefined
  const open = (owner: Owner) =>
    Effect.tap(residents.open(owner, { find: elsewhere(owner) }), (opened) => {
      if (isFollowed) return Effect.void
      isFollowed = true
      return Context.get(opened, Residence).follow(name, `the machine that had this session was lost (${lost})`)
    })
  const atOf = (opened: Context.Context<Sessions | Residence>, envelope: Envelope): At => ({
    name,
    here: Context.get(opened, Sessions),
    get: getFrom(Context.get(opened, Sessions), Context.get(opened, Residence)),
    mark,
    residence: Context.get(opened, Residence),
    owner: { machine, epoch },
    stayFor: stayFor(envelope),
  })
  const answer =
    ({ changes, run }: Row<any, any, Failure>) =>
    ({ payload: { owner, caller, epoch: under, told, ...given } }: { readonly payload: Envelope }): Effect.Effect<unknown, Failure> => {
      if (changes !== undefined && under !== epoch)
        return new MachineLost({ session: name, isReplaced: true, code: shortened(changes(given)) })
      const work = Effect.flatMap(open(owner), (opened) => {
        const asked = run(atOf(opened, { owner, caller }), given)
        return changes === undefined ? asked : Effect.andThen(learn(Context.get(opened, Residence), told), asked)
      })
      const done = Effect.provideService(work, Caller, caller)
      if (changes === undefined) return done
      // The session is written afterwards, even when the request failed.
      return Effect.ensuring(
        Effect.tap(done, () => Effect.sync(() => (untold = undefined))),
        due.open,
      )
    }
  return Object.fromEntries(rows.map(([tag, row]) => [tag, answer(row)]))
})

/** An entity ends a minute later than its idle session, so the session has ended by itself. */
export const layer = Effect.map(Settings, ({ sessionTtl }) =>
  Session.toLayer(make, {
    concurrency: "unbounded",
    disableFatalDefects: true,
    maxIdleTime: sessionTtl + 60_000,
  }),
)
