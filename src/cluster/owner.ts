/**
 * A session on the machine that has it: an ordinary session of this server, with a check of the epoch before each request that changes something.
 * Effect Cluster makes one entity for it:
 *
 *     take ─▶ answer requests, and write the session `soon` after each change ─▶ release
 *      ▲                        │
 *      └── before a request ────┘ when another machine has raised the epoch though Effect Cluster sends the requests here
 *
 * Guarantees: a request that could change something runs only under the epoch that its sender named, so a request that Effect Cluster delivers
 * to the next owner does not run again. Replies name evaluations that ran on a lost machine and are not in the restored variables. A session is
 * written `soon` after a change, before the answer to `k_snapshot save`, and when it leaves. A defect fails its request and does not end the
 * session. Does not: keep the changes since the last write when the machine dies.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Entity from "effect/cluster/Entity"
import { Sharding } from "effect/cluster/Sharding"
import * as Latch from "effect/Latch"
import * as Match from "effect/Match"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { Caller } from "../session/Caller.ts"
import { EphemeralEnded, MachineLost, RootUnusable } from "../session/SessionError.ts"
import { Relocation, Sessions } from "../session/Sessions.ts"
import { loggingDefects } from "../loggingDefects.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { SessionOwners } from "./SessionOwners.ts"
import type { RequestFailure } from "./errors.ts"
import { lossOf, newOwner, type OwnerCommand, type OwnerEvent, type OwnerState, transition } from "./ownerState.ts"
import { addressOf, type Envelope, partsOf, SessionEntity } from "./protocol.ts"
import { rows } from "./requests/index.ts"
import { makeElsewhere } from "./elsewhere.ts"
import type { LocalSession, RequestRow } from "./requests/request.ts"
import { OpenSpaces } from "./OpenSpaces.ts"

/** Time from a change to the write, ms. One write has all changes of that time. */
const soon = 1000
/** The most time for the last write of a session that leaves, ms; the outputs of its space have the same time afterwards. */
const lastWrite = 5000
const unending = 2 ** 31 - 1

/** Takes the session of the running entity, and releases it at the end of the scope. */
const ownSession = Effect.gen(function* () {
  const spaces = yield* OpenSpaces
  const owners = yield* SessionOwners
  const { hasShardId } = yield* Sharding
  const { entityId, shardId } = yield* Entity.CurrentAddress
  const [space, name] = partsOf(entityId)
  const owned = spaces.epochs(space)
  const taking = yield* Semaphore.make(1)

  const leave = (withinMs: number) =>
    Effect.suspend(() => {
      const opened = spaces.opened(space)
      return opened === undefined ? Effect.void : Context.get(opened, Relocation).leave(name, withinMs)
    })

  const take = Effect.gen(function* () {
    // A session of this name that is still open here ends unwritten: another machine may have written newer variables.
    yield* leave(0)
    const raised = yield* owners.raise(space, name)
    owned.set(name, raised.epoch)
    return { state: newOwner(raised) }
  })

  const release = (owner: { readonly state: OwnerState }) =>
    Effect.gen(function* () {
      const { epoch } = owner.state
      // With no epoch, another machine has taken the session (Lease.ts). With a later epoch, this machine has taken it again.
      if (owned.get(name) !== epoch) return
      yield* leave(lastWrite)
      yield* Effect.timeoutOption(spaces.archive(space), lastWrite)
      if (owned.get(name) === epoch) owned.delete(name)
      yield* owners.release(space, name, epoch, lossOf(owner.state))
    })

  const owner: { state: OwnerState } = yield* Effect.acquireRelease(take, release)

  /**
   * A machine that was given the session and lost it again at once may raise the epoch after this machine did. The lease ends the session then
   * (`Lease.ts`), and nothing that this entity answers could be written.
   */
  const takeAgain = taking.withPermit(
    Effect.suspend(() => {
      if (owned.get(name) === owner.state.epoch || !hasShardId(shardId)) return Effect.void
      return Effect.map(take, ({ state }) => void (owner.state = state))
    }),
  )

  /** Writes the session and the long outputs of its space; false when one of them was not written. */
  const persist = Effect.gen(function* () {
    const opened = spaces.opened(space)
    const session = opened && (yield* Context.get(opened, Sessions).find(name))
    const isKept = session === undefined || (yield* session.persist)
    return (yield* spaces.archive(space)) && isKept
  })
  const isOwned = (epoch: number | undefined) => owned.get(name) === epoch
  return { space, name, owner, takeAgain, persist, isOwned }
})

/** Runs `persist` after `soon` each time that the returned latch opens; again, with growing delays, while `persist` fails. */
const writingSoon = Effect.fnUntraced(function* (persist: Effect.Effect<boolean>) {
  const due = yield* Latch.make()
  const writeLogged = loggingDefects("A session was not written", persist, Effect.succeed(false))
  yield* due.await.pipe(
    Effect.andThen(due.close),
    Effect.andThen(Effect.sleep(soon)),
    Effect.andThen(Effect.repeat(writeLogged, { while: (isKept) => !isKept, schedule: Schedule.exponential("2 seconds"), times: 4 })),
    Effect.forever,
    Effect.forkScoped,
  )
  return due
})

/** Gives the function that changes the state of the owner by an event and then runs the commands of the transition. The space is open. */
export const makeSend = Effect.fnUntraced(function* (owner: { state: OwnerState }, space: string, name: string) {
  const { setEphemeral } = yield* SessionOwners
  const spaces = yield* OpenSpaces
  /** One change of the mark at a time: the retry of an earlier one would undo a later one. */
  const marking = yield* Semaphore.make(1)
  const mark = Effect.fnUntraced(function* (isEphemeral: boolean, epoch: number) {
    const done = yield* setEphemeral(space, name, epoch, isEphemeral)
    if (done && owner.state.epoch === epoch) yield* send({ _tag: "Marked", isEphemeral })
  }, marking.withPermit)
  const relocation = (): Relocation["Service"] => Context.get(spaces.opened(space)!, Relocation)
  const perform = (command: OwnerCommand): Effect.Effect<void> =>
    Match.valueTags(command, {
      AnnounceLoss: ({ machine }) => relocation().noteEnd(name, `the machine that had this session was lost (${machine})`),
      NumberAbove: ({ number }) => Effect.map(relocation().history(name), (log) => log.reach(number)),
      NameMissing: ({ from, to }) => Effect.sync(() => relocation().missing(name, from, to)),
      // A change that waits keeps its epoch: under a later one it would change what the next owner marked.
      Mark: ({ isEphemeral }) => mark(isEphemeral, owner.state.epoch),
    })
  const send = (event: OwnerEvent): Effect.Effect<void> =>
    Effect.suspend(() => {
      const [next, commands] = transition(owner.state, event)
      owner.state = next
      return Effect.forEach(commands, perform, { discard: true })
    })
  return send
})

const make = Effect.gen(function* () {
  const spaces = yield* OpenSpaces
  const { machine } = yield* SessionOwners
  const clock = yield* Clock.Clock
  const elsewhere = yield* makeElsewhere
  const { space, name, owner, takeAgain, persist, isOwned } = yield* ownSession
  const send = yield* makeSend(owner, space, name)
  /** False when the database has not taken the mark of the session. */
  const writeMark = Effect.map(send({ _tag: "WriteDue" }), () => owner.state.isMarked !== undefined)
  yield* Effect.addFinalizer(() => Effect.timeoutOption(writeMark, lastWrite))
  const due = yield* writingSoon(Effect.zipWith(persist, writeMark, (isKept, isMarked) => isKept && isMarked))

  const client = (yield* SessionEntity.client)(addressOf(space, name))
  const scope = yield* Effect.scope
  /** Keeps the session here while a background evaluation runs: an entity with an open request is not idle. Then the session is written. */
  const stayFor = (envelope: Envelope) => (handle: string) => {
    const wait = { ...envelope, handle, bytes: unending, ms: unending }
    return Effect.asVoid(Effect.forkIn(Effect.ensuring(Effect.ignore(client["BackgroundWait"]!(wait)), due.open), scope))
  }

  const localSession = (here: Sessions["Service"], relocation: Relocation["Service"], envelope: Envelope): LocalSession => ({
    name,
    here,
    relocation,
    owner: { machine, epoch: owner.state.epoch },
    get: Effect.suspend(() =>
      owner.state.session === "lost"
        ? new EphemeralEnded({ session: name })
        : Effect.tap(here.get(name), ({ isEphemeral }) => send({ _tag: "Used", isEphemeral })),
    ),
    mark: (isEphemeral) => send({ _tag: "Renewed", isEphemeral }),
    stayFor: stayFor(envelope),
  })

  const lost = (code: string) => new MachineLost({ session: name, isReplaced: true, code: shortened(code) })

  const answer =
    ({ changes, run }: RequestRow<any, any, RequestFailure>) =>
    ({
      payload: { owner: principal, caller, epoch, told, ...given },
    }: {
      readonly payload: Envelope
    }): Effect.Effect<unknown, RequestFailure> => {
      const answered = Effect.gen(function* () {
        yield* takeAgain
        if (changes !== undefined && epoch !== owner.state.epoch) return yield* lost(changes(given))
        const opened = yield* Effect.mapError(
          spaces.open(principal, elsewhere(principal)),
          (why) => new RootUnusable({ session: name, machine, why }),
        )
        const relocation = Context.get(opened, Relocation)
        yield* send({ _tag: "Opened" })
        const session = localSession(Context.get(opened, Sessions), relocation, { owner: principal, caller })
        if (changes === undefined) return yield* run(session, given)
        const { last } = yield* relocation.history(name)
        yield* send({ _tag: "Compared", stored: last, told })
        return yield* run(session, given).pipe(
          // The lease closes the session when another machine has taken it (`Lease.ts`).
          Effect.catchIf(
            (failure) => failure._tag === "SessionClosed" && !isOwned(epoch),
            () => lost(changes(given)),
          ),
          Effect.tap(send({ _tag: "Succeeded" })),
        )
      }).pipe(Effect.provideService(Caller, caller), Effect.provideService(Clock.Clock, clock))
      // The session is written afterwards, even when the request failed.
      return changes === undefined ? answered : Effect.ensuring(answered, due.open)
    }
  return Object.fromEntries(rows.map(([tag, row]) => [tag, answer(row)]))
})

/**
 * An entity ends a minute later than its idle session, so the session has ended by itself. Effect Cluster gives entities its own clock, which is
 * never set (`member.ts`); the session keeps the wall clock.
 */
export const layer = Effect.zipWith(Settings, Clock.Clock, ({ sessionTtl }, clock) =>
  SessionEntity.toLayer(Effect.provideService(make, Clock.Clock, clock), {
    concurrency: "unbounded",
    disableFatalDefects: true,
    maxIdleTime: sessionTtl + 60_000,
  }),
)
