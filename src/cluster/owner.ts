/**
 * A machine's side of a session: an ordinary session of this server, made by the same code, behind an epoch.
 *
 * Guarantees: what would change something runs only under the epoch that its sender named, so that nothing that Effect Cluster delivers
 * again is run again. Evaluations that ran on a machine before and are not in what was restored are named. A session is written `soon` after its last change, before a snapshot of it is answered, and when it leaves. A defect is
 * answered and ends nothing. Does not: keep what changed since the last write when the machine dies.
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

/** From a change to its being written, ms: bursts are one write. */
const soon = 1000
/** How long one that leaves may take to be captured and written, ms. */
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
  /** What an earlier life here left open may be older than what another machine has written since: it is not served. */
  const begin = Effect.andThen(
    leave(0),
    Effect.tap(epochs.raise(space, name), (raised) => Effect.sync(() => owned.set(name, raised.epoch))),
  )
  /** The machine that had it and was lost, until somebody has heard of it. */
  let untold: string | undefined
  const { epoch, lost, contained } = yield* Effect.acquireRelease(begin, (raised) =>
    Effect.gen(function* () {
      // Otherwise it was lost, and ended, or is here again under a later epoch.
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
  /** An entity with a request under way is not idle: the session stays while one of its evaluations runs that nobody waits for. */
  const stayFor = (envelope: Envelope) => (handle: string) => {
    const wait = { ...envelope, handle, bytes: unending, ms: unending }
    return Effect.asVoid(Effect.forkIn(Effect.ensuring(Effect.ignore(client["BackgroundWait"]!(wait)), due.open), scope))
  }

  let isMarked = yield* epochs.isEphemeral(space, name)
  /** It was ephemeral, on another machine or before it ended here. */
  let isGone = isMarked
  const mark = (isEphemeral: boolean) =>
    Effect.suspend(() => {
      isGone = false
      missing = []
      if (isMarked === isEphemeral) return Effect.void
      isMarked = isEphemeral
      return epochs.setEphemeral(space, name, isEphemeral)
    })
  /** As in `Before`. */
  let known: number | undefined
  /** Evaluations that are missing, until the session is open and can tell it. */
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
        // One that ended idle gives its name to an ordinary one.
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
      // It is written afterwards, whatever became of it.
      return Effect.ensuring(
        Effect.tap(done, () => Effect.sync(() => (untold = undefined))),
        due.open,
      )
    }
  return Object.fromEntries(rows.map(([tag, row]) => [tag, answer(row)]))
})

/** A minute longer than a session stays open idle, so that it has ended by itself. */
export const layer = Effect.map(Settings, ({ sessionTtl }) =>
  Session.toLayer(make, {
    concurrency: "unbounded",
    disableFatalDefects: true,
    maxIdleTime: sessionTtl + 60_000,
  }),
)
